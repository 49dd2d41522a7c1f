"""Measure a ranker on lines that were held out: the right text among hard negatives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

import torch

from training.learning.material import Line

_SEED = 1  # chooses the question of each line; equal for all rankers
_NEGATIVES = 20


@dataclass(frozen=True, slots=True)
class Task:
    """A question and the texts to rank; the first of them is right."""

    question: str
    texts: tuple[str, ...]


def tasks(lines: Sequence[Line]) -> list[Task]:
    """Return one question a line, with its positive and up to 20 of the nearest negatives."""
    draw = Random(_SEED)  # noqa: S311  # a choice of questions, no secret
    chosen = [draw.choice(line.groups) for line in lines]
    return [
        Task(group.question, (group.positives[0], *group.negatives[:_NEGATIVES]))
        for group in chosen
    ]


def rank(scores: torch.Tensor) -> int:
    """Return the rank of the first of `scores`, shape (texts,), from 1; ties count against it."""
    return 1 + int((scores[1:] >= scores[0]).sum())


def summary(ranks: Iterable[int]) -> dict[str, float] | None:
    """Return the mean reciprocal rank and the share of rank 1, both 0 to 1; None for no ranks."""
    found = list(ranks)
    if not found:
        return None
    mrr = sum(1 / place for place in found) / len(found)
    return {"mrr": round(mrr, 4), "first": round(found.count(1) / len(found), 4)}
