"""Whether a line says anything of the kind that a question asks for: "how heavy" wants a weight.

A thing that the rules know may be asked for what they do not say of it. What has no name of that
kind, no unit of it and no field that is asked for so can hardly answer.
"""

import re

from retrieval.models import Entry
from retrieval.ranking.lines import QuestionWords
from retrieval.text.words import STOP
from retrieval.vocabulary.terms import asked_fields, stems_of

_FEET = re.compile(r"(?<=\d)\s?['’′]")
_LENGTH = (
    "foot ft yard mile inch metre meter km cm mm m coin range distance reach high tall deep long "
    "wide height depth length width radius"
)
_TIME = (
    "second sec minute min hour h day week month year round turn segment night season morning dawn "
    "dusk instant permanent until duration time period daily weekly"
)
_SPEED = "speed move movement rate pace knot km mile foot per minute second round turn fast hour"
_WEIGHT = "kg g lb pound oz stone ton tonne coin cn weigh weight heavy"
_COLOUR = (
    "colour color red blue green yellow black white grey gray brown orange purple silver gold "
    "golden pink violet dark pale"
)
_KINDS = tuple(
    (re.compile(rf"\b(?:{asks})\b", re.IGNORECASE), frozenset(stems_of(words)))
    for asks, words in (
        ("how heavy|weight of", _WEIGHT),
        ("how old|(?:what|which) age", f"{_TIME} age old"),
        ("how (?:tall|high|deep|wide)|(?:height|depth|width) of", _LENGTH),
        ("how far", _LENGTH),
        ("how long", f"{_TIME} {_LENGTH}"),
        ("how often", f"{_TIME} once twice time every each per"),
        ("how fast", _SPEED),
        ("colou?r", _COLOUR),
        ("names? of|(?:is|are) (?:[a-z' -]{1,40}) called", "name call"),
    )
)
_RUN = r"((?:[a-z'-]+ ?){1,3})"
_COUNTED = re.compile(rf"\bhow many (?:of |more |other |different |the )*{_RUN}", re.IGNORECASE)
_WHICH = re.compile(rf"\b(?:which|what) {_RUN}", re.IGNORECASE)
_OF = re.compile(
    r"(?:what(?:'s|s| is| are| was)|tell me|know|\bgive me|^)\W*(?:the |an? )?(?:[a-z]+ )?"
    r"([a-z]+) (?:of|for)\b",
    re.IGNORECASE,
)
_VAGUE_WORDS = (
    "a about at by else exactly for from happened happens i it kind kinds long many mean means "
    "me much my now one ones other part rule rules said say says she sort sorts thing things type "
    "tell types us way ways with"
)
_VAGUE = STOP.union(_VAGUE_WORDS.split())


def is_unsaid(path: str, entry: Entry, asked: QuestionWords) -> bool:
    """Tell whether an entry, with its headings and columns, has nothing of the kind asked for.

    "How many masts has the yacht" wants masts, "what colour" a colour, "dues of the guild" dues.
    """
    text = _FEET.sub(" feet", f"{path} {entry.heading} {entry.lead} {entry.quote}")
    said = asked.stems(text)
    question = asked.question.lower()
    if any(kind.search(question) and said.isdisjoint(words) for kind, words in _KINDS):
        return True
    fields = asked_fields(question)
    if not said.isdisjoint(fields):
        return False
    found = (match[1] for kind in (_COUNTED, _WHICH, _OF) for match in kind.finditer(question))
    return any((words := _first(run)) and said.isdisjoint(asked.stems(words)) for run in found)


def _first(run: str) -> str:
    """The words of a run up to the first that says nothing, of "wrong logins before" two."""
    words = run.split()
    ends = next((n for n, word in enumerate(words) if word in _VAGUE), len(words))
    return " ".join(words[:ends])
