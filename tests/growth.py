"""How the time of some work grows with its input, on a machine that has other work too."""

import gc
import time
from collections.abc import Callable

UNMEASURABLE = 0.05  # seconds; what doubles below this is lost in the machine's noise
TRIES = 6


def seconds(work: Callable[[], object]) -> float:
    """Return the processor's seconds for `work`, without those of a garbage collection in it."""
    gc.collect()
    gc.disable()
    try:
        started = time.process_time()
        work()
        return time.process_time() - started
    finally:
        gc.enable()


def ratio(work: Callable[[int], object], length: int) -> float:
    """Return how many times as long `work` takes for twice the `length`; 0.0 where both are quick.

    The least of some tries: a shared machine may stumble, what is quadratic takes 4 times as long
    again.
    """
    least = float("inf")
    for _ in range(TRIES):
        twice = seconds(lambda: work(2 * length))
        if twice < UNMEASURABLE:
            return 0.0
        least = min(least, twice / max(1e-9, seconds(lambda: work(length))))
        if least < 3:
            break
    return least
