"""Make a follow-up ("and for elves?") a question of its own by a rule; `rewriting` asks a model.

The rule knows English alone; a question in another language is searched as it stands, unless it is
one word.
"""

import re
from collections.abc import Sequence

from retrieval.text.words import stems

MOST_CARRIED = 60  # words of earlier questions: the encoder reads some 250 word pieces in all

_FILLER = r"(?:\W*(?:ok|okay|so|well|right|yes|no|thanks|thank you|hm+|ah|cool|great)\b)*\W*"
LINK = re.compile(
    rf"^{_FILLER}(?P<link>and|also|but|or|then|plus|(?:what|how) about|what if|(?:the )?same|"
    r"likewise|ditto|instead)\b\s*",
    re.IGNORECASE,
)
_AND = re.compile(rf"^{_FILLER}(?:and|also|but|plus)\b\s*", re.IGNORECASE)
_ALWAYS = {"what about", "how about", "what if", "same", "the same", "likewise", "ditto", "instead"}
_ASKS = (
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|can|could|may|"
    r"might|must|shall|should|will|would|has|have|had|am)(?:'s|n't)?"
)
_CLAUSE = re.compile(rf"^\W*{_ASKS}\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(rf"\b{_ASKS}\b", re.IGNORECASE)
_PLACING = re.compile(
    rf"^{_FILLER}(?:in|on|at|for|with|without|from|to|by|against|after|before|during|if|as)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")  # inside a sentence
_POINTER = re.compile(
    r"\b(?:(?P<whose>its|their|theirs|his|hers|her(?= \w)|(?<=with )(?:it|them|him|her))|"
    r"it|they|them|he|him|she|her|the (?:former|latter)|"
    r"(?:the|that|this|those|these)(?: \w+)? ones?|(?:a (?:new|second|spare)|another) one|"
    r"(?<=about )(?:that|this|those|these)|(?<=does )(?:that|this)|(?<=is )(?:that|this)|"
    r"(?<=\b(?:in|of|on|at|to|by) )(?:that|this|those|these)(?= \w+\W*$)|"
    r"(?<=do )(?:those|these)|(?<=for )(?:that|those)|(?<=with )(?:that|those))\b",
    re.IGNORECASE,
)
_BEFORE_ALL = re.compile(rf"^{_FILLER}", re.IGNORECASE)
# "How do you get one?", "how much would one cost me": nothing else that it could be one of.
_IS_ONE = re.compile(
    r"\b(?:[a-z]{2,20}ing|buy|get|use|have|need|keep|make|build|hire|rent|book|carry|wear) one\W*$|"
    r"\b(?:does|do|would|will|can|is|has) one\b",
    re.IGNORECASE,
)
# "And how much if I forget?" lacks what is paid.
_LACKS = re.compile(
    r"^(?:ok(?:ay)? |so ){0,2}(?:and|but|so) how (?:much|many|long|often) (?:if|when)\b", re.I
)
_AFTER = re.compile(r"\b(?:afterwards?|after (?:that|it)|thereafter)\W*$", re.IGNORECASE)
# An "it" that stands for nothing: "how long does it take to drink", "is it true that".
_EMPTY_IT = re.compile(
    r"\bit (?:\w+ )?(?:takes?|took|costs?)(?= (?:\w+ )?(?:to|for|if|when|per|an?)\b)|"
    r"\bit (?:\w+ )?(?:true|possible|allowed|legal|ok|right|better|worth|"
    r"matters?)\b|\bit(?= that\b)|(?<=make )it\b|\bit(?:'s| is) (?:\w+ )?(?:to|that)\b",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"[,;:.?!]|\s-|\b(?:if|when|while|and|or|but|so|that|after|before|because|once|until|till|as|"
    r"than|who|which)\b",
    re.IGNORECASE,
)
# Words before a pronoun that it cannot stand for: "how long does it last", "what happens when it".
NO_NOUN = frozenset(
    stems(
        "long much many often far big heavy tall high wide old fast soon likely large deep badly "
        "happen mean become need get go take work use make let say know want like first now"
    )
)
_OF_ONE = frozenset(
    stems("one would will cost pay can could should may buy hire rent book apply have me us")
)


def self_contained(question: str, history: Sequence[str]) -> str:
    """Return the question as it is searched: a follow-up behind what it follows, else as it is.

    No word of `question` is dropped or changed. A follow-up is put behind the last earlier question
    that stands alone and the follow-ups since, at most MOST_CARRIED words of them, the first of
    them kept. `history` holds the user's earlier questions, the last one last.
    """
    carried: list[str] = []
    for known in reversed(history):
        if not is_follow_up(carried[0] if carried else question):
            break
        if known.strip():
            carried.insert(0, known.strip())
    return " ".join([*_shortened(carried), question])


def is_follow_up(question: str) -> bool:
    """Tell whether a question needs the one before it.

    It does, by the first of these that holds:

    1. a pronoun ("it", "they", "that one") comes before anything that it could stand for;
    2. it opens with "what about", "same for", "what if", …;
    3. it opens with "and", "but", "also", … and no clause of its own comes next ("and how long does
       a torch burn?" has one; so has "and the Eiffel Tower, how tall is it?", by its name);
    4. without any question word it opens with a preposition ("for elves?") or is one word long;
    5. it ends with "afterwards", "after that";
    6. it asks "and how much if", or of "one", and names nothing that it could be one of.
    """
    text = " ".join(question.split())
    if _points_back(text) or _AFTER.search(text) or _LACKS.match(text) or _is_of_one(text):
        return True
    if link := LINK.match(text):
        return link["link"].lower() in _ALWAYS or not _is_clause(text[link.end() :])
    if _QUESTION_WORD.search(text):
        return False
    return bool(_PLACING.match(text)) or len(stems(text)) < 2


def is_linked(question: str) -> bool:
    """Tell whether a question opens as what goes on with another: "and", "what about"."""
    return LINK.match(question) is not None


def asks(text: str) -> bool:
    """Tell whether a text has a word that asks: "what about", "can", "how"."""
    return _QUESTION_WORD.search(text) is not None


def points(text: str) -> bool:
    """Tell whether a text holds a pronoun that may stand for something said before."""
    return _POINTER.search(text) is not None


def without_link(question: str) -> str:
    """Return a follow-up without the "and" that it may open with."""
    return _AND.sub("", question)


def _points_back(text: str) -> bool:
    """Whether the first pronoun stands for something outside `text`.

    A possessive may belong to a noun of its own clause ("which traps re-arm on their own"), a
    companion too ("has a troll with them"); any other pronoun cannot stand for it ("can a thief use
    it"), so its noun is before a boundary.
    Source of that rule: principle B of Chomsky, "Lectures on Government and Binding" (1981).
    """
    pointer = _POINTER.search(_EMPTY_IT.sub(lambda match: "-" * len(match[0]), text))
    if pointer is None:
        return False
    start = link.end() if (link := LINK.match(text)) else 0
    end = pointer.start()
    if not pointer["whose"]:
        end = max((m.start() for m in _BOUNDARY.finditer(text, start, end)), default=start)
    return not set(stems(text[start:end])) - NO_NOUN


def _is_of_one(text: str) -> bool:
    """Whether a question is asked of "one", and names nothing that it could be one of."""
    said = _BEFORE_ALL.sub("", text)
    return bool(_IS_ONE.search(said)) and NO_NOUN.issuperset({*stems(said)} - _OF_ONE)


def _is_clause(text: str) -> bool:
    """Whether what follows "and" asks something by itself: with two words that say what of."""
    if len(set(stems(text)) - NO_NOUN) < 2:
        return False
    if _CLAUSE.match(text):
        return True
    return bool(_NAME.search(text) and _QUESTION_WORD.search(text))


def _shortened(carried: Sequence[str]) -> list[str]:
    """The first and the last of the carried questions within MOST_CARRIED words."""
    kept, left = [], MOST_CARRIED
    for place in dict.fromkeys([0, *range(len(carried) - 1, 0, -1)] if carried else []):
        words = carried[place].split()
        if left > 0:
            kept.append((place, " ".join(words[-left:])))  # what is asked stands last
        left -= len(words)
    return [text for _, text in sorted(kept)]
