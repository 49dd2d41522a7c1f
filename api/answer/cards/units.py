"""Units of one kind by their size, so that amounts in two of them can be compared."""

import re

from retrieval.vocabulary.terms import stems_of

FREE = re.compile(r"\W*free\W*", re.IGNORECASE)
_KINDS: tuple[dict[str, float], ...] = (
    {"second": 1, "minute": 60, "min": 60, "hour": 3600, "day": 86_400, "week": 604_800,
     "month": 2_592_000, "year": 31_536_000},
    {"cp": 1, "sp": 10, "ep": 50, "gp": 100, "pp": 500},
    {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000},
    {"inch": 1, "foot": 12, "yard": 36, "mile": 63_360},
    {"g": 1, "kg": 1_000}, {"oz": 1, "lb": 16, "pound": 16},
    {"kb": 1, "mb": 1e3, "gb": 1e6, "tb": 1e9},
)  # fmt: skip
# By the unit's stem: the number of its kind, and its size in the smallest of that kind.
SIZES = {stems_of(unit)[0]: (n, s) for n, kind in enumerate(_KINDS) for unit, s in kind.items()}
