"""The fitted thresholds: which score says that the rules hold an answer.

Scores of other models have other scales, so a threshold belongs to the models it was fitted with.
calibration.json is a list with one entry for each; `python -m evals.calibrate` fits it.
"""

import json
from pathlib import Path
from typing import Any

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
    key = _key(encoder, reranker)
    return next((value for models, value, _ in _entries() if models == key), NO_THRESHOLD)


def write(encoder: ModelFiles, reranker: Reranker | None, value: float, questions: int) -> None:
    """Store a threshold with what it was fitted on and for; those for other models stay.

    Raises ConfigurationError where calibration.json cannot be read.
    """
    fitted = {
        "threshold": value,
        "split": "calibration",
        "questions": questions,
        "for": _key(encoder, reranker),
    }
    others = [entry for models, _, entry in _entries() if models != fitted["for"]]
    _FILE.write_text(json.dumps([*others, fitted], indent=2) + "\n", "utf-8")


def _entries() -> list[tuple[dict[str, object], float, dict[str, Any]]]:
    """The models, the threshold and the whole of every entry."""
    try:
        entries = json.loads(_FILE.read_text("utf-8"))
        return [(dict(entry["for"]), float(entry["threshold"]), entry) for entry in entries]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{_FILE.name} cannot be read: {error}; restore it") from error


def _key(encoder: ModelFiles, reranker: Reranker | None) -> dict[str, object]:
    return {
        "encoder": encoder.digest,
        "reranker": reranker.name if reranker else "off",
        "text_weight": TEXT_WEIGHT,
    }
