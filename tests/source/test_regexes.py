"""Every regular expression takes a time in proportion to what it reads, whatever that is."""

import re
import time
from collections.abc import Callable
from functools import partial
from itertools import product

import pytest

from tests.support.faults import growth
from tests.support.source.found_regexes import Regex, characters, found

LENGTHS = (300, 1_000)  # the first finds out at once what a long text would take hours for
TRIES = 3
REGEXES, UNKNOWN = found()
# Built while a program of the evals runs, from our own questions; no rules, user or model get there
BUILT = {"evals/accuracy.py", "evals/labels/quote_locations.py", "evals/measure/span_overlap.py"}


def units(regex: Regex) -> list[str]:
    """What to repeat: characters that the expression names or Markdown has, alone and in pairs."""
    alone = sorted(characters(regex.pattern) | set("a[| \n"))
    return alone + [a + b for a, b in zip(alone, alone[1:] + alone[:1], strict=True)]


def use(regex: Regex, unit: str, length: int) -> None:
    """Apply an expression as the packages do to a long text that ends otherwise than it began."""
    text = unit * (length // len(unit)) + "\x00"
    if regex.anchored:
        getattr(regex.pattern, regex.anchored)(text)
        return
    for _ in regex.pattern.finditer(text):
        pass


def slow(regex: Regex) -> list[str]:
    """The first unit of which twice as many take three times as long or longer, if there is one."""
    for unit, length in product(units(regex), LENGTHS):
        work = partial(use, regex, unit)
        if not suspicious(work, length):
            continue
        ratio = growth.ratio(work, length)
        if 2.4 <= ratio < 3:
            ratio = growth.ratio(work, 10 * length)  # much longer only what is in doubt
        elif ratio >= 3:  # what grows so at one length does at the next, a stumble does not
            ratio = min(ratio, growth.ratio(work, 2 * length))
        if ratio >= 3:
            return [f"{unit!r}: {ratio:.1f} times as long"]
    return []


def suspicious(work: Callable[[int], object], length: int) -> bool:
    """Whether four times as much takes over six times as long, however little time that is.

    This clears nearly every expression. The quadratic part of one that it should not clear is at
    4,000 signs millions of steps, which no machine hides behind the part in proportion. Of both
    the least of some tries counts: one that the machine halted says nothing.
    """
    once = min(growth.seconds(partial(work, length)) for _ in range(TRIES))
    return all(growth.seconds(partial(work, 4 * length)) > 6 * once for _ in range(TRIES))


@pytest.mark.proves("row 8")
@pytest.mark.parametrize("regex", REGEXES, ids=lambda regex: regex.place)
def test_twice_as_much_takes_less_than_three_times_as_long(regex: Regex) -> None:
    assert not slow(regex)


@pytest.mark.proves("row 8")
def test_every_expression_was_found() -> None:
    assert len(REGEXES) > 100
    assert UNKNOWN == BUILT
    assert {regex.place.split("/")[0] for regex in REGEXES} == {
        "api",
        "evals",
        "ingest",
        "retrieval",
    }


@pytest.mark.parametrize("source", [r"\s*x", r"[a-z]+:"])
@pytest.mark.parametrize("speed", [0.2, 5])
def test_a_quadratic_expression_is_found_out(
    source: str, speed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_on_another_machine(monkeypatch, speed)
    assert slow(Regex("here", re.compile(source), ""))


@pytest.mark.parametrize("speed", [0.2, 5])
def test_an_expression_that_begins_once_is_not(
    speed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_on_another_machine(monkeypatch, speed)
    assert not slow(Regex("here", re.compile(r"[a-z]+:"), "match"))


def as_on_another_machine(monkeypatch: pytest.MonkeyPatch, speed: float) -> None:
    """Let all work seem to take the processor's time of a machine that is so many times as fast."""
    clock = time.thread_time
    monkeypatch.setattr(time, "thread_time", lambda: clock() / speed)
