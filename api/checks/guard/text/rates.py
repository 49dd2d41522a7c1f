"""What a number is counted for: the day of "2 gp a day", the month of "Price per month"."""

import re

from api.checks.guard.text.facts import Fact
from retrieval.text.words import stem

_OPENERS = "per|an?|each|every"
_AFTER = re.compile(
    rf"(?: (?!(?:{_OPENERS}|and|or|for|in|on)\b)[a-z]+){{0,2}} (?:{_OPENERS}) ([a-z]{{3,}})",
    re.IGNORECASE,
)
_COLUMN = re.compile(rf"\b(?:{_OPENERS}) ([a-z]{{3,}})\b", re.IGNORECASE)


def after(fact: Fact, text: str) -> str:
    """Return the stem of what a fact of `text` is counted for: "day" in 2 gp a day; else ""."""
    found = _AFTER.match(text, fact.end)
    return stem(found[1]) if found else ""


def of_column(name: str) -> str:
    """Return the stem of what the numbers of a column are counted for; "" for none."""
    found = _COLUMN.search(name)
    return stem(found[1]) if found else ""
