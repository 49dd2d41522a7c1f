"""Answers of which the measure of faithfulness must know what they are: faithful, or invented."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.checks.passage_lines import Source
from evals.answers import claims
from retrieval.errors import DatasetError

FIXTURES = Path(__file__).parents[1] / "datasets" / "answers" / "faithfulness.jsonl"


@dataclass(frozen=True, slots=True)
class Fixture:
    """An answer over its passages, and whether it is faithful to them."""

    id: str
    question: str
    passages: tuple[Source, ...]
    answer: str
    faithful: bool


def load(path: Path = FIXTURES) -> list[Fixture]:
    """Return the fixtures of a file.

    Raises DatasetError naming file and line, and where one of the two sorts is missing: telling
    them apart is what they are for.
    """
    try:
        rows = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error
    found = [_fixture(f"{path}:{n}", row) for n, row in enumerate(rows, start=1) if row.strip()]
    if {one.faithful for one in found} != {True, False}:
        raise DatasetError(f"{path}: holds not both a faithful answer and a planted hallucination")
    return found


def score(fixture: Fixture) -> float:
    """Return the share, 0 to 1, of a fixture's claims that its passages support."""
    found = claims.of_text(fixture.answer)
    wrong = [bool(claims.fault(one, fixture.passages, fixture.question)) for one in found]
    return 1 - sum(wrong) / len(wrong)


def _fixture(where: str, line: str) -> Fixture:
    try:
        row: Any = json.loads(line)
        passages = tuple(
            Source(one["path"], one["heading"], one.get("context", ""), one["text"])
            for one in row["passages"]
        )
        made = Fixture(row["id"], row["question"], passages, row["answer"], row["faithful"])
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{where}: is no fixture: {type(error).__name__}: {error}") from error
    if not claims.of_text(made.answer) or not isinstance(made.faithful, bool):
        raise DatasetError(f"{where}: an answer with claims and faithful true or false is wanted")
    return made
