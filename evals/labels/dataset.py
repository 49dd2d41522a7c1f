"""Read questions with their gold lines: our own format and the two that people bring along."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import StrictBool

from evals.labels import fields
from evals.labels.fields import JsonRow
from retrieval.errors import DatasetError

ANSWERABLE = (
    "prose", "table", "list", "spell", "monster", "exception", "multi", "paraphrase",
    "keyword", "typo", "vague", "comparison", "two-part", "follow-up", "field",
)  # fmt: skip
UNANSWERABLE = ("offtopic", "nearmiss", "falsepremise", "edition", "small-talk", "language")
NO_SEARCH = ("small-talk", "language")  # kinds for which nothing is searched
SPLITS = ("calibration", "gate")
# What python -m evals.draft makes of a row.
Status = Literal["draft", "accepted", "rejected", "lacking"]
# Fields of a row that a question has not.
_NOT_ASKED = ("gold", "alt", "status", "nearest", "contradicted_by")


@dataclass(frozen=True, slots=True)
class Gold:
    """Lines that answer: `quote` stands in the file `path`. An empty quote: the whole file."""

    path: str
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its expected answer. Unanswerable ones have no places.

    `places` are equally good; of one place all golds are needed. `line` is where the question
    stands in its dataset, from 1.
    """

    line: int
    id: str
    question: str
    kind: str
    answer: str
    places: tuple[tuple[Gold, ...], ...]
    split: str
    critical: bool
    must_include: tuple[str, ...]
    must_not_include: tuple[str, ...]
    why_unanswerable: str
    absent: tuple[str, ...]
    history: tuple[str, ...]
    forbidden: tuple[str, ...]  # paths that must not be among the first three
    vault: str = ""  # which of several vaults it is about; "" where a dataset has but one

    @property
    def answerable(self) -> bool:
        """Whether the rules hold an answer."""
        return bool(self.places)

    @property
    def one_line(self) -> str:
        """The question as a line of a report shows it."""
        return " ".join(self.question.split())


class _Row(JsonRow):
    """A line of our own format."""

    id: str
    question: str
    kind: str
    answer: str = ""
    gold: tuple[Gold, ...] = ()
    alt: tuple[tuple[Gold, ...], ...] = ()
    history: tuple[str, ...] = ()
    split: str = ""
    critical: StrictBool = False
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    why_unanswerable: str = ""
    absent: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    vault: str = ""
    contradicted_by: tuple[Gold, ...] = ()  # lines that a false premise is contradicted by
    status: Status = "accepted"
    nearest: tuple[Gold, ...] = ()  # of a draft without gold: lines that may answer


class _Common(JsonRow):
    """What may stand in the formats that people bring along."""

    id: str = ""
    kind: str = "prose"
    split: str = ""
    critical: StrictBool = False
    status: Status = "accepted"


class _Substring(_Common):
    question: str
    expectedChunkSubstring: str  # as others write it
    source: str


class _Documents(_Common):
    query: str
    relevant_doc_ids: tuple[str, ...]
    irrelevant_doc_ids: tuple[str, ...] = ()


def load(path: Path) -> list[Question]:
    """Return the questions of a file in its order, drafts and rejected ones left out.

    Read are our JSONL, and JSON lists of `{"question", "expectedChunkSubstring", "source"}` or of
    `{"query", "relevant_doc_ids", "irrelevant_doc_ids"}`. Raises DatasetError naming file and
    line where it holds no accepted questions or something else.
    """
    rows = _rows(path)
    if not rows:
        raise DatasetError(f"{path}: holds no questions, so nothing can be measured")
    seen: dict[str, int] = {}
    for line, row in rows:
        if row.id in seen:
            where = f"{path}:{line}"
            raise DatasetError(f"{where}: the id {row.id!r} is that of line {seen[row.id]}, too")
        seen[row.id] = line
    accepted = [(line, row) for line, row in rows if row.status == "accepted"]
    questions = [_question(f"{path}:{line}", line, row) for line, row in accepted]
    if not questions:
        raise DatasetError(
            f"{path}: none of its {len(rows)} questions is accepted, so nothing can be measured; "
            f"run: python -m evals.draft --review {path}"
        )
    return questions


