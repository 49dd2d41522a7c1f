"""The parts of a question: names and plurals, two questions in one, and the things it compares."""

import re
from collections.abc import Sequence
from itertools import pairwise

from api.answer.question import follow_up
from retrieval.models import Terms
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import key, stemmed, stems_of

ASKS = (
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|can|could|do|does|did|may|"
    r"must|should|will|would|has|have|at what|in what|for how)\b"
)
QUESTION_WORD = re.compile(rf"\b{ASKS}", re.IGNORECASE)
KEYWORDS = 4  # words; a longer line is a sentence, though it asks nothing
# Of text whose words are one space apart.
_PARTING = re.compile(
    rf"\? (?=\S)|[,;]? (?:and(?: also)?|also|plus|&|\+) (?={ASKS})|[,;] (?:also )?"
    r"(?=(?:what|which|who|when|where|why|how)\b)",
    re.IGNORECASE,
)
_LEAST_PART = 2  # words that say something
_CONDITION_FIRST = re.compile(
    r"\W*(?:if|when|while|since|as|after|before|because|once|given|although|though|unless)\b", re.I
)
_COMPARED = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|compare|difference between|than|better|worse|"
    r"which one|which of (?:them|these|the two)|"
    r"quicker|faster|slower|cheaper|stronger|weaker|more|less|most|\w{3,}er)\b",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:of|for|do|does|has|have|is|are) (?:both |an? |the )*$", re.IGNORECASE)
_JOINED = re.compile(rf"{_COMPARED.pattern}|\b(?:and|or)\b", re.IGNORECASE)
_ADDS = re.compile(
    r"what (?:is|does|do|are|has|can)(?: not|n['’]?t)\W*|"
    r"(?:for |at )?how (?:much|many|big)(?: an? \w+)?\W*",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_WHICH_ONE = re.compile(
    r"which (?:one|of (?:them|these|the two)|is|has|gets|costs)\b", re.IGNORECASE
)
_IT = re.compile(
    r"\b(?:(?P<whose>its|their|his|her(?= \w))|it|they|them|he|him|she|her)\b", re.IGNORECASE
)
_POINTS = re.compile(r"\b(?:it|its|they|them|their|he|him|his|she|her|that|those|one)\b", re.I)
_JOINING = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|compare|or|than|(?:the )?differences? between)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:^(?:and|or)\b|\b(?:and|or|an?|the|between)(?=\W*$))\W*", re.IGNORECASE)
_BETWEEN_WORDS = (
    "or vs versus and compared to with than from in on a an the is really better worse more foot"
)
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
# "Fall damage rules" names a section, not a list of rules.
NO_PLURAL = re.compile(
    r"(?:ss|us|is|ous|class|bonus|series|always|does|was|has|this|rules|things|odds|chances)$", re.I
)
_NAMED = re.compile(
    r"^(?:[\w'-]+ ){0,5}(?P<noun>[a-z]{3,}s)(?: (?:(?:of|at|on|in|for) )?(?:\w+ ){1,2}\d+)?"
    r"(?: pls| plz| please)?\W*$",
    re.I,
)
# "Chance to find secret doors" asks for the chance: what stands before these says of what.
_HEAD = re.compile(
    r"^(?:[\w'-]+ ){0,3}?(?P<noun>[\w'-]+) (?:to|of|for|vs|versus|against|with|on|in|by|per)\b",
    re.IGNORECASE,
)


def things_in(text: str, terms: Terms) -> list[str]:
    """Return the things of the vault in a text, as they are written there, each once.

    What is a field as well ("duration") is no thing.
    """
    return [name for name in names_in(text, terms) if key(name) not in terms.fields]


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


def clauses(text: str, terms: Terms) -> tuple[str, ...]:
    """Return the questions of "how fast do trolls heal and how do you stop it", each made whole."""
    parts = [part.strip(" ,;?") for part in _PARTING.split(text)]
    if not 2 <= len(parts) <= 3 or _says_little(parts[0]):
        return ()
    if _OR.search(parts[0]) and _WHICH_ONE.match(parts[1]):  # "silk or wool, which one is spun"
        return ()
    short = len(WORD.findall(parts[0])) <= KEYWORDS  # "range of web? and can you burn it"
    if _CONDITION_FIRST.match(parts[0]) or not (short or QUESTION_WORD.search(parts[0])):
        return ()
    if not all(QUESTION_WORD.search(part) for part in parts[1:]):
        return ()
    if any(_ADDS.fullmatch(part) for part in parts[1:]):  # "… and what doesn't", "… how much"
        return ()
    first = parts[0]
    return (first, *(_whole(part, first, terms) for part in parts[1:]))


