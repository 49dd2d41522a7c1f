"""The baseline's program, on a real index: it passes, fails, writes, and refuses to."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import retrieval.search
from api.answer import card_reply
from evals import baseline
from evals.measure import measurement
from retrieval.context import SearchContext
from retrieval.models import SearchResult

TORCH = {"path": "1. Light/Torches.md", "quote": "A torch burns for one hour."}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "torch", "question": "How long does a torch burn?", "gold": [TORCH]},
    {"id": "light", "question": "How far does a torch shine?",
     "gold": [{**TORCH, "quote": "It lights 30’ around its bearer."}]},
    {"id": "axe", "question": "What does a battle axe cost?",
     "gold": [{"path": "2. Arms/Weapons.md", "quote": "| Battle axe | 7 |"}]},
    {"id": "falling", "question": "damage from falling",
     "gold": [{"path": "2. Arms/Hazards.md", "quote": "1d6 for each 10’ fallen"}]},
]  # fmt: skip


class Gate:
    """The program with a baseline and a dataset of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "baseline.json"
        self.dataset = folder / "questions.jsonl"
        self.ask(QUESTIONS)

    def ask(self, questions: Sequence[dict[str, Any]]) -> None:
        common = {"kind": "prose", "split": "gate"}
        self.dataset.write_text("".join(json.dumps(common | q) + "\n" for q in questions), "utf-8")

    def run(self, *arguments: str) -> int:
        return baseline.main(
            ["--baseline", str(self.path), "--dataset", str(self.dataset), *arguments]
        )


@pytest.fixture
def gate(indexed_environment: Path) -> Gate:
    """The program's environment: the small vault's index, no .env, no baseline yet."""
    return Gate(indexed_environment)


def blind(context: SearchContext, question: str, **options: Any) -> SearchResult:
    """Search that sees nothing of what a torch does."""
    found = retrieval.search.search(context, question, **options)
    return replace(found, hits=()) if "torch" in question else found


def test_without_a_baseline_nothing_passes(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate.run() == 2
    assert "a baseline by python -m evals.baseline --update" in capsys.readouterr().err
    assert not gate.path.exists()


def test_two_runs_measure_the_same(gate: Gate, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate.run("--update") == 0
    assert gate.run() == 0
    out = capsys.readouterr().out
    assert "against the baseline: 4 questions in both" in out
    assert "as before: hit, reciprocal_rank, first_card, shown" in out
    assert not any(word in out for word in ("BROKEN", "FIXED", "WARNING", "other than"))
    stored = measurement.read(gate.path)
    assert set(stored.rows) == {"torch", "light", "axe", "falling"}
    assert stored.rows["torch"].metrics == dict.fromkeys(
        ("hit", "reciprocal_rank", "first_card", "shown"), 1.0
    )
    assert {*stored.fingerprint["models"]} >= {"model", "model_digest", "reranker"}
    assert stored.fingerprint["index"].keys() == {"chunker", "folding", "encoding", "language"}
    assert stored.fingerprint["search"]["top_k"] == 4
    assert "text_weight" in stored.fingerprint["search"]
    assert stored.fingerprint["data"].keys() == {"questions", "vault"}


def test_broken_questions_are_named_and_a_red_gate_is_never_written(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.run("--update")
    before = gate.path.read_bytes()
    monkeypatch.setattr(card_reply, "search", blind)
    assert gate.run("--min-recall", "0.5") == 1
    out = capsys.readouterr().out
    assert "BROKEN light (lost at: " in out
    assert "BROKEN torch (lost at: " in out
    assert "WARNING: hit dropped, within the noise" in out
    assert "GATE FAILED: question lost: light, of 4, too few to allow for noise" in out
    assert gate.run("--update") == 1  # recall 0.5 is below 0.8
    captured = capsys.readouterr()
    assert "GATE FAILED: " in captured.out
    assert "the gate is red" in captured.err
    assert gate.path.read_bytes() == before


def test_other_models_or_another_top_k_are_written_only_with_a_reason(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.run("--update")
    stored = measurement.read(gate.path)
    made_with = {
        **stored.fingerprint,
        "models": {**stored.fingerprint["models"], "model_digest": "another"},
        "search": {**stored.fingerprint["search"], "top_k": 8},
    }
    measurement.write(gate.path, replace(stored, fingerprint=made_with))
    before = gate.path.read_bytes()
    assert gate.run("--update") == 2
    captured = capsys.readouterr()
    assert "other than in the baseline: models model_digest: another -> " in captured.out
    assert "say --why: models model_digest: another -> " in captured.err
    assert "; search top_k: 8 -> 4" in captured.err
    assert gate.path.read_bytes() == before
    assert gate.run("--update", "--why", "measured better on calibration") == 0
    assert gate.run("--update") == 0
    assert measurement.read(gate.path).why == "measured better on calibration"


def test_a_new_threshold_needs_no_reason_and_is_named(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.run("--update")
    monkeypatch.setenv("RAG_THRESHOLD", "-8")
    assert gate.run("--update") == 0
    out = capsys.readouterr().out
    assert "other than in the baseline: search threshold: -9 -> -8" in out


def test_a_critical_question_goes_only_with_a_reason(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.ask([{**QUESTIONS[0], "critical": True}, *QUESTIONS[1:]])
    gate.run("--update")
    gate.ask(QUESTIONS[1:])
    assert gate.run("--update") == 2
    assert "torch was critical and is gone" in capsys.readouterr().err
    assert gate.run("--update", "--why", "the torch is no longer in the rules") == 0
    assert "torch" not in measurement.read(gate.path).rows


def test_a_rewritten_question_is_another_question(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.run("--update")
    gate.ask([{**QUESTIONS[0], "question": "torch: how long?"}, *QUESTIONS[1:3]])
    assert gate.run() == 1
    out = capsys.readouterr().out
    assert "GATE FAILED: 1 of 4 questions of the baseline are gone (falling)" in out
    assert "GATE FAILED: 1 of 4 questions of the baseline are asked otherwise (torch)" in out
    assert "gone since the baseline, not compared: falling" in out
    assert "changed since the baseline, not compared: torch" in out
    assert "other than in the baseline: data questions: " in out
    assert gate.run("--update") == 2
    assert "say --why: 1 of 4 questions" in capsys.readouterr().err
    assert gate.run("--update", "--why", "the rule of falling is gone") == 0
    assert gate.run() == 0


def test_the_baseline_of_other_questions_is_never_a_pass(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    gate.run("--update")
    gate.ask([{**q, "id": f"other-{q['id']}"} for q in QUESTIONS])
    assert gate.run() == 2
    assert "too few to compare" in capsys.readouterr().err