def left_out(path: Path) -> Counter[str]:
    """Return how many rows of a file `load` leaves out, by status. Raises as it does."""
    return Counter(row.status for _, row in _rows(path) if row.status != "accepted")


def known(path: Path) -> set[str]:
    """Return the ids and the questions of a file's rows, of whatever status. Raises as `load`."""
    return {text for _, row in _rows(path) for text in (row.id, row.question)}


def resolved(questions: Sequence[Question], paths: Collection[str]) -> list[Question]:
    """Return the questions with the files that they name as a whole by their paths in a vault.

    Such a name is a path, a path without its suffix, or a file's name without folder and suffix.
    One that fits no file stays as it is. Raises DatasetError where one fits several files.
    """
    return [
        replace(
            question,
            places=tuple(
                tuple(
                    gold if gold.quote else replace(gold, path=_file(question, gold.path, paths))
                    for gold in golds
                )
                for golds in question.places
            ),
            forbidden=tuple(_file(question, name, paths) for name in question.forbidden),
        )
        for question in questions
    ]


def _file(question: Question, name: str, paths: Collection[str]) -> str:
    if name in paths:
        return name
    found = [path for path in paths if str(PurePosixPath(path).with_suffix("")) == name]
    found = found or [path for path in paths if PurePosixPath(path).stem == name]
    if len(found) > 1:
        raise DatasetError(
            f"{question.id} ({question.question!r}): {name!r} fits {sorted(found)}; "
            "name one of them by its path"
        )
    return found[0] if found else name


def _rows(path: Path) -> list[tuple[int, _Row]]:
    text = fields.content(path)
    listed = text.lstrip().startswith("[")
    return list(_listed(path, text) if listed else fields.rows(path, _Row))


def _listed(path: Path, text: str) -> Iterator[tuple[int, _Row]]:
    for number, data in enumerate(fields.parsed(str(path), text), start=1):
        where = f"{path}: question {number}"
        given = data if isinstance(data, dict) else {}
        made: dict[str, object]
        if "expectedChunkSubstring" in given:
            one = fields.row(where, _Substring, data)
            gold = {"path": one.source.removeprefix("vault/"), "quote": one.expectedChunkSubstring}
            made = {"question": one.question, "gold": [gold]}
            common: _Common = one
        elif "relevant_doc_ids" in given:
            two = fields.row(where, _Documents, data)
            golds = [{"path": name, "quote": ""} for name in two.relevant_doc_ids]
            made = {"question": two.query, "gold": golds, "forbidden": two.irrelevant_doc_ids}
            common = two
        else:
            raise DatasetError(f"{where}: has neither expectedChunkSubstring nor relevant_doc_ids")
        made |= {"id": common.id or f"q{number}", "kind": common.kind}
        made |= {"split": common.split, "critical": common.critical, "status": common.status}
        yield number, fields.row(where, _Row, made)


def _question(where: str, line: int, row: _Row) -> Question:
    if row.kind not in ANSWERABLE + UNANSWERABLE:
        raise DatasetError(f"{where}: kind {row.kind!r} is none of {ANSWERABLE + UNANSWERABLE}")
    places = tuple(place for place in (row.gold, *row.alt) if place)
    if bool(places) != (row.kind in ANSWERABLE):
        raise DatasetError(
            f"{where}: kind {row.kind!r} with {len(places)} places for the answer: {row.question!r}"
        )
    if not row.question.strip():
        raise DatasetError(f"{where}: the question is empty")
    return Question(line=line, places=places, **{n: v for n, v in row if n not in _NOT_ASKED})
