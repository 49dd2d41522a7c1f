"""Unit vectors in two bits a dimension, a sixteenth of their size: for lists that ship with code.

The four levels are those with the least mean squared error for normally distributed values (Max,
"Quantizing for Minimum Distortion", 1960), here around each vector's own mean size.
"""

import numpy as np
import numpy.typing as npt

from retrieval.models import Vectors

_LARGE = 1.23  # times a vector's mean size: where a value counts as large
_LEVELS = np.array([0.567, 1.893], np.float32)  # times the mean size: a small value, a large one


def packed(vectors: Vectors) -> npt.NDArray[np.uint8]:
    """Return vectors, shape (vectors, dimension), as bytes: a row of dimension / 4 for each."""
    sizes = np.abs(vectors)
    large = sizes > _LARGE * sizes.mean(axis=1, keepdims=True)
    return np.packbits(np.concatenate([vectors > 0, large], axis=1), axis=1)


def unpacked(data: npt.NDArray[np.uint8], dimension: int) -> Vectors:
    """Return what `packed` was given, roughly, each vector at length 1."""
    bits = np.unpackbits(data, axis=1, count=2 * dimension)
    positive, large = np.split(bits, 2, axis=1)
    values = _LEVELS[large] * (2 * positive.astype(np.float32) - 1)
    found: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return found
