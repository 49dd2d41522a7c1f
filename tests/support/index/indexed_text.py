"""Texts as the index holds them, made by the real ingest, without a database."""

from collections.abc import Callable, Collection, Mapping

from ingest.chunking import document
from ingest.read.vault import SourceFile
from retrieval.index.indexed_file import _in_order
from retrieval.models import Entry, IndexedFile, Terms
from retrieval.vocabulary import file_terms
from tests.support.index.cutting import ENTRY_LIMIT, tokens


def indexed_file(source: str, path: str = "1. Rules/a.md") -> IndexedFile:
    """Return a file as a search reads it from the index."""
    lines: dict[int, str] = {}
    entries: list[Entry] = []
    file = SourceFile(path, source, "", 0)
    for item in document.index(file, entry_limit=ENTRY_LIMIT, count=tokens().count):
        chunk = item.chunk
        for number, line in enumerate(chunk.text.split("\n"), start=chunk.first_line):
            lines[number] = lines.get(number, "") + line if chunk.piece > 1 else line
        entries += [entry for entry in item.entries if entry.kind != "whole"]
    return IndexedFile(path, lines, _in_order(entries))


def terms_of(files: Mapping[str, str]) -> Terms:
    """Return the words of a vault, given as text by path."""
    indexed = [indexed_file(source, path) for path, source in files.items()]
    return file_terms.of_entries((file.path, entry) for file in indexed for entry in file.entries)


def reader_of(
    files: Mapping[str, str],
) -> Callable[[str, Collection[str]], list[tuple[str, Entry]]]:
    """Return what reads a folder's entries as `retrieval.index.folder_entries.read` does."""

    def read(folder: str, beginnings: Collection[str]) -> list[tuple[str, Entry]]:
        return [
            (path, entry)
            for path, source in files.items()
            if path.startswith(f"{folder}/")
            for entry in indexed_file(source, path).entries
            if all(one in f"{entry.heading} {entry.words}".lower() for one in beginnings)
        ]

    return read
