"""The names of days and months as tables shorten them: "Tue and Thu", "1 Oct".

"Sat", "sun", "mar" and "may" are words besides; "sat" and "sun" are days where others are written.
"""

from collections.abc import Mapping
from types import MappingProxyType

from retrieval.models import Name
from retrieval.vocabulary.terms import stemmed

_SHORT = {
    "monday": "mon", "tuesday": "tue tues", "wednesday": "wed weds", "thursday": "thu thur thurs",
    "friday": "fri", "january": "jan", "february": "feb", "april": "apr", "june": "jun",
    "july": "jul", "august": "aug", "september": "sep sept", "october": "oct", "november": "nov",
    "december": "dec",
}  # fmt: skip
NAMES: Mapping[str, Name] = MappingProxyType(
    {stemmed(one): (stemmed(name),) for name, short in _SHORT.items() for one in short.split()}
)
OF_WEEKEND: Mapping[str, Name] = MappingProxyType(
    {"sat": (stemmed("saturday"),), "sun": (stemmed("sunday"),)}
)
WEEKDAYS = frozenset(stemmed(one) for one in ["mon", "tue", "wed", "thu", "fri"])
