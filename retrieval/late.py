"""Late interaction: each word piece of a question is compared with each of an entry.

Source: Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized
Late Interaction over BERT" (2020).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.models import Vectors

_LEVELS = 127  # of either sign in a signed byte
_SMALLEST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The unit vectors of an entry's word pieces as bytes; `values * scale` gives them back."""

    values: npt.NDArray[np.int8]  # shape (word pieces, dimension)
    scale: float

    @property
    def size(self) -> int:
        """Bytes."""
        return self.values.nbytes


@dataclass(frozen=True, slots=True)
class QuestionTokens:
    """The unit vectors of a question's word pieces, and how much each of them counts."""

    vectors: Vectors  # shape (word pieces, dimension)
    weights: Vectors  # shape (word pieces,); their sum is 1


def packed(tokens: TokenVectors) -> bytes:
    """Return what `unpacked` reads: the number of word pieces in four bytes, then the values."""
    return len(tokens.values).to_bytes(4, "little") + tokens.values.tobytes()


def unpacked(data: bytes, scale: float) -> TokenVectors:
    """Return the token vectors that `packed` wrote."""
    values = np.frombuffer(data, np.int8, offset=4)
    return TokenVectors(values.reshape(int.from_bytes(data[:4], "little"), -1), scale)


def quantise(vectors: Vectors) -> TokenVectors:
    """Return `vectors`, shape (word pieces, dimension), as bytes; an error is under scale / 2."""
    scale = float(np.abs(vectors).max(initial=0.0)) / _LEVELS
    scale = scale if scale >= _SMALLEST else 1.0  # nothing but zeros, or too small to divide by
    return TokenVectors(np.rint(vectors / scale).astype(np.int8), scale)


def scores(question: QuestionTokens, entries: Sequence[TokenVectors]) -> Vectors:
    """Return the weighted mean, over the question's pieces, of the best similarity in each entry.

    Shape (len(entries),), -1 to 1. Raises ValueError for an entry without word pieces.
    """
    lengths = [len(entry.values) for entry in entries]
    if not entries:
        return np.zeros(0, np.float32)
    if not all(lengths):
        raise ValueError(f"entry {lengths.index(0)} of {len(entries)} has no word pieces")
    pieces = np.concatenate([entry.values for entry in entries]).astype(np.float32)
    similar = question.vectors @ pieces.T
    starts = np.cumsum([0, *lengths[:-1]])
    best = np.maximum.reduceat(similar, starts, axis=1)
    scales = np.array([entry.scale for entry in entries], np.float32)
    weighted: Vectors = (question.weights @ best) * scales
    return weighted
