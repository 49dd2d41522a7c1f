"""Take claims out of a text, or put quotes in their place; all else stays as it is."""

import re
from collections.abc import Collection, Mapping, Sequence

from api.checks.claims import Claim
from api.checks.instead import Quote
from retrieval.text.line_marks import ITEM

_GAPS = re.compile(r"\n{3,}")


def rewritten(
    text: str, claims: Sequence[Claim], bad: Collection[int], quotes: Mapping[int, Quote]
) -> str:
    """Return a text with the quote of every claim of `bad` in its place, or nothing.

    A list keeps its form; the quotes of a table's rows stand behind the table.
    """
    shown = ""
    behind: list[str] = []  # quotes of rows
    at = 0
    for number, claim in enumerate(claims):
        gap, words = text[at : claim.start], text[claim.start : claim.end]
        at = claim.end
        row = words.lstrip().startswith("|")
        if behind and not row:
            shown, behind = _closed(shown, behind), []
        if claim.number not in bad:
            shown += (gap.lstrip(" ") if not shown or shown[-1].isspace() else gap) + words
            continue
        quote = quotes.get(claim.number)
        if quote and not row:
            shown += gap + quote.text
            continue
        behind += [quote.text] if quote else []
        following = text[at : claims[number + 1].start] if number + 1 < len(claims) else "\n"
        shown += _before(gap, alone="\n" in following)
    return _GAPS.sub("\n\n", _closed(shown, behind) + text[at:]).strip()


def _before(gap: str, *, alone: bool) -> str:
    """What stays of the characters before a claim that goes; `alone` is what has its own lines."""
    line = gap.rfind("\n")
    if line < 0:
        return "" if alone or not ITEM.fullmatch(gap) else gap
    return gap[:line] if alone else gap


def _closed(shown: str, quotes: Sequence[str]) -> str:
    return f"{shown}\n\n{' '.join(quotes)}" if quotes else shown
