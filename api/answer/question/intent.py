"""Read what a question asks for: a thing's section, a whole list, two things, or one answer.

Rules of English alone; what they do not know is asked as it stands.
"""

import re
from dataclasses import dataclass
from typing import Literal

from api.answer.question import list_phrases
from api.answer.question.comparison import JOINED, compared, is_compared
from api.answer.question.limits import AGED, ONE_OF, amount
from api.answer.question.parts import (
    ASKS,
    KEYWORDS,
    QUESTION_WORD,
    clauses,
    things_in,
    without_told,
)
from api.answer.question.superlatives import superlatives
from retrieval.models import Terms
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import key

Form = Literal["plain", "keyword", "list", "which", "open", "parts", "comparison"]

# What is answered by yes, no, a number or a reason, whatever else it says of "all".
_ONE = re.compile(
    r"\W*(?:can|could|do|does|did|is|are|was|will|would|should|must|may|has|have|if|when|why|how|"
    r"what happens|what if)\b(?! there\b| you (?:list|name|give|show|tell)\b| do i get all\b)",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\b(?:which|what)\s+(?:other\s+|different\s+|[\w-]+\s+){0,2}?(?P<noun>[a-z][a-z-]{2,}s)\s+"
    r"(?:(?:in|on|at|of|from) (?:the |our |your |an? )?(?:[\w-]+ ){1,2})?"  # in the workshop
    r"(?:are|can|could|do|does|don'?t|does not|do not|may|must|need|have|has|exist|count|get|will|"
    r"give|leave|cause|cost|use|deal|take|work|run|hold|carry|is|i|we|you)\b",
    re.IGNORECASE,
)
# After "which" a plural is a noun, after "what" it may be a verb: "which poisons go on a blade".
_WHICH = re.compile(
    r"\bwhich (?:[\w-]+ ){0,3}?(?P<noun>[a-z][a-z-]{2,}s) "
    r"(?!(?:of|for|in|on|to|and|or|the|an?)\b)\w+",
    re.IGNORECASE,
)
# What a list may answer as a whole, if it is called so.
_WHAT = re.compile(
    r"\W*(?:so |and )?(?:what (?:do|happens?|must|should|makes?|gives?|causes?|counts)|"
    r"when (?:can|may|do))\b",
    re.IGNORECASE,
)
_THERE = re.compile(
    r"\b(?:which|what) (?:[\w-]+ ){0,5}?(?P<noun>[a-z][a-z-]{2,}s) are there\b", re.IGNORECASE
)
_OF_WHICH = re.compile(r"\b(?:which|what)\b.{0,60}?\b(?P<noun>[a-z][a-z-]{2,}s)\b", re.IGNORECASE)
# "Which animals to ride or load cost less than 50" compares nothing.
_WHICH_ONES = re.compile(
    r"^\W*(?:which|what) (?:[\w-]+ ){0,2}?(?P<noun>[a-z][a-z-]{2,}s)\b", re.IGNORECASE
)
_ARE = re.compile(
    r"^\W*what are (?:the |our |your |my |all )*(?:\w+ ){0,2}?(?P<noun>[a-z-]{3,}s)\b(?! or\b)",
    re.IGNORECASE,
)
# The number of what is listed: "how many kinds of leave are there".
_HOW_MANY = re.compile(
    r"\W*how many (?:different )?(?:kinds|types|sorts|ways|categories|classes)\b|"
    r"\W*how many (?:\w+ ){1,2}(?:can|may|do) (?:i|we|you) (?:choose|pick|select)\b",
    re.IGNORECASE,
)
# "Which equipment needs no deposit": what has no plural.
_OF_A_KIND = re.compile(
    r"\W*(?:which|what) (?!is\b)[a-z-]{3,30} (?:needs?|requires?|costs?|weighs?|has)\b", re.I
)
_DO = re.compile(r"\bwhat can (?:\w+ ){1,3}do\b(?! (?:about|against|if|when|for)\b)", re.IGNORECASE)
# What a list answers where one says all of it: "what does each plan cost", "what is free here".
_OPEN = re.compile(
    r"\beach (?!other\b)\w+|"
    r"\bwhat do (?:\w+ ){0,2}?[a-z]{3,}s \w+|\bwhat can (?:\w+ ){1,3}?\w+\W*$|"
    r"\bwhat (?:is|are|am|has|have|must|may)\b.{0,60} (?:forbidden|allowed|covered|included|needed|"
    r"required|free)\b|\b(?:table|chart)\W*$|"
    r"^\W*[a-z]{3,}s (?:an? |the )?(?:\w+ ){1,5}(?:can|may|must)\b|"
    r"^\W*who (?:gets|can get|may get|is entitled to) (?:an? |any )?\w+\W*$|"
    r"\bwhat (?:may|must|can|should) (?:i|we|you|they) (?:not|never)\b|"
    r"\bwhat (?:can|must|should)(?:n['’]?t|['’]?t|not) (?:i|we|you|they)\b|"
    r"\bthings (?:not )?to \w+|\bwhat (?:has|have|needs?|must|should) (?:to )?be done\b|"
    r"\b(?:checklist|procedure)\W*$|"
    r"\b(?:order|sequence) of (?:things|events|steps|actions|play)\b|"
    r"\bwhat (?:do|must|should) (?:i|we|you|they) (?:have to|need to|bring)\b|"
    r"^\W*what (?:(?:has|have) )?changed\b|^\W*what (?:has|contains) (?!to\b)|"
    r"\b(?:rules|requirements|conditions|limits|restrictions|steps|stages|reasons) (?:of|for|on)\b",
    re.IGNORECASE,
)
# "Animals I can buy to ride", "monsters that drain levels", "all poisons you put in food".
_DESCRIBED = re.compile(
    rf"^(?!.*[,;:?] {ASKS})\W*(?:(?:please|list|show|give|me|us|all) ){{0,4}}"
    r"(?:[^\W\d]+ ){0,2}?(?P<noun>[a-z]{3,}s) "
    r"(?:(?:that|which|where|with|without|who(?! (?:can|may|must|is)\b))\b|"
    r"(?:i|we|you) (?!are\b)\w+)",
    re.IGNORECASE,
)
# "List the antidotes and what they help against" is one list.
_OF_THEM = re.compile(
    r"[,;]? and (?:(?:what|how|when|where|who) (?:\w+ ){0,2}(?:they|their|them|each)\b.*|"
    r"(?:for |at )?how (?:much|many|big|long)(?: an? \w+| \w+)?\W*$)",
    re.IGNORECASE,
)
_SAID_OF_EACH = re.compile(r"\b(?:each|both|either)\b", re.IGNORECASE)
# "What is a bag of holding?" wants the section of that name.
_DEFINED = re.compile(
    r"\W*(?:what(?:'s|’s|s| is| are| does| do)|who (?:is|are)|tell me about|explain|describe|"
    r"how (?:does|do|is|are)) (?!(?:i|we|you)\b)(?:(?:an?|the) )?"
    r"(?P<name>.+?)(?: (?:do|works?|mean))?\W*$",
    re.IGNORECASE,
)
_ANYTHING = frozenset({"things", "items", "cases", "situations"})  # no list is called so
DEGREE = re.compile(
    r"\b(?:most|least|best|worst|\w{3,}est)\b", re.IGNORECASE
)  # few questions have one
_PLURAL_WORDS = 3  # words of "2nd level mage spells"; "secret doors" names a section


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question asks for. `parts` are searched each by itself; of other forms none.

    "open" wants a list where one says all that is asked, else what it would want without.
    `name` is the thing that a keyword or a definition is about, without the words around it.
    `several` are the things that a few words name in the plural: a list of them is called so.
    `steps`: of lists one with numbers is wanted, what is done one after the other.
    """

    form: Form
    parts: tuple[str, ...] = ()
    name: str = ""
    several: tuple[str, ...] = ()
    steps: bool = False


PLAIN = Reading("plain")


def read(question: str, terms: Terms) -> Reading:
    """Return what a question asks for, by the names that the vault knows."""
    text = " ".join(question.split())
    if list_phrases.STEPS.search(text) or list_phrases.WHOLE.search(text):
        return Reading("list", steps=bool(list_phrases.STEPS.search(text)))
    parts = clauses(text, terms)
    if parts and not _asks_of_a_list(text, terms):
        both = JOINED.search(text) and _SAID_OF_EACH.search(parts[-1]) and compared(text, terms)
        return Reading("comparison", both) if both else Reading("parts", parts)
    is_limited = list_phrases.BOTH.search(text) is not None or amount(text) is not None
    is_of_list = _plural(_DESCRIBED, text) or (_plural(_WHICH_ONES, text) and is_limited)
    compares = JOINED.search(text) and not is_of_list and is_compared(without_told(text), text)
    if compares and (parts := compared(text, terms)):
        return Reading("comparison", parts)
    if (name := _DEFINED.match(text)) and key(name["name"]) in terms.names:
        return Reading("keyword", name=name["name"])
    if DEGREE.search(text) and superlatives(text):
        return Reading("open", name=text if _is_short(text) else "")
    if asks_for_all(text):
        return Reading("list", several=_described(text))
    if asks_which(text):
        return Reading("which")
    has_amount = ONE_OF.search(text) or any(map(str.isdigit, searchable(text)))
    if has_amount and (limited := _limited(text)):
        return limited
    words = WORD.findall(text)
    plain = not QUESTION_WORD.search(text) and "than" not in text.lower().split()
    several = list_phrases.named_plural(text) if len(words) >= _PLURAL_WORDS and plain else ()
    if several and words[0].lower().endswith("ing"):  # "finding secret doors" is one thing
        is_named = any(key(" ".join(words[n:])) in terms.names for n in (0, 1))
        several = () if is_named else several
    if several:  # a list of that name, else what else is said: "ogre hit points"
        return Reading("which", name=text if _is_short(text) else "", several=several)
    if _is_short(text):
        is_open = key(text) not in terms.names and _OPEN.search(text)
        return Reading("open", name=text) if is_open else Reading("keyword")
    return Reading("open" if _OPEN.search(text) else "plain")


def _limited(text: str) -> Reading | None:
    """What a question asks for that has an age or an amount."""
    if AGED.search(searchable(text)) and not QUESTION_WORD.search(text):
        return Reading("which")
    if not amount(text):
        return None
    if _plural(_OF_WHICH, text) or not QUESTION_WORD.match(text):
        return Reading("which")
    return Reading("open") if text.lower().startswith(("what", "which", "who")) else None


def _is_short(text: str) -> bool:
    """Whether a question is nothing but a few words."""
    return len(WORD.findall(text)) <= KEYWORDS and not QUESTION_WORD.search(text)


def _asks_of_a_list(text: str, terms: Terms) -> bool:
    """Whether a question asks for a list and for what is said of its items.

    "Which languages does an elf speak and how far do they see" asks of the elf.
    """
    without = _OF_THEM.sub("", text)
    if any(not name.lower().endswith("s") for name in things_in(without, terms)):
        return False
    return without != text and (
        asks_for_all(without)
        or asks_which(f"{without} exist")
        or bool(list_phrases.NUMBERED.match(without))
    )


def asks_for_all(text: str) -> bool:
    """Tell whether a question asks for a whole list: "list all", "types of", "every …"."""
    if _ONE.match(text):
        return False
    return list_phrases.ALL.search(text) is not None or _plural(_DESCRIBED, text)


def _described(text: str) -> tuple[str, ...]:
    """What "monsters that drain levels" lists; () where all of something is asked for."""
    found = _DESCRIBED.search(text)
    is_all = list_phrases.ALL.search(text) is not None
    return () if is_all or not found or found["noun"].lower() in _ANYTHING else (found["noun"],)


def asks_which(text: str) -> bool:
    """Tell whether a question may want a list: "which weapons need both hands"."""
    return (
        bool(_HOW_MANY.match(text))
        or any(_plural(one, text) for one in (_PLURAL, _WHICH, _THERE, _ARE))
        or bool(_DO.search(text))
        or bool(_OF_A_KIND.match(text))
    )


def asks_for_some(text: str) -> bool:
    """Tell whether only a list's items of one kind are asked for: "weapons that are blunt"."""
    return asks_which(text) or _plural(_DESCRIBED, text)


def _plural(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text has what the pattern says, of a noun that is a plural."""
    found = pattern.search(text)
    if found is None:
        return False
    return found["noun"].lower() == "things" or not list_phrases.NO_PLURAL.search(found["noun"])


def may_want_all(question: str, reading: Reading) -> bool:
    """Tell whether all of a list may be the answer: "refund conditions", "what happens if"."""
    if reading.form == "plain":
        return not QUESTION_WORD.search(question) or bool(_WHAT.match(question))
    return reading.form in {"keyword", "list", "which", "open"}
