"""The fitted threshold: which score says that the rules hold an answer.

Scores of other models have other scales, so a threshold belongs to the models it was fitted with.
"""

from retrieval.rerank import Reranker
from retrieval.weights import ModelFiles

# Fitted on the calibration split of evals/datasets/rules.jsonl; see docs/experiments.md.
_FITTED = {"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": 0.0}
_NO_THRESHOLD = float("-inf")


def threshold(encoder: ModelFiles, reranker: Reranker | None) -> float:
    """Return the fitted threshold for these models; -inf, which drops nothing, for others."""
    if reranker is not None:
        return _NO_THRESHOLD
    return _FITTED.get(encoder.digest, _NO_THRESHOLD)
