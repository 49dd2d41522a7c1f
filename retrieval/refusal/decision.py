"""The one decision about a search: it answers, its passages are only the nearest, or neither."""

from dataclasses import dataclass
from typing import Literal

from retrieval.context import SearchContext
from retrieval.models import SearchResult
from retrieval.refusal import confidence, off_topic
from retrieval.refusal.features import features

Certainty = Literal["answered", "nearest", "refused"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done with a search. `confidence` is the probability that the first card answers.

    0 of a refusal; None where nothing was fitted for the models.
    """

    certainty: Certainty
    confidence: float | None


def decide(context: SearchContext, found: SearchResult, typed: str) -> Decision:
    """Return what is done with a search for a question, given as it was typed.

    Refusing needs evidence of another subject; a passage that may not answer is `nearest`. Raises
    ConfigurationError where what was fitted cannot be read.
    """
    if off_topic.refuses(found, off_topic.fitted(context)):
        return Decision("refused", 0.0)
    fit = confidence.fitted(context)
    if fit is None:
        return Decision("answered", None)
    probability = fit.probability(features(found, typed))
    return Decision("answered" if probability >= fit.limit else "nearest", probability)
