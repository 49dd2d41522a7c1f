"""The loop of every training: draw, lose, step, report, and now and then save."""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Generic, TypeVar

import torch
import transformers
from torch import nn

from retrieval.errors import DatasetError
from training.learning.checkpoint import Checkpoint, Place, State
from training.learning.progress import Report, say
from training.learning.schedule import Plan

_CLIP = 1.0  # the longest gradient of the first parameters, the transformer's
_SMOOTH = 0.97
_Batch = TypeVar("_Batch")


@dataclass(frozen=True, slots=True)
class Rate:
    """Parameters that learn at one speed."""

    parameters: tuple[torch.Tensor, ...]
    peak: float  # the learning rate at its highest
    decay: float = 0.0  # of AdamW


@dataclass(frozen=True, slots=True)
class Loss:
    """What a batch costs, and how many `unit`s of its task it holds."""

    value: torch.Tensor
    size: int


@dataclass(frozen=True, slots=True)
class Task(Generic[_Batch]):
    """What is trained. All chance comes from the Random that the functions get."""

    module: nn.Module  # model and head; all that a checkpoint keeps
    rates: tuple[Rate, ...]  # the first is the transformer's, whose gradients are clipped
    epoch: Callable[[Random], list[_Batch]]  # the batches of one pass over the material
    loss: Callable[[_Batch, Random], Loss]
    unit: str  # what its speed is counted in: "word pieces"


@dataclass(slots=True)
class _Counts:
    """How far a training is; `size` and `run` are of this process alone."""

    steps: int = 0
    seconds: float = 0.0
    loss: float | None = None
    size: int = 0
    run: float = 0.0  # seconds

    def add(self, loss: float, size: int, seconds: float) -> float:
        self.loss = loss if self.loss is None else _SMOOTH * self.loss + (1 - _SMOOTH) * loss
        self.steps += 1
        self.seconds += seconds
        self.run += seconds
        self.size += size
        return self.loss


def prepare(seed: int) -> None:
    """Fix what torch draws and how many threads it sums with: equal runs, equal weights.

    The library's bars and its report of parameters that are not in the base are silenced.
    """
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.manual_seed(seed)
    torch.set_num_threads(min(8, os.cpu_count() or 1))


def steps_of(batches: float, epochs: float | None) -> int | None:
    """Return how many steps `epochs` of so many batches take; None for no such bound."""
    return None if epochs is None else math.ceil(batches * epochs)


def train(
    task: Task[_Batch],
    plan: Plan,
    checkpoint: Checkpoint,
    draw: Random,
    show: Callable[[Report], None],
) -> int:
    """Train until `plan` ends and return the number of steps, those before a stop included.

    A state in `checkpoint` is continued: the result is that of a training without a stop, where
    steps and not minutes end it. The last state stays until the caller clears it. Raises
    DatasetError where the material gives no batch, ConfigurationError for a state of another run.
    """
    optimizer = torch.optim.AdamW(
        [{"params": list(rate.parameters), "weight_decay": rate.decay} for rate in task.rates],
        lr=0.0,
    )
    counts = _Counts()
    start = _restore(task, optimizer, checkpoint.read(), counts)
    if (first := counts.steps) > 0:
        say(f"continuing after step {first:,}, from {checkpoint.path}")
    for place, batch in _endless(task.epoch, draw, start):
        over = plan.done(counts.steps, counts.seconds) >= 1
        if over or (counts.steps > first and counts.steps % checkpoint.every == 0):
            checkpoint.write(_state(task, optimizer, place, counts))
        if over:
            break
        started = perf_counter()
        factor = plan.factor(counts.steps, counts.seconds)
        value, size = _step(task, optimizer, factor, batch, draw)
        smooth = counts.add(value, size, perf_counter() - started)
        done = plan.done(counts.steps, counts.seconds)
        speed = counts.size / counts.run
        show(Report(counts.steps, done, smooth, speed, task.unit, counts.seconds))
    return counts.steps


def _step(
    task: Task[_Batch],
    optimizer: torch.optim.Optimizer,
    factor: float,
    batch: _Batch,
    draw: Random,
) -> tuple[float, int]:
    for group, rate in zip(optimizer.param_groups, task.rates, strict=True):
        group["lr"] = rate.peak * factor
    loss = task.loss(batch, draw)
    loss.value.backward()  # type: ignore[no-untyped-call]  # torch has no type for it
    nn.utils.clip_grad_norm_(task.rates[0].parameters, _CLIP)
    optimizer.step()
    optimizer.zero_grad()
    return float(loss.value.detach()), loss.size


def _endless(
    epoch: Callable[[Random], list[_Batch]], draw: Random, start: Place | None
) -> Iterator[tuple[Place, _Batch]]:
    """Yield batches of epoch after epoch, each with the place from which it comes again."""
    if start is not None:
        draw.setstate(start.epoch)
    while True:
        drawn = draw.getstate()
        batches = epoch(draw)
        if not batches:
            raise DatasetError("too few lines for one batch; give more groups")
        first = 0
        if start is not None:
            draw.setstate(start.now)
            first, start = start.batch, None
        for number in range(first, len(batches)):
            yield Place(drawn, number, draw.getstate()), batches[number]


def _state(
    task: Task[_Batch], optimizer: torch.optim.Optimizer, place: Place, counts: _Counts
) -> State:
    return State(
        task.module.state_dict(),
        optimizer.state_dict(),
        torch.get_rng_state(),
        place,
        counts.steps,
        counts.seconds,
        counts.loss,
    )


def _restore(
    task: Task[_Batch], optimizer: torch.optim.Optimizer, state: State | None, counts: _Counts
) -> Place | None:
    if state is None:
        return None
    task.module.load_state_dict(state.weights)
    optimizer.load_state_dict(state.optimizer)
    torch.set_rng_state(state.torch_random)
    counts.steps, counts.seconds, counts.loss = state.steps, state.seconds, state.loss
    return state.place
