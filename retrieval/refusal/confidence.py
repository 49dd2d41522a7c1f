"""How likely it is that the first card answers: a logistic regression on what search says.

What was fitted is in retrieval/refusal/confidence.json, one entry for each set of models;
`python -m evals.calibrate` makes it of several vaults, never of a gate split.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from retrieval import fitted as fitted_files
from retrieval.context import SearchContext, calibrated_for
from retrieval.errors import ConfigurationError
from retrieval.fitted import Models
from retrieval.refusal.features import NAMES, Array

_FILE = Path(__file__).with_name("confidence.json")
_FURTHEST = 500.0  # of a logit, from which on exp() overflows


@dataclass(frozen=True, slots=True)
class ConfidenceFit:
    """A weight for each of NAMES, what is added, and under which probability it is `nearest`."""

    weights: Mapping[str, float]
    intercept: float
    limit: float

    def probability(self, features: Array) -> float:
        """Return the probability, 0 to 1, that the first card answers."""
        weights = np.array([self.weights[name] for name in NAMES])
        said = min(max(float(features @ weights + self.intercept), -_FURTHEST), _FURTHEST)
        return 1 / (1 + math.exp(-said))


def fitted(context: SearchContext) -> ConfidenceFit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where confidence.json cannot be read.
    """
    models = calibrated_for(context.settings, context.embedder, context.reranker)
    return _found(tuple(sorted(models.items())))


@lru_cache(maxsize=8)  # asked for with every question, and the file is read at the first
def _found(models: tuple[tuple[str, object], ...]) -> ConfidenceFit | None:
    stored = fitted_files.find(_FILE, dict(models), _read)
    if stored is not None and set(stored.weights) != set(NAMES):
        raise ConfigurationError(
            f"{_FILE.name} has weights for {sorted(stored.weights)}, not for {sorted(NAMES)}; "
            "run: python -m evals.calibrate"
        )
    return stored


def write(models: Models, made: ConfidenceFit, manifest: Mapping[str, object]) -> None:
    """Store a fit with what it was made on (`manifest`); those for other models stay.

    Raises ConfigurationError where confidence.json cannot be read.
    """
    fitted_files.write(_FILE, models, asdict(made), manifest, _read)
    _found.cache_clear()


def _read(entry: Mapping[str, Any]) -> ConfidenceFit:
    given = {name: float(value) for name, value in entry["weights"].items()}
    return ConfidenceFit(given, float(entry["intercept"]), float(entry["limit"]))
