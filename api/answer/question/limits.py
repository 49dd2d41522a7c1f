"""What limits the things that are asked for: "under 20 gp", "more than 1d6 damage"."""

import math
import re
from dataclasses import replace
from typing import NamedTuple

from retrieval.text.normalize import searchable
from retrieval.text.quantities import Interval, intervals
from retrieval.vocabulary.terms import stems_of

_PRICE, _WEIGHT = "cost price fee charge amount wage pay", "weight"
_LENGTH, _REACH = "length duration time term range reach distance", "range reach distance"
_ROOM = "capacity places seats beds sleeps crew berths passengers persons"
_SPEED = "speed movement rate"
# Of what has more than so much: "wider than 2 m".
_COMPARATIVES = {
    "longer shorter": _LENGTH, "wider narrower broader": "width beam breadth",
    "deeper shallower": "depth draught draft", "taller higher lower": "height",
    "heavier lighter": _WEIGHT, "faster slower": _SPEED, "older younger": "age",
    "cheaper dearer pricier": _PRICE, "bigger larger smaller": "size length capacity area",
    "farther further": _REACH,
}  # fmt: skip
_FIGURE = r"[£$€]?\d[\d.,]{0,9}(?!\d|(?:st|nd|rd|th)\b)"
_COUNTED_UNIT = (
    rf"{_FIGURE}(?:(?:-| ?- ?| to | and ){_FIGURE})?"
    r"(?: ?[€%]| ?(?!(?:or|and|per|an?|in|on|at|to|for|of|than|with|without|that|which|no|"
    r"not|is|are|from|by|who|if|except|unless|but|plus)\b)[a-z]+)?"
)
_OR_MORE = (
    r" (?:or|and) (?:less|fewer|more|under|over|below|above|up(?! to)|higher|lower|cheaper|longer|"
    r"shorter|older|younger|heavier|lighter|faster|bigger|larger|smaller)\b"
)
_LIMITING = re.compile(
    r"\b(?:(?:less|fewer|more|[a-z]{3,}er) than|under|over|below|above|at most|at least|"
    r"(?<!level )(?<!levels )(?<!go )(?<!get )up to|"
    r"between|from|(?:within|inside|in under)"
    r"(?= \d+ (?:second|minute|hour|day|week|month|year)s?\b)|"
    r"(?P<spent>for|with)(?= [£$€\d]))(?: only| just)? "
    rf"(?:[a-z]+ )?{_COUNTED_UNIT}(?:{_OR_MORE})?|{_COUNTED_UNIT}(?: [a-z]+)?{_OR_MORE}",
    re.IGNORECASE,
)
_BUYS = re.compile(r"\b(?:buy|get|afford|have|hire|rent|spend)\b", re.IGNORECASE)
ONE_OF = re.compile(
    r"\b(?P<than>than|under|over|least|most|up to|within) (?:an?|one) "
    r"(?=(?:second|minute|hour|day|week|month|year|turn|round|mile|foot|yard|euro|dollar|pound)\b)",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"(?<![\w.,+-])(\d[\d.,]{0,9})\+(?= [a-z])", re.IGNORECASE)  # "10+ places"
_FURTHER = re.compile(r"\bfurther\b(?= than\b)", re.IGNORECASE)
_DICE = re.compile(
    r"\b(?P<than>(?P<more>more|greater|higher|better)|less|fewer|lower|worse|"
    r"(?P<least>at least)|at most)(?: than)? (?:an? )?"
    r"(?P<dice>\d{0,2}d\d{1,3}(?: ?\+ ?\d{1,3})?)\b",
    re.IGNORECASE,
)
_DICE_OR_MORE = re.compile(
    r"\b(?P<dice>\d{0,2}d\d{1,3}(?: ?\+ ?\d{1,3})?) (?:or|and) "
    r"(?:(?P<more>more|better|higher|up)|less|lower|fewer|worse)\b",
    re.IGNORECASE,
)
_ROLL = re.compile(r"\b(\d*)d(\d+)(?: ?\+ ?(\d+))?")
_MORE_OF = {
    word: frozenset(stems_of(fields))
    for words, fields in _COMPARATIVES.items()
    for word in words.split()
}
DICE = frozenset({"dice"})  # the unit of what is rolled
# A word that turns what follows in its clause: "that aren't over 10 gp".
_DENIED = re.compile(
    r"(?:n['’]t|\b(?:not|never|cannot|without))\b(?: [\w'’]+){0,2} ?$|\bno\W*$", re.IGNORECASE
)
AGED = re.compile(
    r"\b(?:(\d{1,3})[ -]?(?:(?:year|yr)[ -]?olds?|yo)\b|aged? (\d{1,3})\b)", re.IGNORECASE
)
_OF_WEIGHT = frozenset(stems_of("kg gram lb pound ounce stone tonne"))
MONEY = frozenset(stems_of("euro dollar pound franc gp sp cp ep pp gold silver")) | set("£$€")
PEOPLE = frozenset(stems_of("people persons person guests ppl adults players visitors seats"))


