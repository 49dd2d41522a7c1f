"""What a question's superlative compares: "the cheapest boat", "which machine costs the most".

A word like "cheapest" says itself what is compared; what has "the most" or "the least" of something
is said behind that. English alone.
"""

import re
from typing import NamedTuple

from retrieval.vocabulary.terms import stems_of

# Of what is compared: names that its column may have, and kinds of units.
_FIELDS = {
    "price": ("cost price fee charge amount wage pay paid rate value worth", "coin money"),
    "duration": ("length duration time term period lasts keep wait notice", "second metre foot"),
    "time": ("length duration time term period lasts keep wait notice", "second"),
    "distance": ("range reach distance jump far", "metre foot"),
    "speed": ("speed movement move rate pace mv", "metre foot"),
    "weight": ("weight load mass heavy", "gram pound"),
    "age": ("age old born", "second"),
    "size": ("size length capacity area", "metre foot byte litre gallon"),
    "height": ("height tall high", "metre foot"),
    "depth": ("depth draught draft deep", "metre foot"),
    "width": ("width beam breadth wide", "metre foot"),
    "people": ("people person guest seat place capacity crew group sleep berth size", "people"),
}
# What a word of its own compares, and whether the highest is meant.
_OWN = {
    "cheapest": ("price", False), "least expensive": ("price", False),
    "lowest paid": ("price", False), "worst paid": ("price", False),
    "dearest": ("price", True), "priciest": ("price", True), "costliest": ("price", True),
    "most expensive": ("price", True), "most costly": ("price", True),
    "most valuable": ("price", True), "highest paid": ("price", True), "best paid": ("price", True),
    "heaviest": ("weight", True), "lightest": ("weight", False),
    "longest": ("duration", True), "shortest": ("duration", False),
    "farthest": ("distance", True), "furthest": ("distance", True),
    "fastest": ("speed", True), "slowest": ("speed", False), "quickest": ("speed", True),
    "soonest": ("duration", False),
    "oldest": ("age", True), "youngest": ("age", False), "tallest": ("height", True),
    "deepest": ("depth", True), "shallowest": ("depth", False), "widest": ("width", True),
    "narrowest": ("width", False), "biggest": ("size", True), "largest": ("size", True),
    "smallest": ("size", False),
}  # fmt: skip
# What is fast is over soon.
_ALSO = {
    "fastest": ("time", False),
    "quickest": ("time", False),
    "slowest": ("time", True),
}
_HIGHEST = frozenset({"most", "highest", "largest", "biggest", "greatest"})
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(_OWN, key=len, reverse=True))})\b", re.IGNORECASE)
# "What do most visitors pay" asks for no highest price.
_OF = re.compile(
    r"\b(?<!at )(?<!do )(?<!does )(?<!did )(?<!for )(?<!of )(?<!by )(?<!to )"
    r"(?P<degree>most|highest|largest|biggest|greatest|least|lowest|smallest|fewest)\b"
    r"(?: (?P<column>\w{2,}(?: \w{2,})?))?",
    re.IGNORECASE,
)
_OF_ANYTHING = frozenset({"duration", "size"})  # kinds of what may be long or big
_BEHIND = re.compile(r" (\w{2,}(?: \w{2,})?)")  # "longest range"
_HOW = re.compile(
    r"(?:often|likely|frequently|of|at|in|on|for|per|when|to|from|an?)\b", re.IGNORECASE
)
_COSTS = re.compile(r"\b(?:costs?|costing|prices?|pays?|charges?|spend)\b", re.IGNORECASE)
_PEOPLE = re.compile(r"(?:people|persons|guests)\b", re.IGNORECASE)
_RANK = re.compile(
    r"\b(second|third|fourth|fifth|sixth|last|next|\d{1,2}(?:st|nd|rd|th))[ -]"
    r"(?=most|least|\w{2,20}est\b)",
    re.IGNORECASE,
)
_PLACES = {"second": 1, "2nd": 1, "next": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3}


class Superlative(NamedTuple):
    """What a thing is to have most or least of, and how a question says it."""

    fields: frozenset[str]  # stems of the names that the field may have
    kinds: frozenset[str]  # of units, as in retrieval.text.units.SIZES; "money", "people"
    is_highest: bool
    said: str
    place: int = 0  # 1 of "the second cheapest"
    is_named: bool = False  # "the most carriers": a column has to be called so
    behind: str = ""  # what follows the word: of "the longest range" its field, else what has it

    @property
    def is_price(self) -> bool:
        """Whether prices are compared."""
        return "money" in self.kinds


def superlatives(question: str) -> tuple[Superlative, ...]:
    """Return what a question's superlative may compare, the likeliest first; none without one.

    "Best" and "worst" say nothing of what is compared, and "the last cheapest" counts from nowhere.
    """
    rank = _RANK.search(question)
    if rank and rank[1].lower() not in _PLACES:
        return ()
    place = _PLACES[rank[1].lower()] if rank else 0
    own, of = _WORDS.search(question), _OF.search(question)
    column = (of["column"] or "") if of else ""
    if own and not (of and column and own[0] == of["degree"]):
        word = own[0].lower()
        ways = [_OWN[word], *([_ALSO[word]] if word in _ALSO else [])]
        is_open = not _OF_ANYTHING.isdisjoint(kind for kind, _ in ways)
        behind = _BEHIND.match(question, own.end()) if is_open else None
        made = (_made([kind], "", own[0], high, place) for kind, high in ways)
        return tuple(one._replace(behind=behind[1] if behind else "") for one in made)
    if of:
        named = frozenset(stems_of(column))
        kinds = [kind for kind, (fields, _) in _FIELDS.items() if named & set(stems_of(fields))]
        if own:  # "the biggest boat" is of size, though "most" and "least" are of no kind
            kinds.append(_OWN[own[0].lower()][0])
        elif _COSTS.search(question):
            kinds.append("price")
        elif _PEOPLE.match(column):
            kinds.append("people")
        column = "" if _HOW.match(column) else column
        return (_made(kinds, column, of["degree"], of["degree"].lower() in _HIGHEST, place),)
    return ()


def alike(names: frozenset[str]) -> frozenset[str]:
    """Return the stems that are said of fields of these names: "reach" of a range."""
    groups = (frozenset(stems_of(fields)) for fields, _ in _FIELDS.values())
    return frozenset().union(*(group for group in groups if group & names))


def _made(kinds: list[str], column: str, said: str, is_highest: bool, place: int) -> Superlative:
    known = [_FIELDS[kind] for kind in kinds]
    fields = " ".join([column, *(fields for fields, _ in known)])
    units = " ".join(units for _, units in known)
    return Superlative(
        frozenset(stems_of(fields)),
        frozenset(units.split()),
        is_highest,
        said,
        place,
        is_named=bool(column),
    )
