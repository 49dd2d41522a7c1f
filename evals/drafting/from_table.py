"""Ask for the cells of a table: what its column says of what its row is called."""

import re
from collections.abc import Iterator, Sequence

from evals.drafting import english
from evals.drafting.from_sentence import Asked

_SORTS = frozenset(  # heads of a first column that are said with the name: "the Team plan"
    "category class code event field form format grade group kind level mode model option "
    "parameter plan region role setting stage status tier type zone".split()
)
_TIME = re.compile(r"\b(?:second|minute|hour|day|night|week|month|year)s?\b")
_YES_NO = {"yes", "no"}
_ASKS = re.compile(r"^(?:What|Who|How|When|Where|Which|Why)\b", re.IGNORECASE)
_NUMBER = re.compile(r"^[\d.,]+(?: ?[–-] ?[\d.,]+)?$")
_AMOUNT = re.compile(r"^[€$£]?\d[\d.,]*(?: ?(?:%|euros?|EUR|USD|GBP|€)(?: .*)?)?$")
_OPEN = re.compile(r"\b(for|within|every)$", re.IGNORECASE)
_PRICE = re.compile(r"^(?:amount|price|cost|fee|charge|rate)$", re.IGNORECASE)
# Columns that are no noun that a thing has: "If not solved", "Tell us", "Paid monthly", "Live".
_NO_NOUN = re.compile(
    r"^(?:notes?|remarks?|comments?|examples?|details?|meaning|description|#|no\.?|value|what|"
    r"rule|default|type|required|live)$|[,;:?]|\b(?:to|with|by|at|in|on|of|from|after|us|you|we|"
    r"they|me|is|are|if|when|can|may|must|not)$|^(?:if|when|you|we|they|may|can|must|not|tell|in|"
    r"on|at|to|from|with|without|after|before)\b",
    re.IGNORECASE,
)
_NO_ROW = re.compile(
    r"(?:all|others?|else\w*|any|none|over|up|under|outside|inside|home|abroad|more|less|each)\b|\d"
)
_RANGE = re.compile(r"(?:over|up to|under|more than|less than|below|above)\b|\d")
_PARTICIPLES = {"kept", "paid", "sent", "made", "given", "sold", "held", "taken", "worn", "driven"}
_MOST_WORDS = 9  # of a row's name


def questions(
    heads: Sequence[str], cells: Sequence[str], names: frozenset[str], *, is_code: bool
) -> Iterator[Asked]:
    """Yield a question for each cell of a row behind its first; the answer is the cell.

    `is_code` says that the row is called by something that is typed, not said.
    """
    label = cells[0]
    if not label or len(label.split()) > _MOST_WORDS or ";" in label:
        return
    named = sum(head in names for head in heads[1:])
    crossed = not heads[0] or named > 1
    for head, cell in zip(heads[1:], cells[1:], strict=False):
        if not head or not any(character.isalnum() for character in cell):
            continue
        if crossed:
            asked = _crossed(head, label, cell, names, named > 1)
        else:
            about = _about(heads[0], label, names, is_code)
            asked = _asked(heads[0], head, label, cell, names, about)
        if asked and not english.points_elsewhere(asked):
            yield Asked(f"{english.opened(asked)}?", cell)


def _about(first: str, label: str, names: frozenset[str], is_code: bool) -> str:
    """What a row is about as part of a question; "" where only "Label: …" can say it."""
    kind = english.inside(first, names)
    if _NUMBER.match(label):
        return f"{kind} {label}"
    sort = kind.split(" ")[-1]
    if (is_code and len(kind.split()) == 1) or (sort in _SORTS and label[0].isupper()):
        return f"the {label} {sort}" if sort not in label.lower() else f"the {label}"
    about = english.inside(label, names)
    first = about.split(" ")[0]
    if _NO_NOUN.search(about) or _NO_ROW.match(about) or not first.islower():
        return ""
    if english.plural(about):
        return about
    plain = about.replace(" ", "").replace("-", "").isalpha()
    return english.with_a(about) if plain and len(about.split()) < 6 else ""


def _alone(first: str, label: str, names: frozenset[str]) -> str:
    """A row's name as a headline: "Length of flight over 9 hours"."""
    inside = english.inside(label, names)
    return f"{first} {inside}" if _RANGE.match(inside) and first else label


def _asked(first: str, head: str, label: str, cell: str, names: frozenset[str], about: str) -> str:
    column = english.inside(head, names)
    if _ASKS.match(head):
        return f"{column} on {about}" if re.match(r"(?:day|date) \d", about) else ""
    if match := _OPEN.search(column):
        return _open(column[: match.start()].strip(), match[1].lower(), about, cell)
    verb = english.base(head.split(" ")[0])
    if cell.lower() in _YES_NO:
        return f"does {about} {verb}{column[len(head.split(' ')[0]) :]}" if verb and about else ""
    if _NO_NOUN.search(head) or _participle(column) or _holds_verb(column):
        return ""
    if english.plural(column) and _NUMBER.match(cell):
        asks = f"how many {column} are there"
    elif _PRICE.match(head):
        asks = "how much is it"
    elif english.plural(column):
        asks = f"which {column} are there"
    else:
        asks = f"what is {english.with_the(column)}"
    if about and _PRICE.match(head):
        return f"how much is {about}"
    if about:
        return f"{asks} for {about}"
    return f"{_alone(first, label, names)}: {asks}"


def _holds_verb(column: str) -> bool:
    first, *rest = column.split(" ")
    return english.is_verb(first) and not rest or any(english.base(word) for word in rest[:-1])


def _participle(words: str) -> bool:
    first = words.split(" ")[0]
    return first.endswith(("ed", "ing")) or first in _PARTICIPLES


def _open(words: str, preposition: str, about: str, cell: str) -> str:
    """A column that ends in a preposition has its cells as its object: "Kept for | 30 days"."""
    if not words or not about or not _TIME.search(cell):
        return ""
    be = "are" if english.plural(about) else "is"
    participle = _participle(words)
    if preposition == "for":
        return f"how long {be} {about} {words}" if participle else ""
    if preposition == "within":
        return (f"how quickly {be} {about} {words}" if participle
                else f"how quickly do I have to {words} {about}")  # fmt: skip
    return "" if participle else f"how often is there {english.with_a(words)} for {about}"


def _crossed(head: str, label: str, cell: str, names: frozenset[str], is_name: bool) -> str:
    """A table whose rows and columns both name things: what one is for the other."""
    thing, about = english.inside(head, names), english.inside(label, names)
    if _PRICE.match(head):
        return f"how much is {english.with_the(about)}"
    who = head if is_name else english.with_a(thing) if thing[0].islower() else thing
    first, _, rest = about.partition(" ")
    if first in {"may", "can"}:
        return f"can {who} {rest}"
    verb = english.base(first)
    if cell.lower() in _YES_NO or verb or _NO_ROW.match(thing):
        return f"does {who} {verb} {rest}" if verb and cell.lower() in _YES_NO else ""
    if english.plural(about):
        asks = "how many" if _NUMBER.match(cell) else "what are the"
        return (
            f"{asks} {about} are there for {who}" if asks[0] == "h" else f"{asks} {about} for {who}"
        )
    asks = "how much" if _AMOUNT.match(cell) else "what"
    return f"{asks} is {english.with_the(about)} for {who}"
