"""What the encoder learns: the right text must win by dense score, by MaxSim and by their sum."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

import torch
from torch.nn import functional

from retrieval.encoder.weights import ModelFiles
from training.learning import encoder_batches, held_out
from training.learning.encoder import Encoder, Scores, start_projection
from training.learning.encoder_batches import Sizes
from training.learning.loop import Loss, Rate, Task
from training.learning.material import Line

_START_TEXTS = 320  # whose word pieces the projection is fitted to at the start
_SHUT_OUT = -1e4  # the score of a text that is right as well


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the encoder is trained; found by trials on held out lines."""

    length: int = 112  # word pieces that are read of a text, special ones included
    dimension: int = 128  # of token vectors
    layers_rate: float = 8e-5  # learning rates at their peak
    layers_decay: float = 0.01
    projection_rate: float = 2.4e-4
    importance_rate: float = 1e-3
    scales_rate: float = 3e-3
    share: float = 0.5  # of what training changed in the layers that is kept, see `interpolate`
    sizes: Sizes = field(default_factory=Sizes)


def start(files: ModelFiles, recipe: Recipe, lines: Sequence[Line]) -> Encoder:
    """Return the base model with a head fitted to the texts of the first lines."""
    encoder = Encoder(files, length=recipe.length, dimension=recipe.dimension)
    start_projection(encoder, [line.text for line in lines[:_START_TEXTS]])
    return encoder


def task(encoder: Encoder, recipe: Recipe, lines: list[Line]) -> Task[list[Line]]:
    """Return the training of `encoder` on `lines`."""
    return Task(
        encoder,
        (
            Rate(encoder.layers(), recipe.layers_rate, recipe.layers_decay),
            Rate((encoder.projection.weight,), recipe.projection_rate),
            Rate((encoder.importance.weight,), recipe.importance_rate),
            Rate((encoder.log_scales,), recipe.scales_rate),
        ),
        partial(encoder_batches.epoch, lines, recipe.sizes),
        partial(_loss, encoder, recipe.sizes),
        "word pieces",
    )


@torch.no_grad()
def measure(encoder: Encoder, lines: Sequence[Line]) -> dict[str, dict[str, float] | None]:
    """Return for dense, late and sum how well held out lines are ranked; None without lines."""
    encoder.eval()
    ranks: dict[str, list[int]] = {"dense": [], "late": [], "sum": []}
    for asked in held_out.tasks(lines):
        found = encoder.scores(encoder.encode([asked.question]), encoder.encode(asked.texts))
        for name, scores in (("dense", found.dense), ("late", found.late), ("sum", found.total)):
            ranks[name].append(held_out.rank(scores[0]))
    encoder.train()
    return {name: held_out.summary(places) for name, places in ranks.items()}


def _loss(encoder: Encoder, sizes: Sizes, lines: list[Line], draw: Random) -> Loss:
    batch = encoder_batches.batch(lines, sizes, draw)
    questions, texts = encoder.encode(batch.questions), encoder.encode(batch.texts)
    found = encoder.scores(questions, texts)
    size = int(questions.inner.sum()) + int(texts.inner.sum())
    return Loss(_cost(encoder, found, batch), size)


def _cost(encoder: Encoder, found: Scores, batch: encoder_batches.Batch) -> torch.Tensor:
    scales = encoder.log_scales.exp()
    cost = torch.zeros(())
    for scores in (scales[0] * found.dense, scales[1] * found.late, found.total):
        logits = scores.masked_fill(batch.also_right, _SHUT_OUT)
        cost = cost + functional.cross_entropy(logits, batch.answers)
    return cost
