"""A question that compares two things, as one about each of them."""

import re
from collections.abc import Sequence
from itertools import pairwise

from api.answer.question.parts import name_spans
from retrieval.models import Terms
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import key, stems_of

_COMPARED = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|compare|dif+e?re?nces?|differ|than|better|worse|"
    r"which one|which of (?:them|these|the two)|"
    r"quicker|faster|slower|cheaper|stronger|weaker|more|less|most|\w{3,}er)\b",
    re.IGNORECASE,
)
# What asks for two things side by side, and not for the rows that have more than something.
DIFFERS = re.compile(r"\b(?:vs|versus|compared?|dif+e?re?nces?|differ)\b", re.IGNORECASE)
_OF = re.compile(r"\b(?:of|for|do|does|has|have|is|are) (?:both |an? |the )*$", re.IGNORECASE)
JOINED = re.compile(r"\b(?:vs|versus|compared|than|and|or)\b", re.IGNORECASE)  # two things
_JOINING = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|compare|or|than|"
    r"(?:what(?:['’]?s| is| are)? )?(?:the )?dif+(?:e?re?nces?)?(?: between)?|"
    r"which (?:one )?is (?:better|worse)(?=\W*$))\b",
    re.IGNORECASE,
)
_WHICH = re.compile(r"\W*(?:which|who)\b", re.IGNORECASE)
# "When do I save vs wands" compares nothing: behind these it is what somebody is up against.
_UP_AGAINST = (
    r"(?:sav(?:es?|ing(?: throws?)?)|attack(?:s|ing)?|fight(?:s|ing)?|defen(?:[cs]e|ds?)|rolls?|"
    r"checks?|tests?|resist(?:s|ance)?|protect(?:s|ed|ion)?|bonus|penalty|immune|turn(?:s|ing)?)"
)
_AGAINST = re.compile(
    rf"^(?!.*\b(?:dif+e?re?nces?|compare)\b)(?P<before>.*\b{_UP_AGAINST}) (?:vs\.?|versus)"
    rf"(?= (?!(?:[\w-]{{1,20}} ){{0,2}}{_UP_AGAINST}\b))",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:^(?:and|or)\b|\b(?:and|or|an?|the|between)(?=\W*$))\W*", re.IGNORECASE)
_BETWEEN_WORDS = (
    "or vs versus and compared to with than from in on a an the is really better worse more foot"
)
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
# Two things that the rules call otherwise: what is compared is told by the form of the question.
_DIFFERENCE = re.compile(
    r"\bdif+e?re?nces? between (?P<one>[^,;?]{2,50}?) and (?P<other>[^,;?]{2,50}?)"
    r"(?= (?:in|of|for|when|as|at|on)\b|\W*$)",
    re.IGNORECASE,
)
_MORE = (
    "(?:more|less|better|worse|cheaper|dearer|faster|quicker|slower|bigger|larger|smaller|longer|"
    "shorter|higher|lower|heavier|lighter|stronger|weaker|tougher|harder|easier|safer|older|"
    "younger|earlier|later|sooner|nearer|closer|further|farther|deeper|wider|taller|stricter)"
)
_WHICH_OF_TWO = re.compile(
    rf"\b(?:which|what|who)(?: is| has| gets| does| can| costs?)? (?:[a-z]{{2,12}} )?{_MORE}\b"
    r"[^,;?]{0,40}[,;:?] (?P<one>[^,;?]{2,40}?) or (?P<other>[^,;?]{2,40}?)\W*$",
    re.IGNORECASE,
)
_OF_TWO_WHICH = re.compile(
    r"^\W*(?!(?:if|when|after|before|unless|because|while)\b)(?P<one>[^,;?]{2,40}?) or "
    rf"(?P<other>[^,;?]{{2,40}}?)[,;:?] (?:which|what|who)\b.{{0,30}}\b{_MORE}\b",
    re.IGNORECASE,
)
_THAN = re.compile(
    rf"\b(?:is|are) (?P<one>(?:an?|the) [^,;?]{{2,40}}?) {_MORE}(?: [a-z]{{3,12}})? than "
    r"(?P<other>(?:an?|the) [^,;?]{2,40}?)(?=[,;?]|\W*$)",
    re.IGNORECASE,
)
_FORMS = (_DIFFERENCE, _WHICH_OF_TWO, _OF_TWO_WHICH, _THAN)
_POINTS = re.compile(
    r"\b(?:ones?|rest|others?|it|they|them|he|she|that|this|same)\b", re.IGNORECASE
)
_Span = tuple[int, int]  # of words, from the first to behind the last


def compared(text: str, terms: Terms) -> tuple[str, ...]:
    """Return a question about two things as one about each of them; () for any other.

    Two that are only joined by "and" are two where a field of both is asked for: "hit dice of a
    troll and an ogre".
    """
    text = _AGAINST.sub(r"\g<before> against", text)
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
    return _by_form(text) if _COMPARED.search(text) else ()


def _by_form(text: str) -> tuple[str, ...]:
    """The two things of a question that compares by its form; () where it does not."""
    found = next((match for form in _FORMS if (match := form.search(text))), None)
    if found is None or any(not _says(found[name]) for name in ("one", "other")):
        return ()
    one, other = found.span("one"), found.span("other")
    return (_left(text, (one[1], other[1])), _left(text, (one[0], other[0])))


def _says(thing: str) -> bool:
    return bool(stems_of(thing)) and not _POINTS.search(thing)


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
    return _left(text, (words[span[0]].start(), words[span[1] - 1].end()))


def _left(text: str, span: _Span) -> str:
    """A question without one of its things, and without what joined it."""
    left = f"{text[: span[0]]} {text[span[1] :]}"
    left = _JOINING.sub(" ", left)
    return _DANGLING.sub("", " ".join(left.split())).strip(" ,;:?")
