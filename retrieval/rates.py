"""How much is allowed in which time: "60/m" and "2000/d", a minute and a day."""

import re
from typing import NamedTuple

from retrieval.errors import ConfigurationError

MINUTE, DAY = 60, 86_400  # seconds
_SECONDS = {"m": MINUTE, "d": DAY}
_RATE = re.compile(r"([1-9]\d{0,8})(?:/([md]))?")


class Rate(NamedTuple):
    """At most `most` in `seconds`."""

    most: int
    seconds: int


def read(text: object) -> tuple[Rate, ...]:
    """Return the rates of "60/m,2000/d", each unit once; a number alone is of a minute.

    Raises ConfigurationError for anything else.
    """
    rates: dict[int, Rate] = {}
    for part in str(text).replace(" ", "").split(","):
        found = _RATE.fullmatch(part)
        seconds = _SECONDS[found[2] or "m"] if found else 0
        if found is None or seconds in rates:
            raise ConfigurationError(f"{str(text)[:80]!r} is no rate; write 60/m, or 60/m,2000/d")
        rates[seconds] = Rate(int(found[1]), seconds)
    return tuple(rates[seconds] for seconds in sorted(rates))
