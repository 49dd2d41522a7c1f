"""A question that compares two things, as one about each of them."""

import re
from collections.abc import Sequence
from itertools import pairwise

from api.answer.question.parts import name_spans
from retrieval.models import Terms
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import key, stems_of

_COMPARED = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|compare|differences?|differ|than|better|worse|"
    r"which one|which of (?:them|these|the two)|"
    r"quicker|faster|slower|cheaper|stronger|weaker|more|less|most|\w{3,}er)\b",
    re.IGNORECASE,
)
# What asks for two things side by side, and not for the rows that have more than something.
DIFFERS = re.compile(r"\b(?:vs|versus|compared?|differences?|differ)\b", re.IGNORECASE)
_OF = re.compile(r"\b(?:of|for|do|does|has|have|is|are) (?:both |an? |the )*$", re.IGNORECASE)
JOINED = re.compile(r"\b(?:vs|versus|compared|than|and|or)\b", re.IGNORECASE)  # two things
_JOINING = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|compare|or|than|(?:the )?differences? between|"
    r"what(?:['’]?s| is| are)? (?:the )?diff(?:erences?)?|which (?:one )?is (?:better|worse)"
    r"(?=\W*$))\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\W*(?:which|who)\b", re.IGNORECASE)
_DANGLING = re.compile(r"(?:^(?:and|or)\b|\b(?:and|or|an?|the|between)(?=\W*$))\W*", re.IGNORECASE)
_BETWEEN_WORDS = (
    "or vs versus and compared to with than from in on a an the is really better worse more foot"
)
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
_Span = tuple[int, int]  # of words, from the first to behind the last


def compared(text: str, terms: Terms) -> tuple[str, ...]:
    """Return a question about two things as one about each of them; () for any other.

    Two that are only joined by "and" are two where a field of both is asked for: "hit dice of a
    troll and an ogre".
    """
    words = list(WORD.finditer(text))
    if _COMPARED.search(text) and (found := _of_one_kind(text, words, terms)):
        return found
    spans = name_spans(words, terms)
    for one, other in pairwise(spans):
        between = text[words[one[1] - 1].end() : words[other[0]].start()]
        is_amount = "than" in between and words[other[0]][0].isdigit()  # "more than 5 hit dice"
        if is_amount or not _joins(between):
            continue
        only_and = re.fullmatch(r"\W*(?:and|or)\W*(?:the |an? )?", between, re.IGNORECASE)
        of_both = "and" in between and _has_field_of(text[: words[one[0]].start()], terms)
        if only_and and not (_COMPARED.search(text) or of_both):
            continue
        return (_without(text, words, other), _without(text, words, one))
    return ()


def is_compared(asking: str, text: str) -> bool:
    """Tell whether a text may compare things, of which `asking` is what does not only tell.

    "He lost his book and his staff, what now" compares nothing.
    """
    return asking == text or bool(_COMPARED.search(asking) or _WHICH.match(asking))


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


def _without(text: str, words: Sequence[re.Match[str]], span: _Span) -> str:
    first, last = words[span[0]].start(), words[span[1] - 1].end()
    left = f"{text[:first]} {text[last:]}"
    left = _JOINING.sub(" ", left)
    return _DANGLING.sub("", " ".join(left.split())).strip(" ,;:?")
