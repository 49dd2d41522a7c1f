"""Ask for the cells of a table: what its column says of what its row is called."""

import re
from collections.abc import Iterator, Sequence

from evals.drafting import english
from evals.drafting.from_sentence import Asked

_SORTS = re.compile(  # heads of a first column that are said with the name: "the Team plan"
    r"\b(?:category|class|code|event|field|form|format|grade|group|kind|level|mode|model|option|"
    r"parameter|plan|region|role|setting|stage|status|tier|type|zone)$"
)
_TIME = re.compile(r"\b(?:second|minute|hour|day|night|week|month|year)s?\b")
_NUMBER = re.compile(r"^[\d.,]+(?: ?[–-] ?[\d.,]+)?$")
_AMOUNT = re.compile(r"[€$£]?\d[\d.,]*(?: ?(?:%|euros?|EUR|USD|GBP|€)(?: .*)?)?$")
_PRICE = re.compile(r"(?:amount|price|cost|fee|charge|rate)$", re.IGNORECASE)
_ASKS = re.compile(r"(?:What|Who|How|When|Where|Which|Why)\b")
_PARTICIPLE = re.compile(r"(?:\w+ed|\w+ing|kept|paid|sent|made|given|sold|held|taken|worn|done)\b")
# Columns that are no noun that a thing has: "If not solved", "Tell us", "Offered with".
_NO_NOUN = re.compile(
    r"^(?:notes?|remarks?|comments?|examples?|details?|meaning|description|#|no\.?|value|what|"
    r"rule|default|type|required|live|first|second|third|last|number|upper|lower|max|min|every|each|"
    r"per|for|within|valid|done|open|closed)$|[,;:?]|\b(?:to|with|by|at|in|on|of|from|than|after|us|you|we|"
    r"they|me|is|are|if|when|can|may|must|not)$|^(?:if|when|you|we|they|may|can|must|not|tell|in|"
    r"on|at|to|from|with|without|after|before)\b",
    re.IGNORECASE,
)
_NO_ROW = re.compile(
    r"(?:all|others?|else\w*|any|none|over|up|under|outside|inside|home|abroad|more|less|each)\b|\d"
)
_RANGE = re.compile(r"(?:over|up to|under|more than|less than|below|above)\b|\d")
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
    named = sum(head in names for head in heads[1:]) > 1
    about = _about(heads[0], label, names, is_code=is_code)
    for head, cell in zip(heads[1:], cells[1:], strict=False):
        if not head or not re.search(r"\w", cell):
            continue
        if named or not heads[0]:
            asked = _crossed(head, english.inside(label, names), cell, names, named=named)
        elif column := _column(english.inside(head, names), about, cell):
            inside = english.inside(label, names)
            ranged = _RANGE.match(inside) and not _ASKS.match(heads[0])
            alone = f"{heads[0]} {inside}" if ranged else label
            asked = f"{column} for {about}" if about else f"{alone}: {column}"
        else:
            asked = _odd_column(english.inside(head, names), about, cell)
        if asked and not english.points_elsewhere(asked):
            yield Asked(f"{asked[0].upper()}{asked[1:]}?", cell)


def _about(first: str, label: str, names: frozenset[str], *, is_code: bool) -> str:
    """What a row is about as part of a question; "" where only "Label: …" can say it."""
    kind, about = english.inside(first, names), english.inside(label, names)
    if _NUMBER.match(label):
        return "" if _ASKS.match(first) else f"{kind} {label}"
    sort = _SORTS.search(kind)
    if sort and (is_code or label[0].isupper()):
        return f"the {label} {sort[0]}" if sort[0] not in label.lower() else f"the {label}"
    if is_code:
        return label
    if _NO_NOUN.search(about) or _NO_ROW.match(about) or not about.split(" ")[0].islower():
        return ""
    plain = about.replace(" ", "").replace("-", "").isalpha() and len(about.split()) < 6
    return about if english.plural(about) else english.with_article("a", about) if plain else ""


def _column(column: str, about: str, cell: str) -> str:
    """What is asked of a column that is a noun: "which plans are there"; "" for another."""
    first, *rest = column.split(" ")
    words, _, last = column.rpartition(" ")
    acting = english.is_verb(last) and (not words or _is_doer(words))
    verbal = acting or _PARTICIPLE.match(column)
    if verbal or any(english.base(word) for word in (first, *rest[:-1])) or cell in {"yes", "no"}:
        return ""
    if column.isupper() or _NO_NOUN.search(column) or _ASKS.match(column.capitalize()):
        return ""
    if column.endswith((" for", " within", " every")) or (_PRICE.match(column) and about):
        return ""
    if english.plural(column):
        return f"{'how many' if _NUMBER.match(cell) else 'which'} {column} are there"
    return f"what is {english.with_article('the', column)}"


def _is_doer(words: str) -> bool:
    return " " not in words and english.plural(words)


def _odd_column(column: str, about: str, cell: str) -> str:
    """What is asked of "Kept for", "Report within", "Update every", "What happens", "Price"."""
    words, _, last = column.rpartition(" ")
    first, _, rest = column.partition(" ")
    be = "are" if english.plural(about) else "is"
    if not about:
        return ""
    if english.is_verb(last) and _is_doer(words):
        return f"what do {words} {last} for {about}"
    if _PRICE.match(column):
        return f"how much {be} {about}"
    if column.startswith("what ") and re.match(r"(?:day|date) \d", about):
        return f"{column} on {about}"
    if cell in {"yes", "no"} and english.base(first):
        return f"does {about} {english.base(first)} {rest}"
    if not words or not _TIME.search(cell):
        return ""
    participle = _PARTICIPLE.match(words)
    if last == "for" and participle:
        return f"how long {be} {about} {words}"
    if last == "within":
        asks = f"{be} {about} {words}" if participle else f"do I have to {words} {about}"
        return f"how quickly {asks}"
    if last == "every" and not participle:
        return f"how often is there {english.with_article('a', words)} for {about}"
    return ""


def _crossed(head: str, about: str, cell: str, names: frozenset[str], *, named: bool) -> str:
    """A table whose rows and columns both name things: what one is for the other."""
    thing = english.inside(head, names)
    if _PRICE.match(thing):
        return f"how much is {english.with_article('the', about)}"
    who = head if named else english.with_article("a", thing)
    first, _, rest = about.partition(" ")
    if first in {"may", "can"}:
        return f"can {who} {rest}"
    verb = english.base(first)
    if verb and cell in {"yes", "no"}:
        return f"does {who} {verb} {rest}"
    if verb or cell in {"yes", "no"} or _NO_ROW.match(thing):
        return ""
    if english.plural(about):
        many = _NUMBER.match(cell)
        return (
            f"how many {about} are there for {who}" if many else f"what are the {about} for {who}"
        )
    asks = "how much" if _AMOUNT.match(cell) else "what"
    return f"{asks} is {english.with_article('the', about)} for {who}"
