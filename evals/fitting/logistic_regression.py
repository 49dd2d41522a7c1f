"""A logistic regression on what search says: the weights of `retrieval.refusal.confidence`."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from retrieval.refusal.confidence import LESS, NAMES, Array, ConfidenceFit

_SMALLEST = 1e-9  # a feature's deviation, under which it says nothing
PULL = 1.0  # draws the weights of standardised features to 0 (ridge)


def fit(features: Array, right: Array, shares: Array) -> ConfidenceFit:
    """Return what maximises the likelihood of `right` (0 or 1), each question by its share.

    `features` has shape (questions, len(NAMES)). The weights of LESS are 0 or under it. The limit
    is 0.5; `limit_for` sets it.
    """
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    used = deviation > _SMALLEST
    scaled = np.where(used, (features - mean) / np.where(used, deviation, 1.0), 0.0)
    scaled = np.column_stack([scaled, np.ones(len(scaled))])

    def loss(weights: Array) -> tuple[float, Array]:
        said = scaled @ weights
        cost = shares @ (np.logaddexp(0, said) - right * said)
        slope = scaled.T @ (shares * (1 / (1 + np.exp(-said)) - right))
        inner = np.append(weights[:-1], 0.0)
        return float(cost + PULL * inner @ inner), slope + 2 * PULL * inner

    bounds = [(None, 0.0 if name in LESS else None) for name in NAMES] + [(None, None)]
    start = np.zeros(scaled.shape[1])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = np.where(used, best[:-1] / np.where(used, deviation, 1.0), 0.0)
    intercept = float(best[-1] - weights @ mean)
    return ConfidenceFit(dict(zip(NAMES, map(float, weights), strict=True)), intercept, 0.5)


def limit_for(probabilities: Sequence[float], share: float) -> float:
    """Return the probability that `share` of the answerable questions are under."""
    return float(np.quantile(np.asarray(probabilities), share))
