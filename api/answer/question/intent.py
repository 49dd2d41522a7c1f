"""Read what a question asks for: a thing's section, a whole list, two things, or one answer.

Rules of English alone; what they do not know is asked as it stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from api.answer.question import follow_up
from retrieval.index.terms import key, stemmed, stems_of
from retrieval.models import Terms
from retrieval.text.words import STOP, WORD

Form = Literal["plain", "keyword", "list", "which", "parts", "comparison"]

_ASKS = (
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|can|could|do|does|did|may|"
    r"must|should|will|would|has|have|at what|in what|for how)\b"
)
_QUESTION_WORD = re.compile(rf"\b{_ASKS}", re.IGNORECASE)
# Of text whose words are one space apart.
_PARTING = re.compile(
    rf"\? (?=\S)|[,;]? (?:and(?: also)?|also|plus|&|\+) (?={_ASKS})|[,;] (?:also )?"
    r"(?=(?:what|which|who|when|where|why|how)\b)",
    re.IGNORECASE,
)
_LEAST_PART = 2  # words that say something
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
_CONDITION_FIRST = re.compile(
    r"\W*(?:if|when|while|since|as|after|before|because|once|given|although|though|unless)\b", re.I
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
# "Animals I can buy to ride", "monsters that drain levels".
_DESCRIBED = re.compile(
    rf"^(?!.*[,;:?] {_ASKS})\W*(?:\w+ ){{0,2}}?(?P<noun>[a-z]{{3,}}s) "
    r"(?:(?:that|which)\b|(?:i|we|you) can\b)",
    re.IGNORECASE,
)
# "Fall damage rules" names a section, not a list of rules.
_NO_PLURAL = re.compile(
    r"(?:ss|us|is|ous|class|bonus|series|always|does|was|has|this|rules)$", re.I
)
_COMPARED = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|difference between|than|better|worse|"
    r"quicker|faster|slower|cheaper|stronger|weaker|more|less|most|\w{3,}er)\b",
    re.IGNORECASE,
)
_BETWEEN_WORDS = (
    "or vs versus and compared to with than from in on a an the is really better worse more foot"
)
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
_NAMED = re.compile(r"^(?:[\w'-]+ ){2,5}(?P<noun>[a-z]{3,}s)(?: pls| plz| please)?\W*$", re.I)
# "What is a bag of holding?" wants the section of that name.
_DEFINED = re.compile(
    r"\W*(?:what(?:'s|’s|s| is| are| does| do)|who (?:is|are)|tell me about|explain|describe|"
    r"how (?:does|do|is|are)) (?:(?:an?|the) )?(?P<name>.+?)(?: (?:do|works?|mean))?\W*$",
    re.IGNORECASE,
)
_PLURAL_WORDS = 3  # words of "2nd level mage spells"; "secret doors" names a section
_KEYWORDS = 4  # words; a longer line is a sentence, though it asks nothing


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
    if parts := _clauses(text, terms):
        return Reading("parts", parts)
    if parts := _compared(text, terms):
        return Reading("comparison", parts)
    if (name := _DEFINED.match(text)) and key(name["name"]) in terms.names:
        return Reading("keyword", name=name["name"])
    if asks_for_all(text):
        return Reading("list")
    if asks_which(text):
        return Reading("which")
    words = WORD.findall(text)
    plain = not _QUESTION_WORD.search(text) and "than" not in text.lower().split()
    named = _NAMED.search(text) if len(words) >= _PLURAL_WORDS and plain else None
    if named and not _NO_PLURAL.search(named["noun"]):
        return Reading("list")
    if len(words) <= _KEYWORDS and not _QUESTION_WORD.search(text):
        return Reading("keyword")
    return Reading("plain")


def asks_for_all(text: str) -> bool:
    """Tell whether a question asks for a whole list: "list all", "types of", "every …"."""
    if _ONE.match(text):
        return False
    return _ALL.search(_NOT_ALL.sub(" ", text)) is not None or _plural(_DESCRIBED, text)


def asks_which(text: str) -> bool:
    """Tell whether a question may want a list: "which weapons need both hands"."""
    return _plural(_PLURAL, text) or _plural(_WHICH, text)


def asks_for_some(text: str) -> bool:
    """Tell whether only a list's items of one kind are asked for: "weapons that are blunt"."""
    return asks_which(text) or _plural(_DESCRIBED, text)


