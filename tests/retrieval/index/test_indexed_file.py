"""A file as it was indexed, read back around the passages of one search."""

from dataclasses import replace

import pytest

from retrieval.context import SearchContext
from retrieval.index import indexed_file
from retrieval.index.store import Connection, chunks_of, live
from retrieval.models import Chunk, Entry, IndexedFile
from retrieval.search import search
from tests.conftest import RULES
from tests.support.index.ingested import IndexFiles

LONG, WIDE, MANY = "Long.md", "Wide.md", "Many.md"
SENTENCES = " ".join(f"The rule number {n} of the guild says that nobody pays." for n in range(90))
FILES = {
    **RULES,
    LONG: "# Long\n\n" + "\n\n".join(f"Rule {n}: take {n} coins." for n in range(1, 601)) + "\n",
    WIDE: f"# Wide\n\nBefore it.\n\n{SENTENCES}\n\nBehind it.\n",
    MANY: "# Many\n\n| Thing | Cost |\n|---|---|\n"
    + "".join(f"| Thing {n} | {n} gp and some more coins of copper |\n" for n in range(80)),
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


def chunks(context: SearchContext, path: str) -> tuple[Chunk, ...]:
    return context.store.read(lambda conn: chunks_of(conn, live(conn).id, path))


def read(context: SearchContext, *around: Chunk) -> dict[str, IndexedFile]:
    def around_them(conn: Connection) -> dict[str, IndexedFile]:
        return indexed_file.read(conn, live(conn).id, around)

    return context.store.read(around_them)


def lines_of(path: str) -> dict[int, str]:
    """The lines of a file that are not blank, by number."""
    numbered = enumerate(FILES[path].split("\n"), start=1)
    return {number: line for number, line in numbered if line.strip()}


def said(file: IndexedFile) -> dict[int, str]:
    return {number: line for number, line in file.lines.items() if line.strip()}


@pytest.mark.parametrize("path", [*RULES, WIDE, MANY])
def test_the_lines_are_the_files_own_whichever_passage_is_asked_for(
    context: SearchContext, path: str
) -> None:
    for chunk in chunks(context, path):
        found = read(context, chunk)
        assert list(found) == [path]
        assert said(found[path]) == lines_of(path)


@pytest.mark.parametrize("path", [*RULES, WIDE, MANY])
def test_the_entries_stand_in_order_and_once(context: SearchContext, path: str) -> None:
    entries = read(context, chunks(context, path)[0])[path].entries
    assert entries
    assert [one.first_line for one in entries] == sorted(one.first_line for one in entries)
    places = [(one.first_line, one.last_line, one.quote) for one in entries]
    assert len(set(places)) == len(places)
    assert "whole" not in {one.kind for one in entries}


def test_each_row_of_a_table_over_several_passages_is_an_entry(context: SearchContext) -> None:
    found = chunks(context, MANY)
    assert len(found) > 2
    rows = [one for one in read(context, found[-1])[MANY].entries if one.kind == "row"]
    assert [one.quote for one in rows] == FILES[MANY].split("\n")[4:-1]
    assert {one.lead for one in rows} == {"| Thing | Cost |\n|---|---|"}


def test_only_what_is_around_the_passage_is_read(context: SearchContext) -> None:
    """300 lines before and behind it, to the end of the passages that they stand in."""
    found = chunks(context, LONG)
    first, middle = found[0], found[len(found) // 2]
    above = read(context, first)[LONG]
    assert _holds(above, first.first_line, first.last_line + 300)
    assert not _numbers(above) & set(range(first.last_line + 500, 1202))
    around = read(context, middle)[LONG]
    assert _holds(around, middle.first_line - 300, middle.last_line + 300)
    assert 1 not in around.lines
    assert not _numbers(around) & set(range(middle.last_line + 500, 1202))
    assert _inside(around.entries, around)


def test_of_two_passages_all_between_them_is_read(context: SearchContext) -> None:
    found = chunks(context, LONG)
    whole = read(context, found[-1], found[0])[LONG]
    assert said(whole) == lines_of(LONG)
    assert [one.quote for one in whole.entries] == [
        line for line in lines_of(LONG).values() if line.startswith("Rule")
    ]


def test_a_single_line_that_was_cut_is_put_together(context: SearchContext) -> None:
    pieces = [chunk for chunk in chunks(context, WIDE) if chunk.piece]
    assert len(pieces) > 1
    for piece in pieces:
        file = read(context, piece)[WIDE]
        assert file.lines[5] == SENTENCES
        assert (file.lines[3], file.lines[7]) == ("Before it.", "Behind it.")
        quotes = " ".join(one.quote for one in file.entries if one.first_line == 5)
        assert quotes == SENTENCES


def test_several_files_are_read_at_once_and_none_for_nothing(context: SearchContext) -> None:
    asked = [chunks(context, path)[0] for path in RULES]
    found = read(context, *asked)
    assert {path: said(file) for path, file in found.items()} == {
        path: lines_of(path) for path in RULES
    }
    assert {file.path for file in found.values()} == set(RULES)
    assert read(context) == {}


def test_a_file_that_the_index_does_not_have_has_no_lines(context: SearchContext) -> None:
    gone = replace(chunks(context, WIDE)[0], path="gone.md")
    assert read(context, gone) == {"gone.md": IndexedFile("gone.md", {}, ())}


def test_a_search_brings_the_files_of_its_passages(context: SearchContext) -> None:
    found = search(context, "What does a battle axe cost?")
    assert found.files.keys() == {hit.chunk.path for hit in found.hits}
    for hit in found.hits:
        entries = set(found.files[hit.chunk.path].entries)
        parts = [one.entry for one in hit.evidence if one.entry.kind != "whole"]
        assert {(one.first_line, one.quote) for one in parts} <= {
            (one.first_line, one.quote) for one in entries
        }


def _numbers(file: IndexedFile) -> set[int]:
    return set(file.lines)


def _holds(file: IndexedFile, first: int, last: int) -> bool:
    wanted = {number for number in lines_of(file.path) if first <= number <= last}
    return wanted <= _numbers(file)


def _inside(entries: tuple[Entry, ...], file: IndexedFile) -> bool:
    return all(one.first_line in file.lines and one.last_line in file.lines for one in entries)
