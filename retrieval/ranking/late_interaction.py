"""Late interaction: each word piece of a question is compared with those of an entry.

Sources: Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized
Late Interaction over BERT" (2020); of the pooling: Clavié, Chaffin and Adams, "Reducing the
Footprint of Multi-Vector Retrieval with Minimal Performance Impact via Token Pooling" (2024).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval.models import Vectors

_LEVELS = 127  # of either sign in a signed byte
# Of a question's numbers. A product with an entry's bytes is under 2 ** 24 up to 168 dimensions, so
# a sum of single precision is exact, whatever stands beside it in the matrix and in which order.
_STEPS = np.float32(8_192)
_SMALLEST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class TokenVectors:
    """The unit vectors of an entry's pooled word pieces, as bytes; `values * scale` is a vector."""

    values: npt.NDArray[np.int8]  # shape (vectors, dimension)
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
    """Return what `unpacked` reads: the number of vectors in four bytes, then the values."""
    return len(tokens.values).to_bytes(4, "little") + tokens.values.tobytes()


def unpacked(data: bytes, scale: float) -> TokenVectors:
    """Return the token vectors that `packed` wrote."""
    values = np.frombuffer(data, np.int8, offset=4)
    return TokenVectors(values.reshape(int.from_bytes(data[:4], "little"), -1), scale)


def pooled_count(pieces: int, pooling: int) -> int:
    """Return how many vectors `pooled` leaves of so many word pieces."""
    return -(-pieces // pooling)


def pooled(vectors: Vectors, pooling: int) -> Vectors:
    """Return one vector for every `pooling` of `vectors`, shape (word pieces, dimension).

    Pieces that are alike (Ward's clusters) are joined into their mean, at length 1; one whose
    length is 0 stays so.
    """
    count = pooled_count(len(vectors), pooling)
    if count == len(vectors):
        return vectors
    # With the model's libraries, which load it too: half a second that only an ingest pays.
    from scipy.cluster.hierarchy import ward
    from scipy.spatial.distance import pdist

    sums: list[Vectors | None] = list(vectors)  # of each cluster; None once it is part of another
    for one, other in ward(pdist(vectors))[: len(vectors) - count, :2].astype(int):  # nearest first
        sums.append(np.add(sums[one], sums[other]))
        sums[one] = sums[other] = None
    left = np.stack([cluster for cluster in sums if cluster is not None])
    joined: Vectors = left / np.maximum(np.linalg.norm(left, axis=1, keepdims=True), _SMALLEST)
    return joined


def quantise(vectors: Vectors) -> TokenVectors:
    """Return `vectors`, shape (vectors, dimension), as bytes; an error is under scale / 2."""
    scale = float(np.abs(vectors).max(initial=0.0)) / _LEVELS
    scale = scale if scale >= _SMALLEST else 1.0  # nothing but zeros, or too small to divide by
    return TokenVectors(np.rint(vectors / scale).astype(np.int8), scale)


def similarities(question: QuestionTokens, entries: Sequence[TokenVectors]) -> Vectors:
    """Return how similar the most similar piece of each entry is to each piece of the question.

    Shape (word pieces, len(entries)), -1 to 1. Raises ValueError for an entry without vectors.
    """
    lengths = [len(entry.values) for entry in entries]
    if not all(lengths):
        raise ValueError(f"entry {lengths.index(0)} of {len(entries)} has no vectors")
    if not entries:
        return np.zeros((len(question.vectors), 0), np.float32)
    pieces = np.concatenate([entry.values for entry in entries]).astype(np.float32)
    similar = np.rint(question.vectors * _STEPS) @ pieces.T
    starts = np.cumsum([0, *lengths[:-1]])
    best = np.maximum.reduceat(similar, starts, axis=1)
    scaled: Vectors = best * (np.array([entry.scale for entry in entries], np.float32) / _STEPS)
    return scaled


def scores(question: QuestionTokens, entries: Sequence[TokenVectors]) -> Vectors:
    """Return the weighted mean, over the question's pieces, of the best similarity in each entry.

    Shape (len(entries),), -1 to 1. Raises ValueError for an entry without vectors.
    """
    return weighted(question, similarities(question, entries))


def weighted(question: QuestionTokens, similar: Vectors) -> Vectors:
    """Return the weighted mean of `similarities` over the question's pieces, one an entry.

    Summed one after the other: of a product of matrices the last digits depend on its shape.
    """
    means: Vectors = np.cumsum(question.weights[:, None] * similar, axis=0)[-1]
    return means
