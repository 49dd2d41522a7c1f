"""Answers and claims that people marked by hand: what guards, measures and judges are measured on.

A judge that nobody measured is one more model that may be wrong. Its score is only as good as its
agreement with people, so both are printed together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import StrictBool

from api.checks.passage_lines import Source
from evals.labels import fields
from evals.labels.fields import JsonRow
from retrieval.errors import DatasetError

_FOLDER = Path(__file__).parents[1] / "datasets" / "answers"
FIXTURES = _FOLDER / "faithfulness.jsonl"
CLAIMS = _FOLDER / "judge.jsonl"
GUARD = _FOLDER / "guard.jsonl"
GUARD_SPLITS = ("dev", "held")
NEW_SPLIT = "fresh"  # all of new.jsonl: never seen by whoever builds the guard
SIGNS = _FOLDER / "signs.jsonl"  # as chat models write; wrong in one number, unit, limit or modal
SIGNS_SPLIT = "signs"
PLANTED = "planted"  # the fault of every fixture that is not faithful


class _Passage(JsonRow):
    path: str
    heading: str
    text: str
    context: str = ""
    first_line: int = 0

    @property
    def source(self) -> Source:
        return Source(self.path, self.heading, self.context, self.text)


class _Answer(JsonRow):
    id: str
    question: str
    passages: tuple[_Passage, ...]
    answer: str


class _Fixture(_Answer):
    faithful: StrictBool


class _GuardAnswer(_Answer):
    split: Literal["dev", "held", "fresh", "signs"]
    vault: str
    right: StrictBool
    fault: str = ""
    proof: tuple[str, ...] = ()  # lines of the passages that say it, or that show the fault


class _Claim(JsonRow):
    id: str
    vault: str
    path: str
    heading: str
    passage: str
    claim: str
    supported: StrictBool
    why: str


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """An answer over its passages; `fault` is its kind, "" for a right one."""

    id: str
    question: str
    passages: tuple[Source, ...]
    answer: str
    fault: str


@dataclass(frozen=True, slots=True)
class MarkedClaim:
    """A claim with its passage and what a person says of it."""

    passage: Source
    claim: str
    supported: bool


def fixtures(path: Path = FIXTURES) -> list[MarkedAnswer]:
    """Return faithful answers and planted hallucinations, which a measure must tell apart.

    Raises DatasetError naming file and line, and where one of the two sorts is missing.
    """
    rows = fields.rows(path, _Fixture)
    return _both(path, "", [_made(row, "" if row.faithful else PLANTED) for _, row in rows])


def guard_answers(path: Path, split: str) -> list[MarkedAnswer]:
    """Return the guard's answers of a split.

    Raises DatasetError naming file and line, where right or wrong ones are missing, and where the
    proof of one is no line of its passages.
    """
    found = []
    for line, row in fields.rows(path, _GuardAnswer):
        if row.right == bool(row.fault):
            raise DatasetError(f"{path}:{line}: right {row.right!r}, fault {row.fault!r}: a fault "
                               "is wanted exactly where it is not right")  # fmt: skip
        for proof in row.proof:
            if not any(proof in passage.text.split("\n") for passage in row.passages):
                raise DatasetError(f"{path}:{line}: no passage has the line {proof!r}")
        if row.split == split:
            found.append(_made(row, row.fault))
    return _both(path, f"split {split!r} ", found)


def claims(path: Path = CLAIMS) -> list[MarkedClaim]:
    """Return the marked claims of a file. Raises DatasetError naming file and line."""
    found = [
        MarkedClaim(Source(row.path, row.heading, "", row.passage), row.claim, row.supported)
        for _, row in fields.rows(path, _Claim)
    ]
    if not found:
        raise DatasetError(f"{path}: holds no claims, so no judge can be measured")
    return found


def _made(row: _Answer, fault: str) -> MarkedAnswer:
    passages = tuple(passage.source for passage in row.passages)
    return MarkedAnswer(row.id, row.question, passages, row.answer, fault)


def _both(path: Path, which: str, found: list[MarkedAnswer]) -> list[MarkedAnswer]:
    if {bool(one.fault) for one in found} != {True, False}:
        raise DatasetError(f"{path}: {which}has not both right and wrong answers")
    return found


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


def agreement(
    name: str, supports: Callable[[str, Source], bool | None], marked: Sequence[MarkedClaim]
) -> Agreement:
    """Ask a judge about every claim (None: no verdict) and return how far it agrees."""
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
