"""A follow-up that names another thing: the question before it, asked of that one."""

import re
from collections.abc import Sequence

from api.answer.question import complements, follow_up
from api.answer.question.parts import ASKS, QUESTION_WORD, in_common, names_in
from retrieval.models import Terms
from retrieval.text.words import STOP
from retrieval.vocabulary.terms import key

_ANOTHER = re.compile(
    r"^\W*(?:(?:ok|and|or|then|so|but)\b\W*)*(?:(?:what|how) about|same for|for)?\s*"
    r"(?:(?:a|an|the|with|for|of)\b\s*)*",
    re.IGNORECASE,
)
_PREPOSITIONS = r"(?:in|on|at|for|with|without|from|to|by|as|of|under|during|per|against)"
_PLACED = re.compile(
    rf"^\W*(?:(?:ok|and|or|then|so|but|what about|how about)\b\W*)*(?P<of>{_PREPOSITIONS}) "
    r"(?P<rest>[^,;?!]+?)\W*$",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    rf"\b(?P<of>{_PREPOSITIONS}) (?!{ASKS}).+?"
    rf"(?=\W*$|[,;:?!]| (?:{_PREPOSITIONS}|and|or|if|when|{ASKS})\b)",
    re.IGNORECASE,
)
_OTHER_NUMBER = re.compile(
    r"^\W{0,3}(?:(?:ok|and|or|what about|how about|with)\b\W{1,3}){1,3}"
    r"(?P<name>[a-z]{2,20}(?: [a-z]{2,20})?) (?P<number>\d{1,6})\W{0,3}$",
    re.IGNORECASE,
)
_IS_THING = re.compile(r"^\W*[\w'’-]{2,30}(?: [\w'’-]{2,30}){0,2}\W*$")  # "guinea pig?"
_ONES = re.compile(r" ones?$", re.IGNORECASE)
_WORDS = re.compile(r"(\W+)")
_ARTICLE = re.compile(r"\ban?(\s)$", re.IGNORECASE)


def in_full(questions: Sequence[str], terms: Terms) -> list[str]:
    """Return the questions of a conversation, those that name another thing asked in full.

    The thing may be like any that the same question was asked of before.
    """
    made: list[str] = []
    alike: list[str] = []  # the last question, as it was asked of one thing after the other
    for typed in questions:
        other = None
        goes_on = follow_up.is_follow_up(typed) or complements.asks_for_others(typed)
        if made and (goes_on or _IS_THING.match(typed)):
            before = alike or [follow_up.self_contained(made[-1], made[:-1])]
            if follow_up.is_linked(typed) or _IS_THING.match(typed):
                asked = (asked_of_another(typed, one, terms) for one in reversed(before))
                other = next(filter(None, asked), None)
            other = other or in_its_place(typed, before[-1])
            other = other or of_another_number(typed, before[-1])
            other = other or complements.of_another_amount(typed, before[-1])
            other = other or complements.the_others(typed, before[-1])
            alike = [*before, other] if other else []
        else:
            alike = []
        made.append(other or typed)
    return made


def asked_of_another(typed: str, before: str, terms: Terms) -> str | None:
    """Return the question before with the thing of the same kind that `typed` names; else None.

    "What hit die does an elf roll", then "what about dwarves?": both are rows of one table. Only
    where `typed` says nothing besides.
    """
    rest = _ANOTHER.sub("", typed).strip(" ?!.,")
    rest = _ONES.sub("", rest)  # "the wood one"
    is_linked = rest != typed.strip(" ?!.,")
    if not is_linked and (key(rest) in terms.fields or not _IS_THING.match(typed)):
        return None
    if key(rest) not in terms.names:
        return None
    if not STOP.isdisjoint(rest.lower().split()):  # "and its range" is asked of the same thing
        return None
    alike = {
        thing: in_common(key(thing), key(rest), terms)
        for thing in names_in(before, terms)
        if key(thing) in terms.names and key(thing) != key(rest)
    }
    best = max(
        alike, key=lambda thing: (not _is_kind(thing, rest, terms), alike[thing]), default=""
    )
    if not alike.get(best):
        return None
    return _replaced(before, best, _as_one(rest, terms))


def in_its_place(typed: str, before: str) -> str | None:
    """Return the question before with a follow-up's phrase for its own; else None.

    "How many probes on Pallet?", then "and on Fleet?": a phrase with the same preposition.
    """
    placed = _PLACED.match(typed)
    if not placed or QUESTION_WORD.search(placed["rest"]) or follow_up.points(placed["rest"]):
        return None
    found = [one for one in _PHRASE.finditer(before) if one["of"].lower() == placed["of"].lower()]
    if len(found) != 1:
        return None
    start, end = found[0].span()
    return f"{before[:start]}{placed['of']} {placed['rest']}{before[end:]}"


def of_another_number(typed: str, before: str) -> str | None:
    """Return the question before with another number for what has one: "and fold 1"; else None."""
    given = _OTHER_NUMBER.match(typed)
    if not given:
        return None
    name, words = given["name"].lower().split(), before.split()
    places = [
        at for at in range(len(name), len(words))
        if [word.lower() for word in words[at - len(name) : at]] == name
        and words[at].rstrip(".,;:?!").isdigit()
    ]  # fmt: skip
    if len(places) != 1:
        return None
    end = words[places[0]].lstrip("0123456789")
    return " ".join([*words[: places[0]], f"{given['number']}{end}", *words[places[0] + 1 :]])


def _is_kind(thing: str, name: str, terms: Terms) -> bool:
    """Whether a file is called as the thing that has the name as a part: "ring", "telekinesis"."""
    return any(key(terms.titles[path]) == key(thing) for path in terms.names[key(name)])


def _as_one(name: str, terms: Terms) -> str:
    """Of a plural the name of the vault's file, where that is none: "dwarf" for "dwarves"."""
    titles = (one for one in terms.titles.values() if key(one) == key(name))
    called = next((one for one in titles if name.endswith("s") > one.endswith("s")), name)
    return called.lower() if name.islower() else called


def _replaced(question: str, name: str, other: str) -> str:
    """The question with `other` for `name` wherever that stands as whole words, "a" and "an" put
    right.
    """
    words, wanted = _WORDS.split(question), _WORDS.split(name)
    made, at = "", 0
    while at < len(words):
        is_name = words[at : at + len(wanted)] == wanted
        if is_name:
            article = "an" if other[:1].lower() in "aeiou" else "a"
            made = _ARTICLE.sub(rf"{article}\1", made)
        made += other if is_name else words[at]
        at += len(wanted) if is_name else 1
    return made
