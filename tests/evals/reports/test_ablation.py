"""The ablation: a chunker that is blind, stages that are off, differences that are right."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import retrieval.search
from api.answer import card_reply
from evals import ablation
from evals.labels import dataset
from evals.measure.outcome import Subject
from evals.stages.configurations import (
    SHIPPED,
    Configuration,
    ConfiguredSearch,
    StageSettings,
    applied,
    configurations,
)
from evals.stages.indexes import Indexed, indexes
from evals.stages.rows import AblationRow, better, table
from retrieval.context import SearchContext, with_reranker
from retrieval.encoder import weights
from retrieval.models import SearchResult
from retrieval.ranking.calibration import Weights
from retrieval.settings import BUNDLED, Settings
from tests.evals.gating.test_evals_retrieval import QUESTIONS
from tests.evals.gating.test_evals_retrieval import dataset as written

LASER = {"id": "laser", "question": "What does a laser cost?", "kind": "offtopic", "split": "gate"}


def test_a_stage_that_is_off_leaves_no_score(
    search_context: SearchContext, settings: Settings
) -> None:
    setups = {arm.name: arm.setup for arm in configurations(search_context)}
    found: dict[str, SearchResult] = {}
    with indexes(search_context, settings.vault, {"ours", "wholes", "fixed"}) as made:
        for name, setup in setups.items():
            found[name] = retrieval.search.search(
                applied(search_context, setup),
                "How long does a torch burn?",
                generation_id=made[setup.chunks].measured.generation_id,
            )
        assert made["wholes"].texts < made["ours"].texts
        assert made["wholes"].chunks == made["ours"].chunks
        assert 0 < made["wholes"].token_bytes < made["ours"].token_bytes
    assert found[SHIPPED].late == found["late"].late == "stored"
    assert all(row.late_score is not None for row in found["late"].trace)
    assert found["no-names"].late == "stored"
    for name in ("dense-text", "dense-entries", "dense-chunks", "fixed-dense", "full-text"):
        assert found[name].late == "off"
        assert all(row.late_score is None for row in found[name].trace)
    assert all(row.fused_score == row.dense_score for row in found["dense-entries"].trace)
    assert any(row.fused_score > row.dense_score for row in found["dense-text"].trace)
    kinds = {shown.entry.kind for hit in found["dense-chunks"].hits for shown in hit.evidence}
    assert kinds == {"whole"}
    assert len(found["full-text"].hits) < len(found["full-text"].trace)  # some lack every word
    with search_context.store.connect() as conn:
        assert conn.execute("SELECT state FROM generation").fetchall() == [("live",)]


def test_a_row_stands_only_for_a_stage_that_is_used_and_for_no_other_row(
    search_context: SearchContext,
) -> None:
    def names(**changed: Any) -> set[str]:
        return {arm.name for arm in configurations(replace(search_context, **changed))}

    fitted = names(threshold=0.5)
    assert fitted >= {SHIPPED, "no-names", "no-ranges", "no-whole", "late", "k8"}
    assert not fitted & {"k4", "threshold-off"}  # as shipped, and as "late"
    off = search_context.settings.model_copy(update={"rag_late_interaction": False})
    assert fitted - names(settings=off, threshold=0.5) == {"no-names"}
    unnamed = names(weights=replace(search_context.weights, whole=0.0))
    assert "late" in unnamed
    assert "no-whole" not in unnamed
    bare = replace(search_context.weights, whole=0.0, ranges=0.0)
    assert "late" not in names(weights=bare)


def test_our_cross_encoder_has_a_row_where_none_is_set(search_context: SearchContext) -> None:
    ours = with_reranker(search_context, BUNDLED)
    (row,) = {arm for arm in configurations(search_context, ours)} - {
        arm for arm in configurations(search_context)
    }
    assert row.name == "reranker"
    assert row.setup.reranked
    used = applied(ours, row.setup)
    assert used.reranker is ours.reranker
    assert used.weights == ours.weights != search_context.weights
    assert used.settings.rag_candidates == 12
    assert applied(ours, configurations(search_context, ours)[0].setup).reranker is None
    found = retrieval.search.search(used, "How long does a torch burn?")
    assert found.rerank == weights.RERANKER_NAME
    assert any(row.rerank_score is not None for row in found.trace)


ASKED = dataset.Question(
    1, "q", "How?", "prose", "", ((dataset.Gold("a.md", "so"),),), "gate", False, (), (), "", (),
    (), (),
)  # fmt: skip
SETUP = StageSettings("ours", Weights(0.8, 1.0, None), True, False, -math.inf, 4, 30)


def row(name: str, ranks: Sequence[int], top_k: int = 4) -> AblationRow:
    index = Indexed(Subject(1, {}, lambda _: ()), 1, 1, 1)
    asked = tuple(
        ConfiguredSearch(ASKED, rank <= top_k, rank, None, False, "stored", 100, 1.0)
        for rank in ranks
    )
    return AblationRow(
        Configuration(name, name, replace(SETUP, threshold=float(sum(map(ord, name))))),
        index,
        asked,
    )


def test_the_table_can_say_that_off_is_better() -> None:
    shipped, off, worse = row(SHIPPED, [8] * 12), row("off", [1] * 12), row("cut", [16] * 12)
    whole = table([shipped, off, worse, row("same", [8] * 12)])
    assert whole[2][:6] == [
        "off", "4", "12/12 = 1.000", "1.000", "+0.875 (+0.875 to +0.875)", "0 / 12",
    ]  # fmt: skip
    assert better(whole) == "Better than as shipped: off."
    assert whole[3][4:8] == ["-0.062 (-0.062 to -0.062)", "0 / 0", "1.000", "worse"]
    assert [line[7] for line in whole[1::3]] == ["itself", "no difference shown"]
    assert whole[1][4:7] == ["+0.000 (+0.000 to +0.000)", "0 / 0", "1.000"]


def test_few_flips_among_many_rows_show_nothing() -> None:
    ranks = [1] * 19 + [2] + [5] * 6  # won alone p = 0.031; of three such rows 0.094
    others = [row(name, [1] * 19 + [4] + [4] * 6) for name in ("a", "bb", "ccc")]
    assert better(table([row(SHIPPED, ranks), *others])).endswith(": none.")
    assert better(table([row(SHIPPED, ranks), others[0]])).endswith(": a.")


def test_the_program_measures_every_row_and_writes_every_file(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calibration = {**QUESTIONS[0], "id": "other", "question": "torch?", "split": "calibration"}
    questions = written(environment, [*QUESTIONS, LASER, calibration])
    files = ["--json", "out/q.jsonl", "--results", "runs", "--document", "ablation.md"]
    assert ablation.main(["--dataset", questions, *files]) == 0
    assert "as shipped, k = 12 " in capsys.readouterr().out
    text = (environment / "ablation.md").read_text("utf-8")
    assert "3 answerable questions of 4" in text  # of the gate alone, by default
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    written_lines = (environment / "out/q.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in written_lines]
    assert [record["id"] for record in records] == ["torch", "axe", "falling", "laser"]
    rows = records[0]["rows"]
    assert {"shipped", "fixed", "dense-chunks", "full-text", "no-names", "late", "k12"} <= set(rows)
    assert len(lines) == 2 + len(rows)
    assert rows["shipped"]["rank"] == 1
    assert rows["dense-text"]["late"] == "off"
    (run,) = (environment / "runs").iterdir()
    summed = json.loads((run / "summary.json").read_text("utf-8"))["rows"]
    assert summed.keys() == rows.keys()
    assert summed["shipped"]["hits"] == 3
    config = json.loads((run / "config.json").read_text("utf-8"))
    assert (config["program"], config["split"]) == ("evals.ablation", "gate")
    assert (run / "eval_results.jsonl").read_bytes() == (environment / "out/q.jsonl").read_bytes()


def test_every_row_is_measured_by_the_search_of_users(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(context: SearchContext, question: str, **options: Any) -> SearchResult:
        return replace(retrieval.search.search(context, question, **options), hits=())

    monkeypatch.setattr(card_reply, "search", nothing)
    arguments = ["--dataset", written(environment, QUESTIONS), "--only", "dense-entries"]
    assert ablation.main(arguments) == 0
    assert capsys.readouterr().out.count(" 0/3 = 0.000 ") == 2


@pytest.mark.parametrize(
    ("asked", "arguments", "message"),
    [
        ([], [], "holds no questions"),
        (QUESTIONS[:1], [], "one answerable question shows no difference"),
        (QUESTIONS, ["--split", "calibration"], "no answerable question"),
        (QUESTIONS, ["--only", "no-names"], "no row ['no-names']"),
        (QUESTIONS, ["--vault", "none"], "no folder 'none'"),
    ],
)
def test_what_cannot_be_measured_is_said(
    environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    asked: list[dict[str, Any]],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setenv("RAG_LATE_INTERACTION", "false")
    assert ablation.main(["--dataset", written(environment, asked), *arguments]) == 2
    assert message in capsys.readouterr().err
