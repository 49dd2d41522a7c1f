"""The one decision about a search: it answers, its passages are only the nearest, or neither."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from retrieval.context import SearchContext
from retrieval.models import Certainty, Evidence, Hit, SearchResult
from retrieval.refusal import confidence, off_topic
from retrieval.refusal.confidence import features
from retrieval.text import numbers_in_words
from retrieval.text.normalize import fold
from retrieval.text.words import stem, stems

_HELD = r"(?:its|his|her|their|the|all|[a-z]+'s)"
_NUMBER = (
    rf"(?:\d+(?:st|nd|rd|th)?|{'|'.join(numbers_in_words.ORDINALS)}|{numbers_in_words.PATTERN})"
)
_PRESUPPOSED = re.compile(rf"\b{_HELD} (?P<number>{_NUMBER}) (?P<noun>[a-z]{{3,}})", re.IGNORECASE)
_COUNTED = re.compile(
    rf"(?<![\w.])(?P<number>\d+|{numbers_in_words.PATTERN}) (?P<noun>[a-z]{{3,}})", re.IGNORECASE
)
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)?")


def decided(context: SearchContext, result: SearchResult) -> SearchResult:
    """Return the search with what it is worth: its certainty, and why where it is refused.

    Refusing needs evidence of another subject; a passage that may not answer, or that contradicts
    what the question takes for granted, is `nearest`. Raises ConfigurationError where what was
    fitted cannot be read.
    """
    if not result.hits:
        return replace(result, certainty="refused", confidence=0.0, refusal="no_passage")
    against = contradicted(result.question, result.hits)
    if off_topic.refuses(result):
        return replace(
            result, certainty="refused", confidence=0.0, refusal="off_topic", premise=against
        )
    fit = confidence.fitted(context)
    probability = fit.probability(features(result, result.question)) if fit else None
    sure = fit is None or probability is None or probability >= fit.limit
    certainty: Certainty = "answered" if sure and not against else "nearest"
    return replace(result, certainty=certainty, confidence=probability, premise=against)


def worth(result: SearchResult, parts: Sequence[SearchResult]) -> tuple[Certainty, float | None]:
    """Return what a question in parts is worth: its certainty and its confidence, 0 to 1.

    As much as the whole question, or as the least of its parts where each of them is answered: no
    passage holds both sides of "team vs business storage".
    """
    sure = [one.confidence for one in parts if one.confidence and one.certainty == "answered"]
    if result.certainty == "nearest" and not result.premise and sure and len(sure) == len(parts):
        return "answered", min(sure)
    return result.certainty, result.confidence


def contradicted(question: str, hits: Sequence[Hit]) -> Evidence | None:
    """Return the entry that contradicts what the question takes for granted, or None.

    Judged is one form alone: the question gives a thing a number of parts ("its 4th head", "the
    five arms of"), and the best passage, whose heading or file name shares a content word with the
    question, counts fewer of them everywhere it counts them. Negations are not judged: half of
    the questions that meet one in their passage are answered by it (docs/experiments.md).
    """
    if not hits:
        return None
    passage = hits[0]
    about = set(stems(f"{passage.chunk.heading} {passage.chunk.path.rsplit('/', 1)[-1]}"))
    if not about & set(stems(question)):
        return None
    for match in _PRESUPPOSED.finditer(fold(question)):
        noun, number = stem(match["noun"]), _value(match["number"])
        counts = {value for value, name in _counts(passage.chunk.text) if name == noun}
        if counts and number > max(counts):
            return _counting(passage, noun)
    return None


def _counts(text: str) -> list[tuple[Fraction, str]]:
    return [(_value(m["number"]), stem(m["noun"])) for m in _COUNTED.finditer(fold(text))]


def _counting(hit: Hit, noun: str) -> Evidence | None:
    """The nearest entry that counts these, so that the reader sees how many there are."""
    for evidence in hit.evidence:
        if any(name == noun for _, name in _counts(evidence.entry.quote)):
            return evidence
    return None


def _value(number: str) -> Fraction:
    if plain := _ORDINAL.fullmatch(number):
        return Fraction(plain[1])
    if (place := numbers_in_words.ORDINALS.get(number.lower())) is not None:
        return Fraction(place)
    return numbers_in_words.value(number)