def _whole(part: str, first: str, terms: Terms) -> str:
    """A further part, asked of the one thing that the first is about; else behind the first."""
    if not (_says_little(part) or follow_up.is_follow_up(part) or _POINTS.search(part)):
        return part
    things = things_in(first, terms)
    if (
        len(things) == 1
        and _IT.search(part)
        and not _says_little(_IT.sub(lambda _: things[0], part))
    ):
        return _IT.sub(lambda found: things[0] + ("'s" if found["whose"] else ""), part, count=1)
    return f"{first} {part}"


def _says_little(part: str) -> bool:
    return len(stems_of(part)) < _LEAST_PART


def compared(text: str, terms: Terms) -> tuple[str, ...]:
    """Return a question about two things as one about each of them; () for any other.

    Two that are only joined by "and" are two where a field of both is asked for: "hit dice of a
    troll and an ogre".
    """
    if not _JOINED.search(text):
        return ()
    words = list(WORD.finditer(text))
    if _COMPARED.search(text) and (found := _of_one_kind(text, words, terms)):
        return found
    spans = name_spans(words, terms)
    for one, other in pairwise(spans):
        between = text[words[one[1] - 1].end() : words[other[0]].start()]
        if not _joins(between):
            continue
        only_and = re.fullmatch(r"\W*(?:and|or)\W*(?:the |an? )?", between, re.IGNORECASE)
        of_both = "and" in between and _has_field_of(text[: words[one[0]].start()], terms)
        if only_and and not (_COMPARED.search(text) or of_both):
            continue
        return (_without(text, words, other), _without(text, words, one))
    return ()


def _of_one_kind(text: str, words: Sequence[re.Match[str]], terms: Terms) -> tuple[str, ...]:
    """The two things of "difference between the lesser and greater wyrm"; () where none are two."""
    for one, joint, other, kind in zip(words, words[1:], words[2:], words[3:], strict=False):
        both = [f"{way[0]} {kind[0]}" for way in (one, other)]
        joins = joint[0].lower() in {"and", "or", "vs", "versus"}
        if joins and all(key(name) in terms.names for name in both):
            around = (text[: one.start()], text[kind.end() :])
            bare = [_JOINING.sub(" ", name.join(around)) for name in both]
            return tuple(_DANGLING.sub("", " ".join(part.split())).strip(" ,;:") for part in bare)
    return ()


def _has_field_of(text: str, terms: Terms) -> bool:
    """Whether a text ends as "hit dice of a" and "how much xp do" do, with the name of a field."""
    stems = stems_of(text)
    names = [*((one,) for one in stems), *pairwise(stems)]
    return bool(_OF.search(text)) and not terms.fields.isdisjoint(names)


def _joins(between: str) -> bool:
    """Whether what is between two names compares them, and says nothing else."""
    words = [word.lower() for word in WORD.findall(between)]
    known = all(word in _BETWEEN or word.endswith("er") for word in words)
    return known and not {"or", "vs", "versus", "compared", "than", "and"}.isdisjoint(words)


def _without(text: str, words: Sequence[re.Match[str]], span: tuple[int, int]) -> str:
    first, last = words[span[0]].start(), words[span[1] - 1].end()
    left = f"{text[:first]} {text[last:]}"
    left = _JOINING.sub(" ", left)
    return _DANGLING.sub("", " ".join(left.split())).strip(" ,;:")


def named_plural(text: str) -> tuple[str, ...]:
    """Return the things of a few words that name several, each with the word before it."""
    named, head = _NAMED.search(text), _HEAD.search(text)
    nouns = [found["noun"].lower() for found in (named, head) if found]
    if named is None or any(map(NO_PLURAL.search, nouns)) or nouns[-1][-1] != "s":
        return ()
    words = [word.strip("?!.,;:") for word in text.lower().split()]
    joined = {one for one, other in pairwise(words) if one[-1:] == "s" and other in {"and", "or"}}
    places = [n for n, word in enumerate(words) if word in {*joined, nouns[-1]}]
    return tuple(" ".join(words[max(n - 1, 0) : n + 1]) for n in places)
