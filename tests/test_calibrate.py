"""The threshold: fitted on any scale, stored beside those for other models."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from evals import calibrate
from retrieval import calibration
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.models import Chunk
from retrieval.rulebook import Rulebook
from retrieval.settings import Settings
from retrieval.weights import ModelFiles

ENCODER = ModelFiles("encoder", Path("encoder"), "0" * 64)
OTHER = ModelFiles("other", Path("other"), "1" * 64)


class Logits:
    """A reranker by name only."""

    name = "logits"

    def scores(self, question: str, chunks: Sequence[Chunk]) -> list[float]:
        raise NotImplementedError

    def warm(self) -> None:
        raise NotImplementedError


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty calibration.json."""
    path = tmp_path / "calibration.json"
    path.write_text("[]", "utf-8")
    monkeypatch.setattr(calibration, "_FILE", path)
    return path


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
    assert calibrate.fit(limits) == value


@pytest.mark.parametrize("limits", [[], [None, None]])
def test_without_a_hit_nothing_is_fitted(limits: Sequence[float | None]) -> None:
    with pytest.raises(DatasetError, match="answers none of the questions"):
        calibrate.fit(limits)


def test_every_model_has_a_threshold_of_its_own(stored: Path) -> None:
    calibration.write(ENCODER, None, 0.34, 222)
    calibration.write(ENCODER, Logits(), -3.46, 222)
    assert calibration.threshold(ENCODER, None) == 0.34
    assert calibration.threshold(ENCODER, Logits()) == -3.46
    assert calibration.threshold(OTHER, None) == calibration.NO_THRESHOLD


def test_only_the_entry_of_the_same_models_is_replaced(stored: Path) -> None:
    calibration.write(ENCODER, None, 0.34, 222)
    calibration.write(OTHER, None, 0.5, 222)
    other = json.loads(stored.read_text("utf-8"))[1]
    calibration.write(ENCODER, None, 0.4, 100)
    entries = json.loads(stored.read_text("utf-8"))
    assert len(entries) == 2
    assert other in entries
    assert calibration.threshold(ENCODER, None) == 0.4


@pytest.mark.parametrize("text", ["", "{", "3", '{"threshold": 0.34}', "[{}]", "[3]"])
def test_a_broken_file_is_said_to_be_one(stored: Path, text: str) -> None:
    stored.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=r"calibration\.json cannot be read"):
        calibration.threshold(ENCODER, None)


def test_the_program_prints_its_curve_and_stores_the_threshold(
    rulebook: Rulebook,
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
    row = {"id": "torch", "question": "How long does a torch burn?", "kind": "prose"}
    rows = [{**row, "gold": [gold], "split": "calibration"}]
    rows.append({"id": "laser", "question": "What does a laser cost?", "kind": "offtopic"})
    rows[1]["split"] = "calibration"
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    assert calibrate.main(["--dataset", str(path)]) == 0
    out = capsys.readouterr().out
    value = json.loads(out.splitlines()[-1])["threshold"]
    assert f"{value:>8.2f}*" in out
    assert calibration.threshold(rulebook.embedder.files, None) == value

    rows[0]["gold"] = [{"path": "1. Light/Torches.md", "quote": "A torch burns for two hours."}]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    assert calibrate.main(["--dataset", str(path)]) == 2
    assert calibration.threshold(rulebook.embedder.files, None) == value
