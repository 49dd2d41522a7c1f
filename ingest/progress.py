"""Show progress of long work on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from typing import Any, TextIO

from tqdm import tqdm

_STEP = 10  # percent between two plain lines


class Meter:
    """A context for progress; what it has drawn is finished when it closes."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._shown = 0

    def __enter__(self) -> "Meter":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, what: str, done: int, total: int) -> None:
        """Show that `done` of `total` are finished."""
        if sys.stderr.isatty():
            bar = self._bar or tqdm(total=total, desc=what, unit="text", file=sys.stderr)
            bar.update(done - bar.n)
            self._bar = bar
        elif (percent := 100 * done // total) >= self._shown + _STEP:
            self._shown = percent - percent % _STEP
            print(f"{what}: {done:,} of {total:,}", file=sys.stderr, flush=True)

    def say(self, line: str) -> None:
        """Print a line above the bar, where one is drawn; any thread may."""
        tqdm.write(line, file=sys.stderr)


def say(what: str, stream: TextIO) -> None:
    """Print a line with the time of day, of a program that runs for days."""
    print(f"{time.strftime('%H:%M:%S')} {what}", file=stream, flush=True)
