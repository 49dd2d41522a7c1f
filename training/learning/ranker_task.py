"""What the cross-encoder learns: the text that answers before the hard negatives of its question.

Listwise cross-entropy orders a question's texts; a little binary cross-entropy keeps the scores of
different questions on one scale. Where there is a teacher, half of the listwise loss asks for its
order: Hinton et al., "Distilling the Knowledge in a Neural Network" (2015).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

import torch
from torch.nn import functional

from retrieval.encoder import weights
from retrieval.encoder.weights import ModelFiles
from training.learning import held_out
from training.learning.encoder import Encoder
from training.learning.loop import Loss, Rate, Task
from training.learning.material import Line, nearer
from training.learning.ranker import Ranker
from training.learning.teacher import Teacher

_POOL = 16  # batches among which lines are sorted by length
_ABSENT = -1e9  # the score of a text that a short group does not have
_LONGEST = 512  # word pieces that the base reads where its files do not say


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the cross-encoder is trained."""

    depth: int = 3  # layers of the base that are kept
    length: int = 128  # word pieces of question and text together
    lines: int = 6  # of a batch
    questions: int = 3  # of a line, at most, all in one batch
    negatives: int = 5  # of a question
    layers_rate: float = 5e-5  # learning rates at their peak
    layers_decay: float = 0.01
    head_rate: float = 1e-3
    binary: float = 0.3  # weight of the binary cross-entropy
    taught: float = 0.5  # share of the listwise loss that is a teacher's, where there is one


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of a question and a text, question after question; the first text of each answers."""

    pairs: tuple[tuple[str, str], ...]
    sizes: tuple[int, ...]  # pairs of each question


def task(
    ranker: Ranker, recipe: Recipe, lines: list[Line], teacher: Teacher | None = None
) -> Task[list[Line]]:
    """Return the training of `ranker` on `lines`; `teacher` is no part of what is trained."""
    return Task(
        ranker,
        (
            Rate(ranker.layers(), recipe.layers_rate, recipe.layers_decay),
            Rate(ranker.head(), recipe.head_rate),
        ),
        partial(epoch, lines, recipe),
        partial(_loss, ranker, recipe, teacher),
        "pairs",
    )


def epoch(lines: list[Line], recipe: Recipe, draw: Random) -> list[list[Line]]:
    """Return the lines in random batches of similar lengths."""
    mixed = draw.sample(lines, len(lines))
    batches = []
    for first in range(0, len(mixed), recipe.lines * _POOL):
        pool = mixed[first : first + recipe.lines * _POOL]
        near = sorted(pool, key=lambda line: len(line.text))
        batches += [near[at : at + recipe.lines] for at in range(0, len(near), recipe.lines)]
    draw.shuffle(batches)
    return batches


def batch(lines: list[Line], recipe: Recipe, draw: Random) -> Batch:
    """Return the questions of each line with a text that answers and five hard negatives."""
    pairs: list[tuple[str, str]] = []
    sizes = []
    for line in lines:
        chosen = draw.sample(line.groups, min(recipe.questions, len(line.groups)))
        answer = draw.choice(chosen[0].positives)
        for group in chosen:
            texts = [answer, *nearer(group.negatives, recipe.negatives, draw)]
            pairs += [(group.question, text) for text in texts]
            sizes.append(len(texts))
    return Batch(tuple(pairs), tuple(sizes))


def cost(
    scores: torch.Tensor,
    sizes: Sequence[int],
    recipe: Recipe,
    teacher: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the loss of `scores`, shape (sum of sizes,), as `Batch` orders them.

    `teacher` holds another's scores of the same pairs, whose softmax is a second target.
    """
    counts = torch.tensor(sizes)
    column = torch.arange(int(counts.max()))
    present = column[None] < counts[:, None]  # shape (questions, most texts)
    answers = torch.zeros(present.shape)
    answers[:, 0] = 1.0
    wanted = answers
    if teacher is not None:
        theirs = _table(teacher, present).softmax(-1)
        wanted = torch.lerp(answers, theirs, recipe.taught)
    listwise = functional.cross_entropy(_table(scores, present), wanted)
    each = functional.binary_cross_entropy_with_logits(scores, answers[present])
    return listwise + recipe.binary * each


def _table(scores: torch.Tensor, present: torch.Tensor) -> torch.Tensor:
    found = torch.full(present.shape, _ABSENT)
    found[present] = scores
    return found


@torch.no_grad()
def measure(
    ranker: Ranker, base: ModelFiles, lines: Sequence[Line]
) -> dict[str, dict[str, float] | None]:
    """Return how well the ranker and the base's cosine rank held out lines; None without lines."""
    encoder = Encoder(base, length=weights.max_tokens(base) or _LONGEST, dimension=1)
    encoder.eval()
    ranker.eval()
    ranks: dict[str, list[int]] = {"reranker": [], "base_cosine": []}
    for asked in held_out.tasks(lines):
        scores = ranker.scores([(asked.question, text) for text in asked.texts])
        vectors = encoder.encode([asked.question, *asked.texts]).vectors
        ranks["reranker"].append(held_out.rank(scores))
        ranks["base_cosine"].append(held_out.rank(vectors[1:] @ vectors[0]))
    ranker.train()
    return {name: held_out.summary(places) for name, places in ranks.items()}


def _loss(
    ranker: Ranker, recipe: Recipe, teacher: Teacher | None, lines: list[Line], draw: Random
) -> Loss:
    found = batch(lines, recipe, draw)
    scores = ranker.scores(found.pairs)
    theirs = None if teacher is None else teacher.scores(found.pairs)
    return Loss(cost(scores, found.sizes, recipe, theirs), len(found.pairs))
