"""What was fitted for a set of models: the weights of the stages and the refusal threshold.

They stand in calibration.json; `python -m evals.calibrate` makes them.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from retrieval import fitted
from retrieval.fitted import Models

_FILE = Path(__file__).with_name("calibration.json")


@dataclass(frozen=True, slots=True)
class Weights:
    """What a score of 1 of each stage counts beside a cosine of 1; 0 leaves the stage out.

    Fitted by `evals.calibrate`, never on the gate split. `rerank` is None for a cross-encoder whose
    scale nobody has measured: then its scores alone make the order.
    """

    text: float
    late: float
    rerank: float | None
    names: float = 0.0
    ranges: float = 0.0
    whole: float = 0.0  # of passages whose names and fields are all that is asked


@dataclass(frozen=True, slots=True)
class RankingFit:
    """`threshold` is compared with what `weights` make of a passage's scores; lower is dropped."""

    weights: Weights
    threshold: float


# For models that nobody has calibrated: weights that suited several encoders, and no refusal.
UNFITTED = RankingFit(
    Weights(text=0.8, late=1.0, rerank=None, names=0.2, ranges=0.08, whole=0.3), float("-inf")
)


def find(models: Models) -> RankingFit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where calibration.json cannot be read.
    """
    return fitted.find(_FILE, models, _fit)


def write(models: Models, fit: RankingFit, manifest: Mapping[str, object]) -> None:
    """Store a fit with what it was made on (`manifest`); those for other models stay.

    Raises ConfigurationError where calibration.json cannot be read.
    """
    fitted.write(_FILE, models, asdict(fit), manifest, _fit)


def _fit(entry: Mapping[str, Any]) -> RankingFit:
    for stage, weight in entry["weights"].items():
        if weight is not None and not 0 <= weight < math.inf:
            raise ValueError(f"the weight of {stage!r} is {weight!r}, not 0 or more")
    return RankingFit(Weights(**entry["weights"]), float(entry["threshold"]))
