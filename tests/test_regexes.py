"""Every regular expression takes a time in proportion to what it reads, whatever that is."""

import re
import time

import pytest

from tests import growth
from tests.found_regexes import Regex, characters, found

LENGTH = 50_000
# Seconds for a tenth of it: 12 million steps, if it is quadratic
UNSUSPICIOUS, HOPELESS = 0.02, 0.5
REGEXES, UNKNOWN = found()
# Built while a program of the evals runs, from our own questions; no rules, user or model get there
BUILT = {"evals/accuracy.py", "evals/anchors.py", "evals/spans.py"}


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
    for unit in units(regex):
        tenth = _spent(regex, unit, LENGTH // 10)
        if tenth > HOPELESS:
            return [f"{unit!r}: {tenth:.1f} s for {LENGTH // 10:,}"]
        if tenth <= UNSUSPICIOUS or _spent(regex, unit, LENGTH // 5) < 2.5 * tenth:
            continue
        ratio = _ratio(regex, unit, LENGTH // 10)  # at full length only what is in doubt
        if 2.5 <= ratio < 3:
            ratio = _ratio(regex, unit, LENGTH)
        if ratio >= 3:
            return [f"{unit!r}: {ratio:.1f} times as long"]
    return []


def _spent(regex: Regex, unit: str, length: int) -> float:
    started = time.process_time()
    use(regex, unit, length)
    return time.process_time() - started


def _ratio(regex: Regex, unit: str, length: int) -> float:
    return growth.ratio(lambda count: use(regex, unit, count), length)


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


def test_a_quadratic_expression_is_found_out() -> None:
    for pattern in (r"\s*x", r"[a-z]+:"):
        assert slow(Regex("here", re.compile(pattern), ""))
    assert not slow(Regex("here", re.compile(r"[a-z]+:"), "match"))
