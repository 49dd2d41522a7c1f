"""The names of days as tables shorten them: "Tue and Thu", "Sat"."""

import re
from collections.abc import Mapping
from types import MappingProxyType

# In capitals alone: "wed" and "sun" are words. "Sun" and "Sat" are days where nothing but a sign, a
# number or "and" stands behind them: "Sun cream" is none.
SHORT_DAY = re.compile(
    r"\b(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|(?:Sat|Sun)(?=\.?\s{0,9}(?:[|,;:&/\d–-]|$|and\b|or\b)))\b"
)
DAYS: Mapping[str, str] = MappingProxyType(
    {"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
     "Sat": "Saturday", "Sun": "Sunday"}
)  # fmt: skip  # by their first three letters
