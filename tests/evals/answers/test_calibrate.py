"""The threshold: fitted on any scale, stored beside those for other models."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import calibrate
from evals.fitting import confidence as confidence_fit
from evals.labels import dataset
from retrieval.context import SearchContext, calibrated_for
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.index import store
from retrieval.models import OffTopicLimits
from retrieval.ranking import calibration
from retrieval.ranking.calibration import RankingFit, Weights
from retrieval.refusal import confidence, off_topic
from retrieval.settings import Settings

MODELS = {"encoder": "0" * 64, "reranker": "off", "late_interaction": True, "folding": 3}
OTHERS = {**MODELS, "encoder": "1" * 64}
FIT = RankingFit(Weights(text=0.5, late=2.0, rerank=None), threshold=0.34)
SEEN = {"split": "calibration", "ids": ["a", "b"]}


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty calibration.json, and an empty confidence.json beside it."""
    files = [tmp_path / f"{name}.json" for name in ("calibration", "confidence")]
    for module, file in zip((calibration, confidence), files, strict=True):
        file.write_text("[]", "utf-8")
        monkeypatch.setattr(module, "_FILE", file)
    _forget()
    yield files[0]
    _forget()


def _forget() -> None:
    """What was read of other files is kept in memory."""
    off_topic._calibrated.cache_clear()
    confidence._found.cache_clear()


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ([0.519, None, 0.347], 0.34),
        ([-3.456, 8.0], -3.46),
        ([11.239, None], 11.23),
        ([-0.004], -0.01),
    ],
)
def test_the_lowest_limit_is_rounded_down_on_any_scale(
    limits: Sequence[float | None], value: float
) -> None:
    assert calibrate.threshold(limits) == value


@pytest.mark.parametrize("limits", [[], [None, None]])
def test_without_a_hit_nothing_is_fitted(limits: Sequence[float | None]) -> None:
    with pytest.raises(DatasetError, match="answers none of the questions"):
        calibrate.threshold(limits)


def test_a_fit_belongs_to_its_models_and_only_theirs_is_replaced(stored: Path) -> None:
    other = RankingFit(Weights(text=0.1, late=0.0, rerank=0.3), threshold=-3.46)
    calibration.write(MODELS, FIT, SEEN)
    calibration.write(OTHERS, other, SEEN)
    assert calibration.find(MODELS) == FIT
    entry = json.loads(stored.read_text("utf-8"))[1]
    calibration.write(MODELS, replace(FIT, threshold=0.4), {"split": "calibration", "ids": ["c"]})
    entries = json.loads(stored.read_text("utf-8"))
    assert len(entries) == 2
    assert entry in entries
    assert calibration.find(MODELS) == replace(FIT, threshold=0.4)
    assert calibration.find(OTHERS) == other
    assert calibration.find({**MODELS, "late_interaction": False}) is None


@pytest.mark.parametrize("text", ["", "{", "3", '{"threshold": 0.34}', "[{}]", "[3]"])
def test_a_broken_file_is_said_to_be_one(stored: Path, text: str) -> None:
    stored.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"calibration\.json cannot be read"):
        calibration.find(MODELS)


def test_the_program_prints_its_fits_and_stores_them(
    search_context: SearchContext,
    settings: Settings,
    stored: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert settings.database_url
    monkeypatch.setenv("DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("VAULT", str(settings.vault))
    gold = {"path": "1. Light/Torches.md", "quote": "A torch burns for one hour."}
    asked = ("How long does a torch burn", "A torch burns how long", "How long is a torch alight",
             "Torch: for how long", "When does a torch go out")  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"id": f"torch-{n}", "question": f"{question}?", "kind": "prose", "gold": [gold]}
        for n, question in enumerate(asked)
    ]
    rows.append({"id": "laser", "question": "What does a laser cost?", "kind": "offtopic"})
    rows = [{**row, "split": "calibration"} for row in rows]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    # The confidence is fitted on this set instead of fifteen others, which takes minutes.
    own = [(name, settings.vault, dataset.load(path)) for name in ("rules", "again")]
    monkeypatch.setattr(confidence_fit, "sets", lambda *_: iter(own))
    assert calibrate.main(["--dataset", str(path), "--beside", "none"]) == 0
    out = capsys.readouterr().out
    (told,) = (line for line in out.splitlines() if line.startswith("{"))
    value = json.loads(told)["threshold"]
    assert "not cross-validated: 4 answerable questions: too few" in out
    models = calibrated_for(settings, search_context.embedder, None)
    fit = calibration.find(models)
    assert fit
    assert fit.threshold == value
    assert fit.weights.text >= 0
    assert fit.weights.late >= 0
    (entry,) = json.loads(stored.read_text("utf-8"))
    assert entry["fitted_on"].pop("beside") == {}
    assert entry["fitted_on"]["ids"] == sorted(row["id"] for row in rows)
    (limits,) = off_topic.of_vault(settings.vault)
    kept = off_topic.limits(search_context, search_context.store.read(store.live), entries=0)
    assert kept == OffTopicLimits(limits["covered"], limits["nearer"])
    made = confidence.fitted(search_context)
    assert made
    assert f"confidence: limit {made.limit}; answered, each vault" in out
    for file in (settings.vault / off_topic.FILE, stored.with_name("confidence.json")):
        (other,) = json.loads(file.read_text("utf-8"))
        assert other["fitted_on"] == entry["fitted_on"]

    wrong = [{"path": "1. Light/Torches.md", "quote": "A torch burns for two hours."}]
    rows = [{**row, "gold": wrong} if "gold" in row else row for row in rows]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    assert calibrate.main(["--dataset", str(path), "--beside", "none"]) == 2
    assert calibration.find(models) == fit
    assert confidence.fitted(search_context) == made
