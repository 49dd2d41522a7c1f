"""A hand-marked set of claims, and how far a judge of claims agrees with it.

A judge that nobody measured is one more model that may be wrong. Its score is only as good as its
agreement here, so both are printed together.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.checks.passage_lines import Source
from retrieval.errors import DatasetError

MARKED = Path(__file__).parents[1] / "datasets" / "answers" / "judge.jsonl"
_FIELDS = ("id", "vault", "path", "heading", "passage", "claim", "supported", "why")


@dataclass(frozen=True, slots=True)
class Marked:
    """A claim with its passage and what a person says of it."""

    id: str
    passage: Source
    claim: str
    supported: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a judge did on marked claims. `unscored` are those that it gave no readable verdict of.

    `kappa` is None where it is not defined: nothing scored, or both always say the same one thing.
    """

    name: str
    scored: int
    agreed: int
    unscored: int
    kappa: float | None

    def __str__(self) -> str:
        kappa = "undefined" if self.kappa is None else f"{self.kappa:.2f}"
        share = f" = {self.agreed / self.scored:.2f}" if self.scored else ""
        return (
            f"{self.name} against {self.scored + self.unscored} hand-marked claims: agrees on "
            f"{self.agreed}/{self.scored}{share}, kappa {kappa}, unscored {self.unscored}"
        )


Supports = Callable[[str, Source], bool | None]  # a claim and its passage; None: no verdict


def load(path: Path = MARKED) -> list[Marked]:
    """Return the marked claims of a file. Raises DatasetError naming file and line."""
    try:
        rows = path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error
    found = [_marked(f"{path}:{n}", row) for n, row in enumerate(rows, start=1) if row.strip()]
    if not found:
        raise DatasetError(f"{path}: holds no claims, so no judge can be measured")
    return found


def measure(name: str, supports: Supports, marked: Sequence[Marked]) -> Agreement:
    """Ask a judge about every claim and return how far it agrees."""
    pairs = [(one.supported, supports(one.claim, one.passage)) for one in marked]
    scored = [(ours, theirs) for ours, theirs in pairs if theirs is not None]
    agreed = sum(ours == theirs for ours, theirs in scored)
    return Agreement(name, len(scored), agreed, len(pairs) - len(scored), kappa(scored))


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of two raters' verdicts, -1 to 1: agreement beyond that of chance.

    None where it is not defined: no pair, or chance alone agrees always.

    Source: Cohen, "A Coefficient of Agreement for Nominal Scales", Educational and Psychological
    Measurement 20 (1960).
    """
    if not pairs:
        return None
    n = len(pairs)
    first, second = sum(one for one, _ in pairs) / n, sum(two for _, two in pairs) / n
    chance = first * second + (1 - first) * (1 - second)
    agreed = sum(one == two for one, two in pairs) / n
    return (agreed - chance) / (1 - chance) if chance < 1 else None


def _marked(where: str, line: str) -> Marked:
    try:
        row: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where}: is not JSON: {error}") from error
    if not isinstance(row, dict) or sorted(row) != sorted(_FIELDS):
        raise DatasetError(f"{where}: is no object with exactly the fields {list(_FIELDS)}")
    if not isinstance(row["supported"], bool):
        raise DatasetError(f"{where}: supported is {row['supported']!r}, not true or false")
    passage = Source(str(row["path"]), str(row["heading"]), "", str(row["passage"]))
    return Marked(str(row["id"]), passage, str(row["claim"]), row["supported"])
