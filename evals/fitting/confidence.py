"""Fit the confidence in the first card, on several vaults: `evals.calibrate` calls `fit`.

The questions are the calibration splits of both sample vaults, labelled and typed, those of the
training texts (evals/datasets/subjects, evals/datasets/unanswerable), and of both `reworded` and
`lists`: answerable ones, words of the rules in another sense, near misses and false premises. Each
vault counts by its questions, the sample vault's twice. What is refused as off-topic anyway has no
part in it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from api.answer.cards import card_selection
from api.answer.question.intent import PLAIN
from evals.fitting import logistic_regression
from evals.labels import dataset
from evals.labels.dataset import NO_SEARCH, Question
from evals.labels.options import RULES, folder_named
from evals.labels.training_questions import TEXTS
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome, Subject
from evals.measure.shown import shown
from evals.reports import markdown
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.refusal import off_topic
from retrieval.refusal.confidence import Array, ConfidenceFit, features

NEAREST = 0.14  # of the answerable questions; the promise is 0.15, the rest is for the unseen
_TWICE = 2.0  # what a question of the sample vault counts beside one of another
_DATASETS = RULES.parent
_FURTHER = ("reworded", "lists")


@dataclass(frozen=True, slots=True)
class Example:
    """One question of a vault: what search says, and whether the first card is right."""

    vault: str
    kind: str
    answerable: bool
    features: Array
    right: bool


def sets() -> Iterator[tuple[str, Path, list[Question]]]:
    """Yield each vault's name, folder and questions; of training texts the folder of the texts."""
    for vault in ("rules", "handbook"):
        known = [q for name in (vault, "typed") for q in dataset.load(_DATASETS / f"{name}.jsonl")]
        own = [q for q in known if q.split == "calibration" and q.vault in ("", vault)]
        yield vault, folder_named(vault), [*own, *_further(vault)]
    for file in sorted((_DATASETS / "unanswerable").glob("*.jsonl")):
        answerable = dataset.load(_DATASETS / "subjects" / file.name)
        questions = [*answerable, *dataset.load(file), *_further(file.stem)]
        yield file.stem, TEXTS / file.stem, questions


def _further(vault: str) -> Iterator[Question]:
    """Rules in other words, and lists: what people ask without the rules' own words."""
    for folder in _FURTHER:
        file = _DATASETS / folder / f"{vault}.jsonl"
        known = dataset.load(file) if file.exists() else []
        yield from (question for question in known if question.split == "calibration")


def examples(
    context: SearchContext, vault: str, measured: Subject, questions: Sequence[Question]
) -> list[Example]:
    """Return what is known of a vault's questions, without those that are refused."""
    asked = [question for question in questions if question.kind not in NO_SEARCH]
    outcomes = evaluate(context, measured, asked)
    return [
        _example(vault, one)
        for one in outcomes
        if one.found.hits and not off_topic.refuses(one.found)
    ]


def fit(known: Sequence[Example]) -> ConfidenceFit:
    """Return the fit, its limit set so that NEAREST of the answerable questions are under it.

    Raises DatasetError where no answerable question is known.
    """
    answerable = [one for one in known if one.answerable]
    if not answerable:
        raise DatasetError("no answerable question is known, so no confidence can be fitted")
    made = _fitted(known)
    of_sample = [one for one in answerable if one.vault == "rules"] or answerable
    said = [made.probability(one.features) for one in of_sample]
    return replace(made, limit=round(logistic_regression.limit_for(said, NEAREST), 3))


def held_out(known: Sequence[Example]) -> list[tuple[Example, float]]:
    """Return each question with what a fit of the other vaults says of it."""
    found = []
    for vault in sorted({one.vault for one in known}):
        made = _fitted([one for one in known if one.vault != vault])
        found += [(one, made.probability(one.features)) for one in known if one.vault == vault]
    return found


def table(found: Iterable[tuple[Example, float]], limit: float) -> str:
    """Return as Markdown which shares are answered at a limit, by vault and kind."""
    rows = list(found)
    kinds = ["answerable", *sorted({one.kind for one, _ in rows if not one.answerable})]
    lines = [["vault", *kinds]]
    for vault in ("all", *sorted({one.vault for one, _ in rows})):
        cells = []
        for kind in kinds:
            group = [
                said >= limit
                for one, said in rows
                if vault in ("all", one.vault)
                and (one.answerable if kind == "answerable" else one.kind == kind)
            ]
            share = sum(group) / len(group) if group else float("nan")
            cells.append(f"{share:.2f} of {len(group)}")
        lines.append([vault, *cells])
    return "\n".join(markdown.table(lines))


def _fitted(known: Sequence[Example]) -> ConfidenceFit:
    return logistic_regression.fit(
        np.array([one.features for one in known]),
        np.array([float(one.right) for one in known]),
        np.array([_TWICE if one.vault == "rules" else 1.0 for one in known]),
    )


def _example(vault: str, one: Outcome) -> Example:
    if one.reply is None:
        raise AssertionError("an outcome of evaluate has its reply")
    right = False
    if one.question.answerable:
        cards = one.reply.cards or card_selection.choose(one.found, (), PLAIN)
        right = shown(one.question, replace(one.reply, cards=cards, certainty="nearest")).first
    typed = one.question.question
    return Example(
        vault, one.question.kind, one.question.answerable, features(one.found, typed), right
    )
