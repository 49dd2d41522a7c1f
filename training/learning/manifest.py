"""The record beside trained weights: from what, how and how well. Equal runs write equal ones."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from retrieval import atomic_write
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import DatasetError
from training.learning.material import Sources


def sources(read: Sources) -> dict[str, object]:
    """Return the sha256 of each file, by what it is; DatasetError where one cannot be read."""
    found: dict[str, object] = {"groups": sha256(read.groups)}
    if read.foreign is not None:
        found |= {"foreign": sha256(read.foreign), "foreign_count": read.foreign_count}
    return found


def base(files: ModelFiles) -> dict[str, str]:
    """Return the name and the digest (weights, tokenizer, configuration) of what we start from."""
    return {"name": files.name, "digest": files.digest}


def sha256(path: Path) -> str:
    """Return the digest of a file. Raises DatasetError."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DatasetError(
            f"{path} cannot be read: {error.strerror}; is the path right?"
        ) from error


def write(path: Path, record: Mapping[str, object]) -> None:
    """Replace the JSON file `path` by `record` at once."""
    atomic_write.write(path, json.dumps(record, indent=2) + "\n")
