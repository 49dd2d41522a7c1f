"""The fitted threshold: which score says that the rules hold an answer.

Scores of other models have other scales, so a threshold belongs to the models it was fitted with.
`python -m evals.calibrate` fits it.
"""

import json
from pathlib import Path

from retrieval.errors import ConfigurationError
from retrieval.fuse import TEXT_WEIGHT
from retrieval.rerank import Reranker
from retrieval.weights import ModelFiles

_FILE = Path(__file__).with_name("calibration.json")
NO_THRESHOLD = float("-inf")


def threshold(encoder: ModelFiles, reranker: Reranker | None) -> float:
    """Return the threshold fitted for these models; -inf, which drops nothing, for others.

    Raises ConfigurationError where calibration.json cannot be read.
    """
    try:
        fitted = json.loads(_FILE.read_text("utf-8"))
        return (
            float(fitted["threshold"]) if fitted["for"] == _key(encoder, reranker) else NO_THRESHOLD
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{_FILE.name} cannot be read: {error}; restore it") from error


def write(encoder: ModelFiles, reranker: Reranker | None, value: float, questions: int) -> None:
    """Store a threshold with what it was fitted on and for."""
    fitted = {
        "threshold": value,
        "split": "calibration",
        "questions": questions,
        "for": _key(encoder, reranker),
    }
    _FILE.write_text(json.dumps(fitted, indent=2) + "\n", "utf-8")


def _key(encoder: ModelFiles, reranker: Reranker | None) -> dict[str, object]:
    return {
        "encoder": encoder.digest,
        "reranker": reranker.name if reranker else "off",
        "text_weight": TEXT_WEIGHT,
    }