def _plural(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text has what the pattern says, of a noun that is a plural."""
    found = pattern.search(text)
    return found is not None and not _NO_PLURAL.search(found["noun"])


def _clauses(text: str, terms: Terms) -> tuple[str, ...]:
    """The questions of "how fast do trolls heal and how do you stop it", each made whole."""
    parts = [part.strip(" ,;?") for part in _PARTING.split(text)]
    if not 2 <= len(parts) <= 3 or _says_little(parts[0]):
        return ()
    short = len(WORD.findall(parts[0])) <= _KEYWORDS  # "range of web? and can you burn it"
    if _CONDITION_FIRST.match(parts[0]) or not (short or _QUESTION_WORD.search(parts[0])):
        return ()
    if not all(_QUESTION_WORD.search(part) for part in parts[1:]):
        return ()
    first = parts[0]
    return (first, *(_whole(part, first, terms) for part in parts[1:]))


def _whole(part: str, first: str, terms: Terms) -> str:
    """A further part, asked of the one thing that the first is about; else behind the first."""
    if not (_says_little(part) or follow_up.is_follow_up(part) or _POINTS.search(part)):
        return part
    things = things_in(first, terms)
    if len(things) == 1 and _IT.search(part) and not _says_little(_IT.sub(things[0], part)):
        return _IT.sub(lambda found: things[0] + ("'s" if found["whose"] else ""), part, count=1)
    return f"{first} {part}"


_IT = re.compile(
    r"\b(?:(?P<whose>its|their|his|her(?= \w))|it|they|them|he|him|she|her)\b", re.IGNORECASE
)


_POINTS = re.compile(r"\b(?:it|its|they|them|their|he|him|his|she|her|that|those|one)\b", re.I)


def _says_little(part: str) -> bool:
    return len(stems_of(part)) < _LEAST_PART


def _compared(text: str, terms: Terms) -> tuple[str, ...]:
    """A question about two things as one about each of them."""
    if not (_COMPARED.search(text) or re.search(r"\bor\b", text, re.IGNORECASE)):
        return ()
    words = list(WORD.finditer(text))
    spans = _names(words, terms)
    for one, other in pairwise(spans):
        between = text[words[one[1] - 1].end() : words[other[0]].start()]
        joined = _joins(between)
        only_and = re.fullmatch(r"\W*(?:and|or)\W*(?:the |an? )?", between, re.IGNORECASE)
        if not joined or (only_and and not _COMPARED.search(text)):
            continue
        return (_without(text, words, other), _without(text, words, one))
    return ()


def _joins(between: str) -> bool:
    """Whether what is between two names compares them, and says nothing else."""
    words = [word.lower() for word in WORD.findall(between)]
    known = all(word in _BETWEEN or word.endswith("er") for word in words)
    return known and not {"or", "vs", "versus", "compared", "than", "and"}.isdisjoint(words)


def things_in(text: str, terms: Terms) -> list[str]:
    """Return the things of the vault in a text, as they are written there, each once.

    What is a field as well ("duration") is no thing.
    """
    return [name for name in names_in(text, terms) if key(name) not in terms.fields]


def names_in(text: str, terms: Terms) -> list[str]:
    """Return the names of the vault in a text, as they are written there, each once."""
    words = list(WORD.finditer(text))
    found = [text[words[a].start() : words[b - 1].end()] for a, b in _names(words, terms)]
    return list(dict.fromkeys(found))


def _names(words: Sequence[re.Match[str]], terms: Terms) -> list[tuple[int, int]]:
    """The spans of words that are names of the vault, the longest first taken."""
    taken: set[int] = set()
    spans = []
    for length in range(4, 0, -1):
        for start in range(len(words) - length + 1):
            run = [word[0].lower() for word in words[start : start + length]]
            name = tuple(stemmed(word) for word in run if word not in STOP)
            if run[0] in STOP or run[-1] in STOP or not name:
                continue
            if name in terms.names and taken.isdisjoint(range(start, start + length)):
                spans.append((start, start + length))
                taken.update(range(start, start + length))
    return sorted(spans)


_JOINING = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|or|than|(?:the )?differences? between)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:^(?:and|or)\b|\b(?:and|or|an?|the|between)(?=\W*$))\W*", re.IGNORECASE)


def _without(text: str, words: Sequence[re.Match[str]], span: tuple[int, int]) -> str:
    first, last = words[span[0]].start(), words[span[1] - 1].end()
    left = f"{text[:first]} {text[last:]}"
    left = _JOINING.sub(" ", left)
    return _DANGLING.sub("", " ".join(left.split())).strip(" ,;:")
