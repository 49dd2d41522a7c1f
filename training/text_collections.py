"""Read the training texts: each folder is a collection, with its questions and its entries.

The files go through the ingest of users' rules without their questions, so that what is trained on
is what is searched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.labels.training_questions import TrainingQuestion, without_questions
from ingest.chunking import document
from ingest.read import vault
from ingest.read.vault import SourceFile
from retrieval.encoder.bi_encoder import Embedder
from retrieval.errors import DatasetError
from retrieval.models import Entry

_SHOWN = 20  # faults of a message


@dataclass(frozen=True, slots=True)
class TrainingPlace:
    """An entry with the file it stands in; `chunk` numbers the chunks of a collection from 0."""

    path: str
    chunk: int
    entry: Entry


@dataclass(frozen=True, slots=True)
class Collection:
    """The texts of one folder: `files` with their questions, `places` of the texts alone."""

    name: str
    files: tuple[SourceFile, ...]
    asked: tuple[TrainingQuestion, ...]
    places: tuple[TrainingPlace, ...]
    gold: tuple[tuple[int, ...], ...]  # for each question the places that its line is in


def read(texts: Path, embedder: Embedder) -> list[Collection]:
    """Return the collections below `texts` by name; one entry at least answers each question.

    Raises DatasetError naming file and line of every question that is none, that no entry answers
    or that is too long for `embedder`, and naming files that an ingest would reject.
    """
    try:
        folders = [path for path in texts.iterdir() if path.is_dir() and path.name[0] != "."]
    except OSError as error:
        raise DatasetError(f"{texts}: cannot be listed: {error.strerror}; name a folder") from error
    faults: list[str] = []
    collections = [_collection(folder, embedder, faults) for folder in sorted(folders)]
    if faults:
        rest = len(faults) - _SHOWN
        more = [f"and {rest} more"] if rest > 0 else []
        raise DatasetError("\n".join([*faults[:_SHOWN], *more]))
    if not any(one.asked for one in collections):
        raise DatasetError(f"{texts}: no folder below it holds questions, lines with '?? '")
    return collections


def _collection(folder: Path, embedder: Embedder, faults: list[str]) -> Collection:
    """Read a folder; what is wrong in it is added to `faults`."""
    found = vault.read(folder)
    faults += [f"{folder}/{error}" for error in found.rejected]
    asked: list[TrainingQuestion] = []
    places: list[TrainingPlace] = []
    chunks = 0
    for file in found.files:
        text, questions, wrong = without_questions(file)
        asked += questions
        faults += [f"{folder / file.path}:{fault}" for fault in wrong]
        for item in document.index(
            text, entry_limit=embedder.limit - 2, count=embedder.tokens.count
        ):
            places += [TrainingPlace(file.path, chunks, entry) for entry in item.entries]
            chunks += 1
    gold = _gold(asked, places)
    lengths = embedder.tokens.counts([one.text for one in asked])
    for one, rows, length in zip(asked, gold, lengths, strict=True):
        what = f"{folder / one.path}:{one.line}: {one.text!r}"
        if all(places[row].entry.kind == "whole" for row in rows):
            faults.append(f"{what} stands below a line that no entry holds, such as a heading or "
                          "the head of a table; move it below its answer")  # fmt: skip
        if not 0 < length <= embedder.limit - 2:
            faults.append(f"{what} has {length} word pieces, not 1 to {embedder.limit - 2}")
    return Collection(folder.name, found.files, tuple(asked), tuple(places), gold)


def _gold(
    asked: Sequence[TrainingQuestion], places: Sequence[TrainingPlace]
) -> tuple[tuple[int, ...], ...]:
    rows: dict[tuple[str, int], list[int]] = {}
    for row, place in enumerate(places):
        for line in range(place.entry.first_line, place.entry.last_line + 1):
            rows.setdefault((place.path, line), []).append(row)
    return tuple(tuple(rows.get((one.path, one.answer), ())) for one in asked)
