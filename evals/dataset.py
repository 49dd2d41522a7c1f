"""Read questions with their gold lines: our own format and the two that people bring along."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from retrieval.errors import DatasetError

ANSWERABLE = ("prose", "table", "list", "spell", "monster", "exception", "multi", "paraphrase")
UNANSWERABLE = ("offtopic", "nearmiss", "falsepremise", "edition")
SPLITS = ("calibration", "gate")
_FIELDS = {
    "id", "question", "kind", "answer", "gold", "alt", "history", "split", "critical",
    "must_include", "must_not_include", "why_unanswerable", "absent",
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
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error
    rows = _foreign(path, text) if text.lstrip().startswith("[") else _lines(path, text)
    if not rows:
        raise DatasetError(f"{path}: holds no questions, so nothing can be measured")
    questions = [_question(path, line, row) for line, row in rows]
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


def _lines(path: Path, text: str) -> list[tuple[int, Mapping[str, Any]]]:
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            rows.append((number, _json(f"{path}:{number}", line)))
    return rows


def _foreign(path: Path, text: str) -> list[tuple[int, Mapping[str, Any]]]:
    return [
        (number, _foreign_row(f"{path}: question {number}", f"q{number}", row))
        for number, row in enumerate(_json(str(path), text), start=1)
    ]


def _foreign_row(where: str, name: str, row: object) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise DatasetError(f"{where}: is {row!r}, not an object")
    common = {"id": name, "kind": "prose"}
    if "expectedChunkSubstring" in row:
        source = _text(where, row, "source").removeprefix("vault/")
        gold = {"path": source, "quote": _text(where, row, "expectedChunkSubstring")}
        return {**common, "question": _text(where, row, "question"), "gold": [gold]}
    if "relevant_doc_ids" in row:
        golds = [{"path": p, "quote": ""} for p in _texts(where, row, "relevant_doc_ids")]
        forbidden = _texts(where, row, "irrelevant_doc_ids")
        asked = _text(where, row, "query")
        return {**common, "question": asked, "gold": golds, "forbidden": forbidden}
    raise DatasetError(f"{where}: has neither expectedChunkSubstring nor relevant_doc_ids")


def _question(path: Path, line: int, row: Mapping[str, Any]) -> Question:
    where = f"{path}:{line}"
    if not isinstance(row, dict):
        raise DatasetError(f"{where}: is {row!r}, not an object")
    unknown = sorted(set(row) - _FIELDS - {"forbidden"})
    if unknown:
        raise DatasetError(f"{where}: unknown fields {unknown}; known are {sorted(_FIELDS)}")
    kind = _text(where, row, "kind")
    if kind not in ANSWERABLE + UNANSWERABLE:
        raise DatasetError(f"{where}: kind {kind!r} is none of {ANSWERABLE + UNANSWERABLE}")
    lists = [_list(where, row, "gold"), *_list(where, row, "alt")]
    places = tuple(_place(where, golds) for golds in lists if golds)
    asked = _text(where, row, "question")
    if bool(places) != (kind in ANSWERABLE):
        raise DatasetError(
            f"{where}: kind {kind!r} with {len(places)} places for the answer: {asked!r}"
        )
    if not asked.strip():
        raise DatasetError(f"{where}: the question is empty")
    return Question(
        line=line,
        id=_text(where, row, "id"),
        question=asked,
        kind=kind,
        answer=_optional(where, row, "answer"),
        places=places,
        split=_optional(where, row, "split"),
        critical=_flag(where, row, "critical"),
        must_include=_texts(where, row, "must_include"),
        must_not_include=_texts(where, row, "must_not_include"),
        why_unanswerable=_optional(where, row, "why_unanswerable"),
        absent=_texts(where, row, "absent"),
        history=_texts(where, row, "history"),
        forbidden=_texts(where, row, "forbidden"),
    )


def _place(where: str, golds: object) -> tuple[Gold, ...]:
    if not isinstance(golds, list):
        raise DatasetError(f"{where}: alt holds {golds!r}, not a list of golds")
    return tuple(_gold(where, gold) for gold in golds)


def _gold(where: str, gold: object) -> Gold:
    if not isinstance(gold, dict):
        raise DatasetError(f"{where}: gold is {gold!r}, not an object with path and quote")
    return Gold(_text(where, gold, "path"), _text(where, gold, "quote"))


def _json(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where}: is not JSON: {error}") from error


def _text(where: str, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise DatasetError(f"{where}: {name} is {value!r}, not a text")
    return value


def _list(where: str, row: Mapping[str, Any], name: str) -> list[object]:
    value = row.get(name)
    if value is not None and not isinstance(value, list | tuple):
        raise DatasetError(f"{where}: {name} is {value!r}, not a list")
    return list(value or ())


def _optional(where: str, row: Mapping[str, Any], name: str) -> str:
    return "" if row.get(name) is None else _text(where, row, name)


def _flag(where: str, row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name, False)
    if not isinstance(value, bool):
        raise DatasetError(f"{where}: {name} is {value!r}, not true or false")
    return value


def _texts(where: str, row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = _list(where, row, name)
    if not all(isinstance(value, str) for value in values):
        raise DatasetError(f"{where}: {name} is {values!r}, not a list of texts")
    return tuple(str(value) for value in values)
