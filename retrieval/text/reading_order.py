"""The order in which a reader expects the files of a vault."""

import re

_NUMBER = re.compile(r"(\d+)")


def reading_order(path: str) -> tuple[object, ...]:
    """Return what a path is sorted by: files before folders, and 2 before 10.

    `Magic` and `magic` are two folders where the vault was read, so neither stands within the
    other.
    """
    *above, name = path.split("/")
    return (*((1, _natural(part), part) for part in above), (0, _natural(name), name))


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    parts = _NUMBER.split(text.lower())
    return tuple((0, int(p), "") if p.isdecimal() else (1, 0, p) for p in parts if p)
