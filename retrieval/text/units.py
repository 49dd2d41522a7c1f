"""Units of measure: how large each is, and which numbers of a text have one."""

import re

from retrieval.text.words import stem

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
SIZES = {stem(unit): (n, size) for n, kind in enumerate(_KINDS) for unit, size in kind.items()}
# What tables write for units: "20-39 min". "m" is none of them, nor "s" or "d".
WRITTEN = {
    "min": "minute", "mins": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "sec": "second",
    "secs": "second", "wk": "week", "wks": "week", "yr": "year", "yrs": "year", "ft": "foot",
}  # fmt: skip
# What a question may say in one of two units and a rule in the other.
_NEIGHBOURS = (
    ("week", "day"), ("day", "hour"), ("hour", "minute"), ("minute", "second"), ("year", "month"),
    ("month", "day"), ("yard", "foot"),
)  # fmt: skip
# So many of the smaller unit are one of the larger one. A month is thirty days, as a table has it,
# and twelve of them are a year: whole ones are counted.
FACTORS = {
    (stem(large), stem(small)): int(SIZES[stem(large)][1] // SIZES[stem(small)][1])
    for large, small in _NEIGHBOURS
}
MEASURES = frozenset(unit for pair in FACTORS for unit in pair)
# A figure with a unit that every reader knows: "60 feet".
AMOUNT = re.compile(
    r"(?<![\w.,])\d[\d.,]*+[ -]?(?:f(?:oo|ee)t|ft|inch(?:es)?|yards?|miles?|k?m|"
    r"(?:kilo)?met(?:er|re)s?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|kg|lbs?|pounds?|percent)\b",
    re.IGNORECASE,
)
