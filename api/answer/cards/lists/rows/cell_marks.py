"""What a table's cells say of yes and no: words, ticks, dashes, blanks, and what is neither."""

import re
from collections.abc import Sequence

_NO = re.compile(
    r"(?:no|not|none|never|nothing|nil|n/a|forbidden|prohibited|banned|refused)\b(?! [^\W_])|"
    r"not (?:at all|needed|required|necessary|available|possible|found|included|covered|offered)\b|"
    r"[✗✘❌]|n$|[-–—]?$",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"[-–—]?")
_NOT_ALWAYS = re.compile(r"(?:no|not|none|never)\b", re.IGNORECASE)  # "not before 9:00"
_FOOTNOTE = re.compile(r"(?:[¹²³⁴⁵⁶⁷⁸⁹†‡]|\[\^\w{1,9}\]|<sup>\w{1,3}</sup>)$")
_LESSER = re.compile(r"[○◯◌]")  # beside a full mark: recommended, or in part
YES = re.compile(r"(?:yes|allowed|permitted|included)\b|[✓✔✅●]|[xy]$", re.IGNORECASE)
_CROSS = re.compile(r"x$", re.IGNORECASE)  # a yes, or beside a tick a no


def bare(cell: str) -> str:
    """Return a cell without the marks around it and the footnote's sign behind it."""
    return _FOOTNOTE.sub("", cell.strip("`* ")).strip()


def is_marked(cells: Sequence[str]) -> bool:
    """Tell whether some cells of a column say yes, and at least half of all either yes or no."""
    ticks = [cell for cell in cells if YES.match(cell) and not _CROSS.match(cell)]
    crosses = [cell for cell in cells if _CROSS.match(cell)]
    if ticks and crosses:
        return False
    plain = sum(bool(YES.match(c) or _NO.match(c) or _NOT_ALWAYS.match(c)) for c in cells)
    return bool(ticks or crosses) and 2 * plain >= len(cells)


def is_said(cells: Sequence[str], n: int, *, denied: bool) -> bool:
    """Tell whether a cell says no, where that is asked for; else whether it says anything else.

    What it says no to in part ("not before 9:00") is told of either way.
    """
    if denied and not cells[n] and any(cell and _NO.match(cell) for cell in cells):
        return False  # where others say no, a blank says nothing
    if denied:
        return bool(_NO.match(cells[n]) or _NOT_ALWAYS.match(cells[n]))
    return not _NO.match(cells[n]) and not _LESSER.match(cells[n])


def is_filled(cells: Sequence[str], *, in_words: bool = False) -> bool:
    """Tell whether some cells of a column are dashes or blank, and others have a value: a time.

    `in_words`: or say no; a deposit is "none" or "20 euros", a check "not needed" or of some kind.
    """
    empty = [cell for cell in cells if _EMPTY.fullmatch(cell)]
    without = [cell for cell in cells if _NO.match(cell) or _NOT_ALWAYS.match(cell)]
    is_plain = in_words or len(without) == len(empty)
    return 0 < len(without) < len(cells) and is_plain
