"""Check the encoder itself on one rule and one question, whose similarity is known.

Labels hardly see a part of the encoder that is not applied: late interaction still finds most
rules with vectors of odd lengths, without the adapter, or with all words of equal importance.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from retrieval.encoder.bi_encoder import Embedder
from retrieval.models import Vectors

RULE = "Torch: A torch burns for one hour and lights a circle of 30 feet."
QUESTION = "How long does a torch burn?"
_ALIKE = 0.001  # a machine rounds otherwise in the sixth place; a missing part moves the third
_QUANTISED = 0.02  # of a length: vectors of entries are stored as bytes


class Known(NamedTuple):
    """What the encoder says of the rule and the question."""

    cosine: float  # of their vectors
    late: float  # similarity by late interaction
    importance: float  # of the most important word piece of the question; they sum to 1


# By the digest of the model's files. Measured with `measured` when the adapter was taken in; a new
# adapter needs its own line, and test_encoder_check says so.
KNOWN: Mapping[str, Known] = {
    "e6c9c826abfeac86732ac0bbd197082935a4abc06274d80685e2979c846ae7c7": Known(
        0.73495, 0.80031, 0.17219
    ),
}


def measured(embedder: Embedder) -> Known:
    """Return what this encoder says of the rule and the question."""
    rule, question = embedder.encode([RULE]), embedder.question(QUESTION)
    similar = question.tokens.vectors @ _pieces(embedder).T
    return Known(
        float(rule.vectors[0] @ question.vector),
        float(question.tokens.weights @ similar.max(axis=1)),
        float(question.tokens.weights.max()),
    )


def encoder_faults(embedder: Embedder) -> Iterator[str]:
    """Yield what is wrong with an encoder; only odd lengths of one that KNOWN has not."""
    for name, vectors, error in (
        ("the question", embedder.question(QUESTION).tokens.vectors, _ALIKE),
        ("the rule", _pieces(embedder), _QUANTISED),
    ):
        lengths = np.linalg.norm(vectors, axis=1)
        if np.abs(lengths - 1).max() > error:
            yield (
                f"vectors of {name}'s word pieces have lengths of {lengths.min():.3f} to "
                f"{lengths.max():.3f}, not 1"
            )
    known = KNOWN.get(embedder.files.digest) if embedder.pooling == 1 else None
    now = measured(embedder)
    for name, before, value in zip(Known._fields, known or now, now, strict=True):
        if abs(value - before) > _ALIKE:
            yield f"{name} of {QUESTION!r} and its rule is {value:.4f}, with sound parts {before}"


def _pieces(embedder: Embedder) -> Vectors:
    """The vectors of the rule's word pieces, shape (vectors, dimension)."""
    tokens = embedder.encode([RULE]).tokens[0]
    return (tokens.values * tokens.scale).astype(np.float32)