class Amount(NamedTuple):
    """From what to what is asked for, and how a question says it."""

    limit: Interval
    said: str
    denied: bool = False  # "do not weigh more than 30 coins": the limit is what is left

    @property
    def words(self) -> tuple[str, ...]:
        """How the limit is told to people."""
        return (*(("not",) if self.denied else ()), *self.said.split())

    @property
    def fields(self) -> frozenset[str]:
        """Stems of what a field may be called of which there is more: "longer than" a length.

        Of money ("under £80") a price, of kilograms a weight, of people room for them.
        """
        units = self.limit.units
        compared = _MORE_OF.get(self.said.lower().split(" ")[0], frozenset())
        if compared or not units:
            return compared
        kinds = ((MONEY, _PRICE), (_OF_WEIGHT, _WEIGHT), (PEOPLE, _ROOM))
        called = next((name for kind, name in kinds if units <= kind), "")
        return frozenset(stems_of(called))

    def holds(self, one: Interval, *, ignoring: frozenset[str] = frozenset()) -> bool:
        """Tell whether an interval meets the limit; one of another unit does not.

        The units `ignoring` count as none.
        """
        units = self.limit.units - ignoring
        same = not (units and one.units) or bool(units & one.units)
        return same and one.low <= self.limit.high and self.limit.low <= one.high


def highest(dice: str) -> float | None:
    """Return the most that the first dice of a text show: 9 of "2d4+1"; None without any."""
    found = _ROLL.search(dice)
    return float(int(found[1] or 1) * int(found[2]) + int(found[3] or 0)) if found else None


def _of_dice(question: str) -> Amount | None:
    """The limit of "more than d6 damage", or "1d8 or more": by the most that the dice show."""
    if (more := _DICE_OR_MORE.search(question)) and (most := highest(more["dice"].lower())):
        low, high = (most, math.inf) if more["more"] else (0.0, most)
        return Amount(Interval(low, high, DICE, high), more[0])
    found = _DICE.search(question)
    most = highest(found["dice"].lower()) if found else None
    if found is None or most is None:
        return None
    if found["more"]:
        low, high = math.nextafter(most, math.inf), math.inf
    elif found["least"]:
        low, high = most, math.inf
    else:
        is_most = found["than"].lower() == "at most"
        low, high = 0.0, most if is_most else math.nextafter(most, 0)
    return Amount(Interval(low, high, DICE, high), found[0])


def amount(question: str) -> Amount | None:
    """Return the amount that limits what is asked for: "under 20 gp", "from 3 to 5"; else None.

    "Longer than a year" is more than one.
    """
    question = counted(question)
    if of_dice := _of_dice(question):
        return of_dice
    found = _LIMITING.search(question)
    limit = next(intervals(found[0]), None) if found else None
    if found is None or limit is None:
        return None
    is_money = limit.units <= MONEY and (limit.units or _BUYS.search(question))
    if found["spent"] and is_money and not limit.is_range:
        limit = replace(limit, low=0.0)  # what can be had for it costs as much at most
    if not limit.is_range:
        return None
    if not _DENIED.search(question[: found.start()]):
        return Amount(limit, found[0])
    rest = limit.outside
    return Amount(rest, found[0], denied=True) if rest else None


def without(question: str, limited: Amount) -> str:
    """Return a question without its amount, the unit's words left."""
    unit = " ".join(sorted(limited.limit.units - DICE))
    return counted(question).replace(limited.said, unit)


def counted(question: str) -> str:
    """Return a question as amounts are read in it: "than a year" is "than 1 year"."""
    plain = _FURTHER.sub("farther", _AND_MORE.sub(r"at least \1", searchable(question)))
    return ONE_OF.sub(r"\g<than> 1 ", plain)
