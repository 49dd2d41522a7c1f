"""Read questions with their gold lines: our own format and the two that people bring along."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from evals.labels import fields
from retrieval.errors import DatasetError

ANSWERABLE = (
    "prose", "table", "list", "spell", "monster", "exception", "multi", "paraphrase",
    "keyword", "typo", "vague", "comparison", "two-part", "follow-up", "field",
)  # fmt: skip
UNANSWERABLE = ("offtopic", "nearmiss", "falsepremise", "edition", "small-talk", "language")
NO_SEARCH = ("small-talk", "language")  # kinds for which nothing is searched
SPLITS = ("calibration", "gate")
_FIELDS = {
    "id", "question", "kind", "answer", "gold", "alt", "history", "split", "critical",
    "must_include", "must_not_include", "why_unanswerable", "absent",
    "forbidden", "vault", "contradicted_by",
}  # fmt: skip


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
    contradicted_by: tuple[Gold, ...] = ()  # lines that a false premise is contradicted by

    @property
    def answerable(self) -> bool:
        """Whether the rules hold an answer."""
        return bool(self.places)


def load(path: Path) -> list[Question]:
    """Return the questions of a file in its order.

    Read are our JSONL, and JSON lists of `{"question", "expectedChunkSubstring", "source"}` or of
    `{"query", "relevant_doc_ids", "irrelevant_doc_ids"}`. Raises DatasetError naming file and
    line where it holds no questions or something else.
    """
    text = fields.content(path)
    foreign = text.lstrip().startswith("[")
    rows = list(_foreign(path, text) if foreign else fields.rows(path, text))
    if not rows:
        raise DatasetError(f"{path}: holds no questions, so nothing can be measured")
    questions = [_question(f"{path}:{line}", line, row) for _, line, row in rows]
    seen: dict[str, int] = {}
    for item in questions:
        if item.id in seen:
            where = f"{path}:{item.line}"
            raise DatasetError(f"{where}: the id {item.id!r} is that of line {seen[item.id]}, too")
        seen[item.id] = item.line
    return questions


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


def _foreign(path: Path, text: str) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    for number, row in enumerate(fields.parsed(str(path), text), start=1):
        where = f"{path}: question {number}"
        yield where, number, _foreign_row(where, f"q{number}", fields.an_object(where, row))


_COMMON = ("id", "kind", "critical", "split")  # of the formats that people bring along
_FOREIGN = {
    "expectedChunkSubstring": {"question", "expectedChunkSubstring", "source", *_COMMON},
    "relevant_doc_ids": {"query", "relevant_doc_ids", "irrelevant_doc_ids", *_COMMON},
}


def _foreign_row(where: str, name: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    for mark, known in _FOREIGN.items():
        if mark in row and (unknown := sorted(row.keys() - known)):
            raise DatasetError(f"{where}: unknown fields {unknown}; known are {sorted(known)}")
    given = {field: row[field] for field in _COMMON if field in row}
    common = {"id": name, "kind": "prose", **given}
    if "expectedChunkSubstring" in row:
        source = fields.text(where, row, "source").removeprefix("vault/")
        gold = {"path": source, "quote": fields.text(where, row, "expectedChunkSubstring")}
        return {**common, "question": fields.text(where, row, "question"), "gold": [gold]}
    if "relevant_doc_ids" in row:
        golds = [{"path": p, "quote": ""} for p in fields.texts(where, row, "relevant_doc_ids")]
        forbidden = fields.texts(where, row, "irrelevant_doc_ids")
        asked = fields.text(where, row, "query")
        return {**common, "question": asked, "gold": golds, "forbidden": forbidden}
    raise DatasetError(f"{where}: has neither expectedChunkSubstring nor relevant_doc_ids")


def _question(where: str, line: int, row: Mapping[str, Any]) -> Question:
    unknown = sorted(set(row) - _FIELDS)
    if unknown:
        raise DatasetError(f"{where}: unknown fields {unknown}; known are {sorted(_FIELDS)}")
    kind = fields.text(where, row, "kind")
    if kind not in ANSWERABLE + UNANSWERABLE:
        raise DatasetError(f"{where}: kind {kind!r} is none of {ANSWERABLE + UNANSWERABLE}")
    lists = [fields.array(where, row, "gold"), *fields.array(where, row, "alt")]
    places = tuple(_place(where, golds) for golds in lists if golds)
    asked = fields.text(where, row, "question")
    if bool(places) != (kind in ANSWERABLE):
        raise DatasetError(
            f"{where}: kind {kind!r} with {len(places)} places for the answer: {asked!r}"
        )
    if not asked.strip():
        raise DatasetError(f"{where}: the question is empty")
    return Question(
        line=line,
        id=fields.text(where, row, "id"),
        question=asked,
        kind=kind,
        answer=fields.optional(where, row, "answer"),
        places=places,
        split=fields.optional(where, row, "split"),
        critical=fields.flag(where, row, "critical"),
        must_include=fields.texts(where, row, "must_include"),
        must_not_include=fields.texts(where, row, "must_not_include"),
        why_unanswerable=fields.optional(where, row, "why_unanswerable"),
        absent=fields.texts(where, row, "absent"),
        history=fields.texts(where, row, "history"),
        forbidden=fields.texts(where, row, "forbidden"),
        vault=fields.optional(where, row, "vault"),
        contradicted_by=_place(where, row.get("contradicted_by") or []),
    )


def _place(where: str, golds: object) -> tuple[Gold, ...]:
    if not isinstance(golds, list):
        raise DatasetError(f"{where}: alt holds {golds!r}, not a list of golds")
    return tuple(_gold(where, gold) for gold in golds)


def _gold(where: str, gold: object) -> Gold:
    if not isinstance(gold, dict):
        raise DatasetError(f"{where}: gold is {gold!r}, not an object with path and quote")
    return Gold(fields.text(where, gold, "path"), fields.text(where, gold, "quote"))
