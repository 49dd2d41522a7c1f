"""Show a training's progress on standard error: a bar on a terminal, plain lines elsewhere."""

import sys
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

_EVERY = 20  # steps between two plain lines
_BAR = "training {percentage:3.0f} %|{bar}|{postfix}"


@dataclass(frozen=True, slots=True)
class Report:
    """What one step leaves behind."""

    steps: int
    done: float  # of the whole training, 0 to 1
    loss: float  # smoothed
    speed: float  # `unit`s a second, of this run
    unit: str
    seconds: float  # of training

    def __str__(self) -> str:
        return f"loss {self.loss:.3f}, {self.speed:,.0f} {self.unit}/s, {self.seconds / 60:.1f} min"


class Meter:
    """A context for progress; the bar is finished when it closes."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None

    def __enter__(self) -> "Meter":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, report: Report) -> None:
        """Show a step; without a terminal every 20th and the last get a line."""
        if sys.stderr.isatty():
            bar = self._bar or tqdm(total=100.0, file=sys.stderr, bar_format=_BAR)
            self._bar = bar
            bar.set_postfix_str(f"step {report.steps:,}, {report}", refresh=False)
            bar.update(min(100.0, 100 * report.done) - bar.n)
        elif report.steps % _EVERY == 0 or report.done >= 1:
            say(f"step {report.steps:,} ({100 * report.done:.0f} %): {report}")


def say(line: str) -> None:
    """Print a line to standard error at once."""
    print(line, file=sys.stderr, flush=True)
