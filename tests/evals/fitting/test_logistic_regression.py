"""The regression behind the confidence: it tells by what tells, and its limit is a share."""

import numpy as np
import pytest

from evals.fitting import logistic_regression
from evals.fitting.logistic_regression import fit, limit_for
from retrieval.refusal.confidence import NAMES, Array, ConfidenceFit


def made(count: int = 200) -> tuple[Array, Array]:
    """Questions whose first feature alone tells whether the first card is right, but for noise."""
    generator = np.random.default_rng(3)
    numbers = generator.normal(size=(count, len(NAMES)))
    numbers[:, 5] = 7.0  # always the same
    right = (numbers[:, 0] + generator.normal(scale=0.3, size=count) > 0).astype(float)
    return numbers, right


def fitted() -> ConfidenceFit:
    numbers, right = made()
    return fit(numbers, right, np.ones(len(right)))


def test_a_fit_tells_right_from_wrong_by_the_feature_that_does() -> None:
    numbers, right = made()
    model = fitted()
    said = np.array([model.probability(one) for one in numbers])
    assert np.mean((said > 0.5) == (right == 1)) > 0.85
    assert max(model.weights, key=lambda name: abs(model.weights[name])) == NAMES[0]
    assert model.weights[NAMES[5]] == 0.0
    assert float(np.mean(said)) == pytest.approx(float(np.mean(right)), abs=0.01)


def test_a_stronger_pull_makes_smaller_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    before = abs(fitted().weights[NAMES[0]])
    monkeypatch.setattr(logistic_regression, "PULL", 100.0)
    assert abs(fitted().weights[NAMES[0]]) < before


def test_questions_count_by_their_shares() -> None:
    numbers = np.zeros((4, len(NAMES)))
    right, shares = np.array([1.0, 0.0, 0.0, 0.0]), np.array([9.0, 1.0, 1.0, 1.0])
    model = fit(numbers, right, shares)
    assert model.probability(numbers[0]) == pytest.approx(0.75, abs=1e-3)


def test_the_limit_is_the_probability_that_the_share_is_under() -> None:
    said = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert limit_for(said, 0.0) == 0.1
    assert limit_for(said, 0.25) == pytest.approx(0.2)
    assert limit_for(said, 0.5) == pytest.approx(0.3)
    assert limit_for([0.7], 0.12) == 0.7
