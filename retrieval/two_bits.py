"""Unit vectors in two bits a dimension, a sixteenth of their size: for lists that ship with code.

The four levels are those with the least mean squared error for normally distributed values (Max,
"Quantizing for Minimum Distortion", 1960), here around each vector's own mean size.
"""

import numpy as np
import numpy.typing as npt

from retrieval.models import Vectors

_PER_BYTE = 4  # dimensions
_LARGE = 1.23  # times a vector's mean size: where a value counts as large
_LEVELS = np.array([0.567, 1.893], np.float32)  # times the mean size: a small value, a large one


def packed(vectors: Vectors) -> npt.NDArray[np.uint8]:
    """Return vectors, shape (vectors, dimension), as bytes, shape (vectors, dimension / 4).

    Raises ValueError for a dimension that is no multiple of 4.
    """
    if vectors.shape[1] % _PER_BYTE:
        raise ValueError(f"{vectors.shape[1]} dimensions are no multiple of {_PER_BYTE}")
    sizes = np.abs(vectors)
    large = sizes > _LARGE * sizes.mean(axis=1, keepdims=True)
    return np.packbits(np.concatenate([vectors > 0, large], axis=1), axis=1)


def unpacked(data: npt.NDArray[np.uint8]) -> Vectors:
    """Return what `packed` was given, roughly, each vector at length 1."""
    bits = np.unpackbits(data, axis=1)
    positive, large = np.split(bits, 2, axis=1)
    values = _LEVELS[large] * (2 * positive.astype(np.float32) - 1)
    found: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return found
