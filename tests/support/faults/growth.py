"""How long some work takes beside other work, and how its time grows, on any machine.

No number here is a limit of seconds: what a fast machine does too soon to be measured, it is given
more of. The least time of some tries counts, for both sides in turn: what else the machine does
can only add.
"""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf, sqrt

MEASURABLE = 0.005  # seconds; what takes less is lost in the machine's noise
TRIES = 5
SURE = 2  # tries before a clear answer is taken

Work = Callable[[], object]


def seconds(work: Work) -> float:
    """Return the processor's seconds that this thread spends on `work`.

    Those of the process would be others' too: the APIs that a run's tests share are in it.
    """
    started = time.thread_time()
    work()
    return time.thread_time() - started


def ratio(work: Callable[[int], object], length: int) -> float:
    """Return how many times as long `work` takes for twice its input, of `length` or longer.

    The length is doubled until four times as much can be measured. Work in proportion to its input
    gives 2, quadratic work 4. It is the mean of two doublings: a stumble of the machine would have
    to double a time, again and again, to be taken for growth, or to hide it.
    """
    with _without_collections():
        while seconds(partial(work, 4 * length)) < MEASURABLE:
            length *= 2
        grown = _doubled(work, length, TRIES)
        if grown >= 3:  # a system asks more for a large piece of memory, but only once
            grown = min(grown, _doubled(work, 4 * length, 2))
    return grown


def times_as_long(work: Work, other: Work) -> float:
    """Return how many times as long `work` takes as `other`, which is repeated until it counts."""
    repeats = 1
    with _without_collections():
        while seconds(partial(_repeat, other, repeats)) < MEASURABLE:
            repeats *= 2
        turns = [(seconds(work), seconds(partial(_repeat, other, repeats))) for _ in range(SURE)]
    return repeats * min(one for one, _ in turns) / min(many for _, many in turns)


def _doubled(work: Callable[[int], object], length: int, tries: int) -> float:
    once = four_times = inf
    for tried in range(1, tries + 1):
        gc.collect()
        once = min(once, seconds(partial(work, length)))
        four_times = min(four_times, seconds(partial(work, 4 * length)))
        if tried >= SURE and not 9 * once < four_times < 12 * once:
            break
    return sqrt(four_times / once)


def _repeat(work: Work, times: int) -> None:
    for _ in range(times):
        work()


@contextmanager
def _without_collections() -> Iterator[None]:
    """Let no garbage collection fall into a time, and have our own look at new objects only."""
    gc.freeze()  # without a collection before: it takes longer than most of what is timed
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
