"""What training changed of the bundled encoder: differences of its weights, and a head.

The base model is installed from a package and stays as its authors publish it; only the differences
are ours. They are stored as bytes with a scale a row, a quarter of what floats would take.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from retrieval.errors import ModelUnavailableError
from retrieval.models import Vectors

_SCALE = ".scale"
_HEAD = "head."
_PARTS = ("projection", "importance")
_LEVELS = 127  # of either sign in a signed byte


@dataclass(frozen=True, slots=True)
class Head:
    """What makes token vectors of the encoder's last layer: `projection @ hidden`, unit length.

    `importance @ hidden` says, through a softmax over a question, how much a word piece counts.
    """

    projection: Vectors  # shape (dimension of token vectors, hidden size)
    importance: Vectors  # shape (hidden size,)


@dataclass(frozen=True, slots=True)
class Adapter:
    """Differences by the parameter's name, to be added to the base, and the head."""

    differences: Mapping[str, Vectors]
    head: Head | None


def read(path: Path) -> Adapter:
    """Return the adapter of a file that `write` made. Raises ModelUnavailableError."""
    tensors = _tensors(path, "")
    differences = {}
    for name, values in tensors.items():
        if not name.endswith(_SCALE) and not name.startswith(_HEAD):
            scale = tensors.get(name + _SCALE)
            whole = values.astype(np.float32)
            differences[name] = whole if scale is None else whole * scale[:, None]
    return Adapter(differences, read_head(path))


def read_head(path: Path) -> Head | None:
    """Return the head of a file that `write` made; None where it has none."""
    parts = _tensors(path, _HEAD)
    if not parts:
        return None
    return Head(*(parts[_HEAD + part].astype(np.float32) for part in _PARTS))


def _tensors(path: Path, beginning: str) -> dict[str, npt.NDArray[Any]]:
    """The tensors whose names begin so. Raises ModelUnavailableError."""
    try:
        with safe_open(path, "numpy") as file:
            names = [name for name in list(file.keys()) if name.startswith(beginning)]
            return {name: file.get_tensor(name) for name in names}
    except (OSError, SafetensorError) as error:
        raise ModelUnavailableError(f"{path.name} cannot be read: {error}; restore it") from error


def write(path: Path, adapter: Adapter) -> None:
    """Write an adapter: matrices as bytes with a scale a row, everything else as float16."""
    tensors: dict[str, npt.NDArray[np.generic]] = {}
    for name, values in adapter.differences.items():
        if values.ndim == 1:
            tensors[name] = values.astype(np.float16)
            continue
        scale = np.abs(values).max(axis=1) / _LEVELS
        scale = np.where(scale > 0, scale, 1.0).astype(np.float32)
        tensors[name] = np.rint(values / scale[:, None]).astype(np.int8)
        tensors[name + _SCALE] = scale
    if adapter.head:
        tensors[_HEAD + "projection"] = adapter.head.projection.astype(np.float16)
        tensors[_HEAD + "importance"] = adapter.head.importance.astype(np.float16)
    save_file(tensors, path)
    path.chmod(0o644)  # it ships: safetensors writes for its owner alone


def apply(own: Mapping[str, Vectors], adapter: Adapter) -> None:
    """Add the differences in place to a model's `own` parameters, by name.

    Raises ModelUnavailableError where one of them is not the model's, by name or shape.
    """
    for name, values in adapter.differences.items():
        if name not in own or own[name].shape != values.shape:
            raise ModelUnavailableError(
                f"the adapter changes {name!r} {values.shape}, which the encoder does not have"
            )
        own[name][...] += values
