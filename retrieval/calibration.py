"""What was fitted for a set of models: the weights of the stages and the refusal threshold.

Scores of other models have other scales, so a fit belongs to the models it was made with.
calibration.json is a list with one entry for each; `python -m evals.calibrate` makes them.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from retrieval.errors import ConfigurationError
from retrieval.fuse import Weights

_FILE = Path(__file__).with_name("calibration.json")
Models = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Fit:
    """`threshold` is compared with what `weights` make of a passage's scores; lower is dropped."""

    weights: Weights
    threshold: float


# For models that nobody has calibrated: weights that suited several encoders, and no refusal.
UNFITTED = Fit(Weights(text=0.8, late=1.0, rerank=None), float("-inf"))


def find(models: Models) -> Fit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where calibration.json cannot be read.
    """
    return next((fit for key, fit, _ in _entries() if key == models), None)


def write(models: Models, fit: Fit, manifest: Mapping[str, object]) -> None:
    """Store a fit with what it was made on (`manifest`); those for other models stay.

    Raises ConfigurationError where calibration.json cannot be read.
    """
    entry = {**asdict(fit), "fitted_on": dict(manifest), "for": dict(models)}
    others = [whole for key, _, whole in _entries() if key != models]
    _FILE.write_text(json.dumps([*others, entry], indent=2) + "\n", "utf-8")


def _entries() -> list[tuple[dict[str, object], Fit, dict[str, Any]]]:
    """The models, the fit and the whole of every entry."""
    try:
        entries = json.loads(_FILE.read_text("utf-8"))
        return [
            (dict(e["for"]), Fit(Weights(**e["weights"]), float(e["threshold"])), e)
            for e in entries
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{_FILE.name} cannot be read: {error}; restore it") from error
