"""Nothing that was fitted has seen the questions that it is measured with."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evals.labels import dataset, extra_vaults
from evals.labels.options import RULES, RULES_VAULT
from retrieval.context import SearchContext, calibrated_for
from retrieval.errors import ConfigurationError
from retrieval.ranking import calibration
from retrieval.refusal import off_topic
from retrieval.settings import Settings

FITTED = [
    Path(calibration.__file__).with_name("calibration.json"),
    RULES_VAULT / off_topic.FILE,
]


@pytest.mark.parametrize("file", FITTED, ids=lambda file: file.name)
def test_a_fit_of_the_default_models_has_seen_calibration_questions_alone(
    file: Path, settings: Settings, search_context: SearchContext
) -> None:
    models = calibrated_for(settings, search_context.embedder, search_context.reranker)
    fits = json.loads(file.read_text("utf-8"))
    (fit,) = [fit for fit in fits if fit["for"] == models]
    splits = {question.id: question.split for question in dataset.load(RULES)}
    assert fit["fitted_on"]["dataset"] == RULES.name
    assert len(fit["fitted_on"]["ids"]) == fit["fitted_on"]["questions"] > 100
    assert {splits[one] for one in fit["fitted_on"]["ids"]} == {"calibration"}


def test_the_weights_are_fitted_on_other_rules_as_well(
    settings: Settings, search_context: SearchContext
) -> None:
    models = calibrated_for(settings, search_context.embedder, search_context.reranker)
    (fit,) = [fit for fit in json.loads(FITTED[0].read_text("utf-8")) if fit["for"] == models]
    assert set(fit["fitted_on"]["beside"]) == set(extra_vaults.COLLECTIONS)
    assert min(fit["fitted_on"]["beside"].values()) > 200


def test_the_default_models_are_calibrated(
    settings: Settings,
    open_rules: Callable[[Settings], SearchContext],
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert open_rules(settings).threshold > float("-inf")
    assert "nothing was fitted" not in caplog.text


def test_a_weight_below_zero_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first, *_) = json.loads(FITTED[0].read_text("utf-8"))
    broken = tmp_path / "calibration.json"
    broken.write_text(json.dumps([first | {"weights": first["weights"] | {"text": -0.6}}]), "utf-8")
    monkeypatch.setattr(calibration, "_FILE", broken)
    with pytest.raises(ConfigurationError, match=r"calibration\.json .* 'text' is -0\.6, not 0 or"):
        calibration.find(first["for"])
