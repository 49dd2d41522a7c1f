"""The one decision about a search: it answers, its passages are only the nearest, or neither."""

from dataclasses import replace

from retrieval.context import SearchContext
from retrieval.models import Certainty, SearchResult
from retrieval.refusal import confidence, off_topic, premise
from retrieval.refusal.features import features


def decided(context: SearchContext, result: SearchResult) -> SearchResult:
    """Return the search with what it is worth: its certainty, and why where it is refused.

    Refusing needs evidence of another subject; a passage that may not answer, or that contradicts
    what the question takes for granted, is `nearest`. Raises ConfigurationError where what was
    fitted cannot be read.
    """
    if not result.hits:
        return replace(result, certainty="refused", confidence=0.0, refusal="no_passage")
    against = premise.contradicted(result.question, result.hits)
    if off_topic.refuses(result):
        return replace(
            result, certainty="refused", confidence=0.0, refusal="off_topic", premise=against
        )
    fit = confidence.fitted(context)
    probability = fit.probability(features(result, result.question)) if fit else None
    sure = fit is None or probability is None or probability >= fit.limit
    certainty: Certainty = "answered" if sure and not against else "nearest"
    return replace(result, certainty=certainty, confidence=probability, premise=against)
