"""The parts of a question: names and plurals, and two questions in one."""

import re
from collections.abc import Sequence
from itertools import takewhile

from api.answer.question import follow_up
from retrieval.models import Name, Terms
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import key, stemmed, stems_of

ASKS = (
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|can|could|do|does|did|may|"
    r"must|should|will|would|has|have|at what|in what|for how)\b"
)
QUESTION_WORD = re.compile(rf"\b{ASKS}", re.IGNORECASE)
KEYWORDS = 4  # words; a longer line is a sentence, though it asks nothing
# A clause that asks: "so how", "for how long", "tell me", "the AC is what"; "has her birthday" and
# "my tap is dripping" say what the case is.
_ASKING = re.compile(
    r"(?:(?:so|and|but|also|ok|okay|hi|hello|hey|please|pls|then|well|sorry)\W{1,3}){0,3}"
    rf"(?:(?:at|in|on|for|from|by|to|of|with|until|about|after|under) )?(?:{ASKS}|"
    r"(?:tell|show|give|explain|list|compare|describe|name|remind)\b)|"
    r".{0,200}\b(?:what|which|how (?:much|many|long|far|old|often|big))\b|"
    r".{0,80}\b(?:wonder(?:ing|ed)?|know|sure|idea|told|ask)\b.{0,40}\b(?:if|whether|when|where|who|why)\b",
    re.IGNORECASE,
)
_STATING = re.compile(
    r"\W*(?:i|i['’]?(?:m|ve|d|ll)|we|my|our|he|she|they|it|there|this|somebody|someone|"
    r"[a-z]{3,20} (?:my|our))\b",  # "lost my key"
    re.IGNORECASE,
)
# Behind a statement "and has", "and is" go on with it, unless a subject follows.
_GOES_ON = re.compile(
    r"(?:is|are|was|were|has|have) "
    r"(?!(?:i|we|you|he|she|it|they|there|the|this|that|any|[a-z]{3,20}s)\b)",
    re.IGNORECASE,
)
_SEGMENTS = re.compile(r"[.!:;,] ")
# Of text whose words are one space apart.
_PARTING = re.compile(
    rf"\? (?=\S)|[,;]? (?:and(?: also)?|also|plus|&|\+) (?={ASKS})|[,;] (?:also )?"
    r"(?=(?:what|which|who|when|where|why|how)\b)",
    re.IGNORECASE,
)
# Before a mere comma these say when or of what: "bringing my own canoe, what do I have to do".
_SETTING = re.compile(
    r"\W*(?:[a-z]{2,20}ing (?:my|our|an?|the|your)|last|next|this|at|in|on|during) ", re.IGNORECASE
)
_LEAST_PART = 2  # words that say something
_CONDITION_FIRST = re.compile(
    r"\W*(?:if|when(?! (?:is|are|was|do|does|did|can|may|must|should|will)\b)|while|since|as|after|"
    r"before|because|once|given|although|though|unless)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(
    r"what (?:is|does|do|are|has|can)(?: not|n['’]?t)\W*|"
    r"what goes where\W*|who does what\W*|which is which\W*|"
    r"(?:for |at )?how (?:much|many|big)(?: an? \w+)?\W*|"
    r"what(?:['’]?s| is| are)? (?:the )?diff(?:erences?)?\W*|which (?:one )?is (?:better|worse)\W*",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_WHICH_ONE = re.compile(
    r"(?:which (?:one|of (?:them|these|the two)|is|has|gets|costs)|who (?:is|has|gets|needs))\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"\b(?:(?P<whose>its|their|his|her(?= \w))|it|they|them|he|him|she|her)\b", re.IGNORECASE
)
# "How much is the room for a charity and how much for a firm".
_ELSEWHERE = re.compile(
    r"(?P<asks>how (?:much|many|long|far|often)|what|when)(?: (?:is|does|do|are) (?:it|they|that))?"
    r"(?: cost)? (?P<other>(?P<by>for|in|on|at|with|from|by|as) \S.{0,80})$",
    re.IGNORECASE,
)
_OF_ONE = re.compile(r"(?:when|where|who|how much|how long) (?:is|are|does|do) ", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:it|its|they|them|their|he|him|his|she|her|that|those|one)\b", re.I)


def things_in(text: str, terms: Terms) -> list[str]:
    """Return the things of the vault in a text, as they are written there, each once.

    What is a field as well ("duration") is no thing, nor is a verb ("how long does it take").
    """
    named = names_in(text, terms)
    return [
        name for name in named
        if key(name) not in terms.fields and not follow_up.NO_NOUN.issuperset(key(name))
    ]  # fmt: skip


def names_in(text: str, terms: Terms) -> list[str]:
    """Return the names of the vault in a text, as they are written there, each once."""
    words = list(WORD.finditer(text))
    found = [text[words[a].start() : words[b - 1].end()] for a, b in name_spans(words, terms)]
    return list(dict.fromkeys(found))


def name_spans(words: Sequence[re.Match[str]], terms: Terms) -> list[tuple[int, int]]:
    """Return the spans of words that are names of the vault, the longest first taken."""
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


def in_common(one: Name, other: Name, terms: Terms) -> int:
    """Return in how many files both are named; 1 at least for those of one folder."""
    both = terms.names[one] & terms.names[other]
    return len(both) or int(bool(folders_called(one, terms) & folders_called(other, terms)))


def folders_called(name: Name, terms: Terms) -> set[str]:
    """Return the folders that have a file of that name."""
    return {
        path.rpartition("/")[0]
        for path in terms.names[name]
        if tuple(stems_of(terms.titles[path])) == name
    }


def clauses(text: str, terms: Terms) -> tuple[str, ...]:
    """Return the questions of "how fast do trolls heal and how do you stop it", each made whole."""
    parts = _split(text)
    if not 2 <= len(parts) <= 3 or _says_too_little(parts[0]):
        return ()
    if _OR.search(parts[0]) and _WHICH_ONE.match(parts[1]):  # "silk or wool, which one is spun"
        return ()
    joint = _PARTING.search(text)
    is_bare = joint is not None and joint[0].strip() in {",", ";"}
    if (
        is_bare
        and len(parts) == 2
        and not QUESTION_WORD.search(parts[0])
        and _SETTING.match(parts[0])
    ):
        return ()
    short = len(WORD.findall(parts[0])) <= KEYWORDS  # "range of web? and can you burn it"
    # "When are there more than ten, what does it cost".
    if is_bare and parts[0].lower().startswith("when "):
        return ()
    if _CONDITION_FIRST.match(parts[0]) or not (short or QUESTION_WORD.search(parts[0])):
        return ()
    if not all(QUESTION_WORD.search(part) for part in parts[1:]):
        return ()
    if any(_ADDS.fullmatch(part) for part in parts[1:]):  # "… and what doesn't", "… how much"
        return ()
    told = _told(parts)
    if told:  # "my son is 15, what may he use" is one question
        parts = [", ".join(parts[: told + 1]), *parts[told + 1 :]]
    if len(parts) == 1:
        return ()
    first = parts[0]
    return (first, *(_whole(part, first, terms) for part in parts[1:]))


def without_told(text: str) -> str:
    """Return a question without what it tells first: of "I am 12, what may I use" the last half."""
    parts = _split(text)
    told = _told(parts)
    return " ".join(parts[told:]) if told else text


def _split(text: str) -> list[str]:
    return [part.strip(" ,;?") for part in _PARTING.split(text)]


def _told(parts: Sequence[str]) -> int:
    """How many clauses at the beginning only say what the case is; the last one asks."""
    if _asks(parts[0]):
        return 0
    return min(1 + sum(1 for _ in takewhile(_GOES_ON.match, parts[1:])), len(parts) - 1)


def _whole(part: str, first: str, terms: Terms) -> str:
    """A further part, asked of the one thing that the first is about; else behind the first."""
    if (placed := _ELSEWHERE.match(part)) and (put := _put(placed, first)):
        return put
    if not (_says_little(part) or follow_up.is_follow_up(part) or _POINTS.search(part)):
        return part
    things = [_in_full(thing, first, terms) for thing in things_in(first, terms)]
    if (
        len(things) == 1
        and _IT.search(part)
        and not _says_little(_IT.sub(lambda _: things[0], part))
    ):
        return _IT.sub(lambda found: things[0] + ("'s" if found["whose"] else ""), part, count=1)
    if follow_up.NO_NOUN.issuperset(stems_of(part)):  # "and how fast"
        return f"{first} {part}"
    said = " ".join(w for w in WORD.findall(first) if w.lower() not in STOP or w.lower() == "not")
    return f"{part} ({said})"


def _in_full(thing: str, text: str, terms: Terms) -> str:
    """A thing with the word behind it where the vault has both in a name: "silk rope"."""
    words, own = WORD.findall(text), WORD.findall(thing)
    ends = (n + len(own) for n in range(len(words)) if words[n : n + len(own)] == own)
    behind = words[(end := next(ends, len(words))) : end + 1]
    stems = {*key(thing), *(stem for word in behind for stem in key(word))}
    names = (name for stem in stems for name in terms.named_from.get(stem, ()))
    is_name = any(stems.issubset(name) for name in names)
    return " ".join([thing, *behind]) if is_name and stems > {*key(thing)} else thing


def _put(placed: re.Match[str], first: str) -> str:
    """A question with another thing behind its last "for", or "in"; "" where it has none.

    Or where it asks otherwise: "how much for a charity and how long for a firm".
    """
    at = first.lower().rfind(f" {placed['by'].lower()} ")
    asks_so = first.lower().startswith(placed["asks"].lower()) or placed["asks"].lower() == "what"
    return f"{first[:at]} {placed['other']}" if at > 0 and asks_so else ""


def _asks(part: str) -> bool:
    """Whether a clause asks something, and does not only say what the case is."""
    if any(_ASKING.match(one) for one in _SEGMENTS.split(part)):
        return True
    is_short = len(WORD.findall(part)) <= KEYWORDS
    return is_short and not (_STATING.match(part) or QUESTION_WORD.search(part))


def _says_too_little(first: str) -> bool:
    """Whether a first part says less than a question: "when is lunch" says enough."""
    stems = frozenset(stems_of(first))
    is_of_one = len(stems) == 1 and bool(_OF_ONE.match(first))
    return _says_little(first) and (not is_of_one or stems <= follow_up.NO_NOUN)


def _says_little(part: str) -> bool:
    return len(stems_of(part)) < _LEAST_PART
