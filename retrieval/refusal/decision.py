"""The one decision about a search: it answers, its passages are only the nearest, or neither."""

import re
from collections.abc import Sequence
from dataclasses import replace

from retrieval.context import SearchContext
from retrieval.models import Certainty, SearchResult
from retrieval.refusal import confidence, off_topic
from retrieval.refusal.confidence import features
from retrieval.refusal.premises import contradicted
from retrieval.text import numbers_in_words

_ANY_NUMBER = re.compile(  # few questions have one, and it is all that is judged of a premise
    rf"\d|\b(?:{numbers_in_words.PATTERN}|{'|'.join(numbers_in_words.ORDINALS)})\b", re.IGNORECASE
)


def decided(context: SearchContext, result: SearchResult) -> SearchResult:
    """Return the search with what it is worth: its certainty, and why where it is refused.

    Refusing needs evidence of another subject; a passage that may not answer, or that contradicts
    what the question takes for granted, is `nearest`. Raises ConfigurationError where what was
    fitted cannot be read.
    """
    if not result.hits:
        return replace(result, certainty="refused", confidence=0.0, refusal="no_passage")
    is_counted = _ANY_NUMBER.search(result.question)
    against = contradicted(result.question, result.hits, result.terms) if is_counted else None
    if off_topic.refuses(result):
        return replace(
            result, certainty="refused", confidence=0.0, refusal="off_topic", premise=against
        )
    fit = confidence.fitted(context)
    probability = fit.probability(features(result, result.question)) if fit else None
    sure = fit is None or probability is None or probability >= fit.limit
    is_doubtful = off_topic.is_doubtful(result) or result.threshold < context.threshold
    is_answered = sure and not against and not is_doubtful
    certainty: Certainty = "answered" if is_answered else "nearest"
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
