"""Ask for the cells of a table: what its column says of what its row is called."""

import re
from collections.abc import Iterator, Sequence

from evals.drafting import english
from evals.drafting.from_sentence import Asked

_SORTS = frozenset(  # heads of a first column that are said with the name: "the Team plan"
    "category class code field form format grade group kind level mode model plan region role "
    "stage status tier type zone".split()
)
_TIME = re.compile(r"\b(?:second|minute|hour|day|night|week|month|year)s?\b")
_YES_NO = {"yes", "no"}
_ASKS = re.compile(r"^(?:What|Who|How|When|Where|Which|Why)\b", re.IGNORECASE)
_AMOUNT = re.compile(r"^[€$£]?\d[\d.,]*(?: ?(?:%|euros?|EUR|USD|GBP|€|kg|km|m|GB|MB))?$")
_OPEN = re.compile(r"\b(for|within|every|after|with|by|to|at|in|on|of|from)$", re.IGNORECASE)
_SAYS_NOTHING = re.compile(r"^(?:notes?|remarks?|comments?|examples?|details?|meaning|description|"
                           r"#|no\.?|value|what|rule)$", re.IGNORECASE)  # fmt: skip
_MOST_WORDS = 9  # of a row's name


def questions(
    names: Sequence[str], cells: Sequence[str], label: str, known: frozenset[str]
) -> Iterator[Asked]:
    """Yield a question for each cell of a row behind its first; the answer is the cell."""
    if not label or len(label.split()) > _MOST_WORDS or ";" in label:
        return
    for name, cell in zip(names[1:], cells[1:], strict=False):
        asked = _asked(names[0], name, label, cell, known) if name and cell else ""
        if asked and not english.points_elsewhere(asked):
            yield Asked(f"{asked[0].upper()}{asked[1:]}?", cell)


def _asked(first: str, name: str, label: str, cell: str, known: frozenset[str]) -> str:
    about = english.inside(label, known)
    if not first:
        return _crossed(name, about, cell, known)
    kind = first.lower().split(" ")[-1]
    if kind in _SORTS and kind not in about.lower() and not about.split(" ")[0].islower():
        about = f"the {about} {kind}"
    column = english.inside(name, known)
    if _ASKS.match(name):
        return f"{column} on {about}" if first.lower() in {"day", "date"} else ""
    if match := _OPEN.search(column):
        return _open(column[: match.start()].strip(), match[1].lower(), about, cell)
    verb = english.base(name.split(" ")[0])
    if cell.lower() in _YES_NO:
        return f"does {about} {verb}{name[len(name.split(' ')[0]):]}" if verb else ""
    if _SAYS_NOTHING.match(name) or column.split(" ")[0].endswith("ed") or verb:
        return ""
    be = "are" if english.plural(column) else "is"
    return f"what {be} {english.with_article(column)} for {about}"


def _open(words: str, preposition: str, about: str, cell: str) -> str:
    """A column that ends in a preposition has its cells as its object: "Kept for | 30 days"."""
    be = "are" if english.plural(about) else "is"
    participle = words.split(" ")[0].endswith(("ed", "kept", "paid", "sent", "made"))
    if preposition == "for" and participle and _TIME.search(cell):
        return f"how long {be} {about} {words}"
    if preposition == "within" and _TIME.search(cell):
        return f"how quickly {be} {about} {words}" if participle else (
            f"how quickly do I have to {words} {about}" if words else "")  # fmt: skip
    if preposition == "every" and words and not participle:
        return f"how often is there an {words} for {about}" if words[0] in "aeiou" else (
            f"how often is there a {words} for {about}")  # fmt: skip
    return ""


def _crossed(name: str, about: str, cell: str, known: frozenset[str]) -> str:
    """A table whose rows and columns both name things: what one is for the other."""
    thing = english.inside(name, known)
    first, _, rest = about.partition(" ")
    who = thing if thing.split(" ")[0] in {"a", "the"} or english.plural(thing) else f"a {thing}"
    if cell.lower() in _YES_NO or first in {"may", "can", "must"}:
        if first in {"may", "can"}:
            return f"can {who} {rest}"
        verb = english.base(first)
        return f"does {who} {verb} {rest}" if verb else ""
    if english.base(first):
        return ""
    if _AMOUNT.match(cell):
        return f"how much is {english.with_article(about)} for {who}" if not english.plural(
            about) else f"how many {about} are there for {who}"  # fmt: skip
    be = "are" if english.plural(about) else "is"
    return f"what {be} {english.with_article(about)} for {who}"
