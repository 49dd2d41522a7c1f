"""Models are compared on one set of questions, each by its own weights, and chance wins nothing."""

import json
from pathlib import Path

import pytest

from evals import models
from evals.models import MeasuredModels
from retrieval.ranking import calibration
from retrieval.settings import Settings
from tests.evals.gating.test_evals_retrieval import QUESTIONS, dataset
from tests.retrieval.ranking.test_reranking import build

ASKED = [QUESTIONS[at % 3] | {"id": f"q{at}"} for at in range(12)]


def measured(reranker: str, ranks: list[float]) -> MeasuredModels:
    weights = calibration.UNFITTED.weights
    return MeasuredModels("bundled", reranker, tuple(ranks), weights, 40.0, 3.0)


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ([1.0] * 18 + [0.5] * 2, "The best: EMBEDDING_MODEL=bundled RERANKER_MODEL=other"),
        ([0.5] * 17 + [1.0] * 3, "None is better"),  # three of twenty is chance
        ([0.25] * 20, "None is better"),
    ],
)
def test_what_is_better_than_the_present_beyond_chance_is_advised(
    theirs: list[float], said: str
) -> None:
    found = [measured("off", [0.5] * 20), measured("other", theirs)]
    report = models._report(found, ("bundled", "off"), [str(at) for at in range(20)], {})
    assert report.notes[0].startswith(said)
    assert report.rows[19].record["EMBEDDING_MODEL=bundled RERANKER_MODEL=other"] == theirs[19]
    (table,) = report.tables.values()
    assert [row[4] for row in table[1:2]] == ["present"]


def test_a_reranker_of_a_folder_is_measured_over_the_same_index(
    environment: Path, tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build(tmp_path / "tiny")
    rows = tmp_path / "rows.jsonl"
    given = ["--dataset", dataset(environment, ASKED), "--rerankers", str(folder)]
    assert models.main([*given, "--json", str(rows)]) == 0
    said = capsys.readouterr().out
    assert "12 questions, each scored under weights fitted on others" in said
    assert f"{folder}  1.000" in said  # all three are among the first four of four passages
    found = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    assert [row["id"] for row in found] == [row["id"] for row in ASKED]
    assert found[0]["EMBEDDING_MODEL=bundled RERANKER_MODEL=off"] == 1.0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "name an ENCODER, or --rerankers"),
        (["--rerankers", "llm"], "use evals.retrieval"),
        (["--rerankers", "bundled"], "3 questions; it takes 10"),
        (["no/such-model"], "3 questions; it takes 10"),
    ],
)
def test_what_cannot_be_compared_is_said(
    environment: Path, capsys: pytest.CaptureFixture[str], given: list[str], said: str
) -> None:
    assert models.main(["--dataset", dataset(environment, QUESTIONS), *given]) == 2
    assert said in capsys.readouterr().err
