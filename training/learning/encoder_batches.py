"""What the encoder sees in a step: questions, texts, and which text is whose.

Every text of a batch is a negative of every question that it does not answer, so a batch holds
lines of one collection: they are each other's hardest rivals.
"""

from dataclasses import dataclass
from random import Random

import torch

from training.learning.material import Line, nearer
from training.triples import Group

_QUESTIONS = 3  # of a line in one batch
_POOL = 4  # batches among which lines are sorted by length
_FEWEST = 4  # lines of a batch; fewer give no rivals
_WHOLE_NEGATIVES = 2


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a batch is."""

    lines: int = 14
    negatives: int = 3  # a line, besides the other lines' texts
    whole: float = 0.1  # share of batches with whole windows instead of entries


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions and texts. `answers[i]` is the text of question i."""

    questions: tuple[str, ...]
    texts: tuple[str, ...]  # without duplicates
    answers: torch.Tensor  # shape (questions,), int64
    also_right: torch.Tensor  # shape (questions, texts), bool: right as well, so no negatives


def epoch(lines: list[Line], sizes: Sizes, draw: Random) -> list[list[Line]]:
    """Return the lines in random batches of one collection and of similar lengths."""
    collections: dict[str, list[Line]] = {}
    for line in lines:
        collections.setdefault(line.collection, []).append(line)
    batches = []
    for _, members in sorted(collections.items()):
        draw.shuffle(members)
        pool = sizes.lines * _POOL
        for first in range(0, len(members), pool):
            near = sorted(members[first : first + pool], key=lambda line: len(line.text))
            cut = [near[at : at + sizes.lines] for at in range(0, len(near), sizes.lines)]
            batches += [batch for batch in cut if len(batch) >= _FEWEST]
    draw.shuffle(batches)
    return batches


def batch(lines: list[Line], sizes: Sizes, draw: Random) -> Batch:
    """Return up to three questions of each line, a text that answers them, and negatives."""
    whole = draw.random() < sizes.whole
    texts: dict[str, int] = {}  # its number
    questions: list[str] = []
    answers: list[int] = []
    right: list[set[str]] = []  # all the texts that answer a question
    for line in lines[: len(lines) // 2] if whole else lines:
        chosen = draw.sample(line.groups, min(_QUESTIONS, len(line.groups)))
        answer, negatives = _texts(chosen, sizes, draw, whole=whole)
        for text in (answer, *negatives):
            texts.setdefault(text, len(texts))
        questions += [group.question for group in chosen]
        answers += [texts[answer]] * len(chosen)
        right += [{*chosen[0].positives, *chosen[0].windows}] * len(chosen)
    also = torch.zeros(len(questions), len(texts), dtype=torch.bool)
    for row, known in enumerate(right):
        for text in known & texts.keys():
            also[row, texts[text]] = texts[text] != answers[row]
    return Batch(tuple(questions), tuple(texts), torch.tensor(answers), also)


def _texts(
    chosen: list[Group], sizes: Sizes, draw: Random, *, whole: bool
) -> tuple[str, list[str]]:
    """Return a text that answers the chosen questions of one line, and its negatives."""
    first = chosen[0]
    in_windows = whole and first.windows and first.window_negatives
    answer = draw.choice(first.windows if in_windows else first.positives)
    negatives: list[str] = []
    for group in chosen:
        if whole and group.windows and group.window_negatives:
            count = min(_WHOLE_NEGATIVES, len(group.window_negatives))
            negatives += draw.sample(group.window_negatives, count)
        else:
            negatives += nearer(group.negatives, sizes.negatives, draw)
    draw.shuffle(negatives)
    return answer, list(dict.fromkeys(negatives))[: _WHOLE_NEGATIVES if whole else sizes.negatives]
