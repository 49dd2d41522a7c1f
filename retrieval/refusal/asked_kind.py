"""Whether a line says anything of the kind that a question asks for: "how heavy" wants a weight.

A thing that the rules know may be asked for what they do not say of it. What has no name of that
kind, no unit of it and no field that is asked for so can hardly answer.
"""

import re

from retrieval.models import Entry
from retrieval.ranking.lines import QuestionWords
from retrieval.text.units import WRITTEN
from retrieval.text.words import STOP
from retrieval.vocabulary.terms import asked_fields, cells, stems_of


def _stems(words: str) -> frozenset[str]:
    return frozenset(stems_of(words))


_FEET = re.compile(r"(?<=\d)\s?['’′]")
_CLOCK = re.compile(r"(?<=\d):(?=\d\d\b)")
# "From 18, with a member": an age without its unit.
_FROM = re.compile(r"\b(?:from|over|under) (?=\d{1,2}(?:,|\.| with| alone|\s*$))", re.IGNORECASE)
_LENGTH = (
    "foot ft yard mile inch metre meter km cm mm m coin range distance reach high tall deep long "
    "wide height depth length width radius"
)
_TIME = " ".join([
    "second minute hour day week month year round turn segment night season morning afternoon dusk",
    "evening noon midnight dawn instant permanent forever always until duration time period daily",
    "weekly monthly yearly annually once twice monday tuesday wednesday thursday friday saturday",
    "sunday january february march april may june july august september october november december",
    *WRITTEN,
])  # fmt: skip
_AGE = "age old older young younger adult child minor birthday year month week"
_SPEED = "speed move movement rate pace knot km mile foot per minute second round turn fast hour"
_WEIGHT = "kg g lb pound oz stone ton tonne coin cn weigh weight heavy"
_COLOUR = (
    "colour color red blue green yellow black white grey gray brown orange purple silver gold "
    "golden pink violet dark pale"
)
_I = re.IGNORECASE
_KINDS = (
    (re.compile(r"\b(?:how heavy|weight of|weighs?)\b", _I), _stems(_WEIGHT)),
    (re.compile(r"\b(?:how old|(?:what|which) age)\b", _I), _stems(_AGE)),
    (re.compile(r"\b(?:how (?:tall|high|deep|wide)|(?:height|depth|width) of)\b", _I),
     _stems(_LENGTH)),
    (re.compile(r"\bhow far\b", _I), _stems(_LENGTH)),
    (re.compile(r"\bhow long\b", _I), _stems(f"{_TIME} {_LENGTH}")),
    (re.compile(r"\bhow often\b", _I), _stems(f"{_TIME} every each per")),
    (re.compile(r"\b(?:what|which|how many) (?:time|day|date|hour|month|week|year)s?\b", _I),
     _stems(_TIME)),
    (re.compile(r"\bhow fast\b", _I), _stems(_SPEED)),
    (re.compile(r"(?:what|which) colou?rs?\b|\bcolou?rs? (?:of|is|are|does|do)\b", _I),
     _stems(_COLOUR)),
    (re.compile(r"\b(?:names? of|(?:is|are) [a-z' -]{1,40} called)\b", _I), _stems("name call")),
)  # fmt: skip
_WHO = re.compile(r"\W*who\b", _I)
_OF_PERSONS = re.compile(  # columns
    r"\b(?:who|by|persons?|people|names?|roles?|teams?|owners?|contacts?|approv\w+|managers?|leads?|"
    r"leaders?|keepers?|hosts?|wardens?|caretakers?|responsible|instructors?|teachers?|trainers?|"
    r"tutors?|class(?:es)?|members?)\b",
    _I,
)
_RUN = r"((?:[a-z'-]+ ?){1,3})"
_COUNTED = re.compile(rf"\bhow many (?:of |more |other |different |the )*{_RUN}", _I)
# Not who does something ("what kills a troll"), nor what a thing is like ("a sword which glows").
_WHICH = re.compile(
    r"(?:^\W*|[,;:?] |\b(?:in|on|at|of|from|for|to|and|with|by|about|or|know|me|say) )"
    r"(?:which|what) (?![a-z'-]+ (?:an?|the|this|that|my|your|our|his|her|their|it|him|them|us|me|"
    rf"you)\b){_RUN}",
    _I,
)
_OF = re.compile(
    r"(?:what(?:'s|s| is| are| was)|tell me|know|\bgive me|^)\W*(?:the |an? )?(?:[a-z]+ )?"
    r"([a-z]+) (?:of|for)\b",
    re.IGNORECASE,
)
_VAGUE_WORDS = (
    "deadline penalty fine effect effects result results limit time times day days date "
    "a about at by else exactly for from happened happens i it kind kinds long many mean means "
    "me much my now one ones other part rule rules said say says she sort sorts thing things type "
    "tell types us way ways with"
)
_VAGUE = STOP.union(_VAGUE_WORDS.split())


def is_unsaid(path: str, entry: Entry, asked: QuestionWords) -> bool:
    """Tell whether an entry, with its headings and columns, has nothing of the kind asked for.

    "How many masts has the yacht" wants masts, "what colour" a colour, "dues of the guild" dues,
    "XP for level 5" a column of level 5 where the table has columns of other levels.
    """
    if lacks_amount(path, entry, asked) or asked.lacks_column(entry):
        return True
    said, question = _said(path, entry, asked), asked.question.lower()
    fields = asked_fields(question)
    if not said.isdisjoint(fields):
        return False
    found = (match[1] for kind in (_COUNTED, _WHICH, _OF) for match in kind.finditer(question))
    return any((words := _first(run)) and said.isdisjoint(asked.stems(words)) for run in found)


def lacks_amount(path: str, entry: Entry, asked: QuestionWords) -> bool:
    """Tell whether an entry has nothing of the weight, time, length, … that is asked for."""
    question = asked.question.lower()
    wanted = [words for kind, words in _KINDS if kind.search(question)]
    return any(map(_said(path, entry, asked).isdisjoint, wanted)) if wanted else False


def lacks_person(entry: Entry, asked: QuestionWords) -> bool:
    """Tell whether "who" is asked and an entry is the row of a thing that the question names."""
    if entry.kind != "row" or not _WHO.match(asked.question):
        return False
    name = asked.stems("".join(cells(entry.quote)[:1]))
    return bool(name) and name <= asked.words and not _OF_PERSONS.search(entry.lead)


def _said(path: str, entry: Entry, asked: QuestionWords) -> frozenset[str]:
    text = _FEET.sub(" feet", f"{path} {entry.heading} {entry.lead} {entry.quote}")
    return asked.stems(_FROM.sub(" age ", _CLOCK.sub(" hour ", text)))


def _first(run: str) -> str:
    """The words of a run up to the first that says nothing, of "wrong logins before" two."""
    words = run.split()
    ends = next((n for n, word in enumerate(words) if word in _VAGUE), len(words))
    return " ".join(words[:ends])
