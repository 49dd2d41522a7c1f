"""Read what a question asks for: a thing's section, a whole list, two things, or one answer.

Rules of English alone; what they do not know is asked as it stands.
"""

import re
from dataclasses import dataclass
from typing import Literal

from api.answer.question.parts import ASKS, KEYWORDS, QUESTION_WORD, clauses, compared
from retrieval.index.terms import key
from retrieval.models import Terms
from retrieval.text.words import WORD

Form = Literal["plain", "keyword", "list", "which", "parts", "comparison"]

_ALL = re.compile(
    r"^\W*(?:please )?(?:list|enumerate|name (?:the|all|every|each|some)|remind me of|"
    r"give me (?:the|all|every))\b|"
    r"\b(?:list (?:of|all|'?em|them)|overview|everything (?:you|i|we|that)|(?:whole|full|complete) "
    r"(?:list|table|overview))\b|"
    r"\b(?:all (?:the |of the |our |my |your )?(?:\w+[ -]){0,2}?|all )\w+s\b|"
    r"\bfor each\b|\bwhat (?:\w+ ){0,3}can (?:i|we|you) (?:buy|get|choose|pick|order|play)\b|"
    r"\bwhat can be (?:done|bought|hired|made|ordered|chosen)\b|"
    r"\bfrom (?:\w+ )?\d+ to \d+\W*$|\bevery (?:\w+ )?\w+\W*$|\b(?:day by day|step by step)\b|"
    r"\blist(?=\W*(?:$|,|please|pls|plz|all))|\ball of (?:'?em|them)\b|"
    r"\b(?:types|kinds|sorts) of \w+s?\b|\bways to\b|"
    r"\b(?:all )?(?:steps|options|restrictions|conditions|modifiers|things|exceptions)"
    r"(?: \w+ing\b| (?:for|to|of|that|while|when|i|we|you)\b|\W*$)",
    re.IGNORECASE,
)
# What is answered by yes, no, a number or a reason, whatever else it says of "all".
_ONE = re.compile(
    r"\W*(?:can|could|do|does|did|is|are|was|will|would|should|must|may|has|have|if|when|why|how|"
    r"what happens|what if)\b(?! there\b| you (?:list|name|give|show|tell)\b| do i get all\b)",
    re.IGNORECASE,
)
_NOT_ALL = re.compile(
    r"\ball (?:right|over|the time|this|that|of this|night|day|squashed)\b|\b(?:what )?if all\b",
    re.I,
)
_PLURAL = re.compile(
    r"\b(?:which|what)\s+(?:other\s+|different\s+|\w+\s+){0,2}?(?P<noun>[a-z][a-z-]{2,}s)\s+"
    r"(?:are|can|could|do|does|don'?t|does not|do not|may|must|need|have|has|exist|count|get|will|"
    r"is|i|we|you)\b",
    re.IGNORECASE,
)
# After "which" a plural is a noun, after "what" it may be a verb: "which poisons go on a blade".
_WHICH = re.compile(
    r"\bwhich (?:\w+ ){0,3}?(?P<noun>[a-z][a-z-]{2,}s) (?!(?:of|for|in|on|to|and|or|the|an?)\b)\w+",
    re.IGNORECASE,
)
_DO = re.compile(r"\bwhat can (?:\w+ ){1,3}do\b(?! (?:about|against|if|when|for)\b)", re.IGNORECASE)
# "Animals I can buy to ride", "monsters that drain levels".
_DESCRIBED = re.compile(
    rf"^(?!.*[,;:?] {ASKS})\W*(?:\w+ ){{0,2}}?(?P<noun>[a-z]{{3,}}s) "
    r"(?:(?:that|which)\b|(?:i|we|you) can\b)",
    re.IGNORECASE,
)
# "Fall damage rules" names a section, not a list of rules.
_NO_PLURAL = re.compile(
    r"(?:ss|us|is|ous|class|bonus|series|always|does|was|has|this|rules)$", re.I
)
_NAMED = re.compile(
    r"^(?:[\w'-]+ ){1,5}(?P<noun>[a-z]{3,}s)(?: (?:of |at )?\w+ \d+)?(?: pls| plz| please)?\W*$",
    re.I,
)
# "List the antidotes and what they help against" is one list.
_OF_THEM = re.compile(
    r"[,;]? and (?:what|how|when|where|who) (?:\w+ ){0,2}(?:they|their|them)\b.*", re.I
)
# "What is a bag of holding?" wants the section of that name.
_DEFINED = re.compile(
    r"\W*(?:what(?:'s|’s|s| is| are| does| do)|who (?:is|are)|tell me about|explain|describe|"
    r"how (?:does|do|is|are)) (?:(?:an?|the) )?(?P<name>.+?)(?: (?:do|works?|mean))?\W*$",
    re.IGNORECASE,
)
_PLURAL_WORDS = 3  # words of "2nd level mage spells"; "secret doors" names a section


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question asks for. `parts` are searched each by itself; of other forms none.

    `name` is the thing that a keyword or a definition is about, without the words around it.
    """

    form: Form
    parts: tuple[str, ...] = ()
    name: str = ""


PLAIN = Reading("plain")


def read(question: str, terms: Terms) -> Reading:
    """Return what a question asks for, by the names that the vault knows."""
    text = " ".join(question.split())
    parts = clauses(text, terms)
    if parts and not _asks_of_a_list(text):
        return Reading("parts", parts)
    if parts := compared(text, terms):
        return Reading("comparison", parts)
    if (name := _DEFINED.match(text)) and key(name["name"]) in terms.names:
        return Reading("keyword", name=name["name"])
    if asks_for_all(text):
        return Reading("list")
    if asks_which(text):
        return Reading("which")
    words = WORD.findall(text)
    plain = not QUESTION_WORD.search(text) and "than" not in text.lower().split()
    named = _NAMED.search(text) if len(words) >= _PLURAL_WORDS and plain else None
    if named and not _NO_PLURAL.search(named["noun"]):
        return Reading("list")
    if len(words) <= KEYWORDS and not QUESTION_WORD.search(text):
        return Reading("keyword")
    return Reading("plain")


def _asks_of_a_list(text: str) -> bool:
    """Whether a question asks for a list and for what is said of its items."""
    without = _OF_THEM.sub("", text)
    return without != text and (asks_for_all(without) or asks_which(f"{without} exist"))


def asks_for_all(text: str) -> bool:
    """Tell whether a question asks for a whole list: "list all", "types of", "every …"."""
    if _ONE.match(text):
        return False
    return _ALL.search(_NOT_ALL.sub(" ", text)) is not None or _plural(_DESCRIBED, text)


def asks_which(text: str) -> bool:
    """Tell whether a question may want a list: "which weapons need both hands"."""
    return _plural(_PLURAL, text) or _plural(_WHICH, text) or _DO.search(text) is not None


def asks_for_some(text: str) -> bool:
    """Tell whether only a list's items of one kind are asked for: "weapons that are blunt"."""
    return asks_which(text) or _plural(_DESCRIBED, text)


def _plural(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text has what the pattern says, of a noun that is a plural."""
    found = pattern.search(text)
    return found is not None and not _NO_PLURAL.search(found["noun"])
