"""Files of what was fitted: a JSON list with one entry for each set of models.

Scores of other models have other scales, so a fit belongs to the models it was made with.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from retrieval import atomic_write
from retrieval.errors import ConfigurationError

Models = Mapping[str, object]
_Fit = TypeVar("_Fit")
_Read = Callable[[Mapping[str, Any]], _Fit]  # an entry's fit; KeyError, TypeError, ValueError


def find(path: Path, models: Models, read: _Read[_Fit]) -> _Fit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where the file cannot be read.
    """
    return next((read(entry) for entry in entries(path, read) if entry["for"] == models), None)


def write(
    path: Path,
    models: Models,
    fit: Mapping[str, object],
    manifest: Mapping[str, object],
    read: _Read[_Fit],
) -> None:
    """Store a fit with what it was made on (`manifest`), at once; those for other models stay.

    Raises ConfigurationError where the file is there and cannot be read.
    """
    before = entries(path, read) if path.exists() else []
    others = [entry for entry in before if entry["for"] != models]
    entry = {**fit, "fitted_on": dict(manifest), "for": dict(models)}
    atomic_write.write(path, json.dumps([*others, entry], indent=2) + "\n")


def entries(path: Path, read: _Read[object]) -> list[dict[str, Any]]:
    """Return all entries. Raises ConfigurationError where `read` takes one of them for broken."""
    try:
        fits = json.loads(path.read_text("utf-8"))
        for entry in fits:
            read(entry)
            dict(entry["for"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{path.name} cannot be read: {error}; restore it") from error
    return list(fits)
