"""The gate: it measures the search of users, passes, fails, and never passes on nothing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

import api.answer.card_reply
import api.http.answering
import retrieval.langchain
import retrieval.search
from evals import retrieval as program
from evals.labels.options import RULES, RULES_VAULT, vault_of
from evals.measure import evaluation
from retrieval.context import SearchContext
from retrieval.models import SearchResult
from retrieval.settings import Settings
from tests.conftest import write_vault

QUESTIONS: list[dict[str, Any]] = [
    {"id": "torch", "question": "How long does a torch burn?", "kind": "prose", "split": "gate",
     "gold": [{"path": "1. Light/Torches.md", "quote": "A torch burns for one hour."}]},
    {"id": "axe", "question": "What does a battle axe cost?", "kind": "table", "split": "gate",
     "gold": [{"path": "2. Arms/Weapons.md", "quote": "| Battle axe | 7 |"}]},
    {"id": "falling", "question": "damage from falling", "kind": "prose", "split": "gate",
     "gold": [{"path": "2. Arms/Hazards.md", "quote": "1d6 for each 10’ fallen"}]},
]  # fmt: skip


def dataset(folder: Path, questions: list[dict[str, Any]]) -> str:
    """Write a dataset and return its path."""
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(q) + "\n" for q in questions), "utf-8")
    return str(path)


def test_the_api_langchain_and_the_evals_search_through_one_function() -> None:
    assert vars(evaluation)["search"] is retrieval.search.search
    assert vars(api.answer.card_reply)["search"] is retrieval.search.search
    assert vars(api.http.answering)["search"] is retrieval.search.search
    assert vars(retrieval.langchain)["search"] is retrieval.search.search


def test_a_search_that_works_passes_and_prints_the_seeds_lines(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["--dataset", dataset(environment, QUESTIONS)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "PASS — How long does a torch burn?" in lines
    assert lines[-1] == "Recall@4: 3/3 = 1.00"


def test_a_run_leaves_its_results_and_prints_no_secret(
    environment: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(environment / "step.md"))
    arguments = ["--dataset", dataset(environment, QUESTIONS), "--results", "out/here"]
    assert program.main([*arguments, "--junit", "junit.xml"]) == 0
    (folder,) = (environment / "out" / "here").iterdir()
    names = {
        "config.json", "eval_results.jsonl", "measurement.json", "report.html", "summary.json",
    }  # fmt: skip
    assert {file.name for file in folder.iterdir()} == names
    config = json.loads((folder / "config.json").read_text("utf-8"))
    assert {"fingerprint", "vault_digest", "commit", "dataset_digest", "top_k"} <= set(config)
    assert config["fingerprint"]["dimension"] == 384
    written = [*folder.iterdir(), environment / "junit.xml", environment / "step.md"]
    for file in written:
        text = file.read_text("utf-8")
        assert str(environment) not in text
        assert "postgresql://" not in text


def test_results_that_cannot_be_written_are_never_a_pass(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (environment / "file").write_text("", "utf-8")
    arguments = ["--dataset", dataset(environment, QUESTIONS), "--results", "file"]
    assert program.main(arguments) == 2
    assert "measured and not written: " in capsys.readouterr().err


def always_the_same(context: SearchContext, question: str, **options: Any) -> SearchResult:
    return retrieval.search.search(context, "who holds breath?", **{**options, "top_k": 1})


def nothing(context: SearchContext, question: str, **options: Any) -> SearchResult:
    return replace(retrieval.search.search(context, question, **options), hits=())


@pytest.mark.parametrize("fault", [always_the_same, nothing])
def test_a_search_that_is_broken_on_purpose_fails_the_gate(
    environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: Callable[..., SearchResult],
) -> None:
    monkeypatch.setattr(api.answer.card_reply, "search", fault)
    assert program.main(["--dataset", dataset(environment, QUESTIONS)]) == 1
    out = capsys.readouterr().out
    assert "FAIL (expected in: 1. Light/Torches.md; lost at: " in out
    assert "GATE FAILED: recall 0." in out
    unseen = "refused though it has an answer — How long does a torch burn?"
    assert (unseen in out) == (fault is nothing)


def test_the_output_of_a_run_stays_on_a_screen_however_many_fail(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(api.answer.card_reply, "search", always_the_same)
    many = [{**row, "id": f"{row['id']}-{n}", "critical": n < 20} for n in range(25)
            for row in QUESTIONS]  # fmt: skip
    assert program.main(["--dataset", dataset(environment, many)]) == 1
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 60
    assert "… and 70 more that fail, in " in out
    assert "GATE FAILED: critical question lost: torch-0 (and 59 more like it)" in out


def test_a_lost_critical_question_fails_the_gate_whatever_the_recall(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = {**QUESTIONS[0], "id": "gone", "critical": True}
    gone["gold"] = [{"path": "1. Light/Torches.md", "quote": "A torch burns for two hours."}]
    path = dataset(environment, [*QUESTIONS, gone])
    assert program.main(["--dataset", path, "--min-recall", "0.1"]) == 1
    out = capsys.readouterr().out
    assert "lost at: label" in out
    assert "GATE FAILED: critical question lost: gone" in out


def test_no_questions_are_never_a_pass(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["--dataset", dataset(environment, [])]) == 2
    assert (
        program.main(["--dataset", dataset(environment, QUESTIONS), "--split", "calibration"]) == 2
    )
    assert program.main(["--dataset", str(environment / "missing.jsonl")]) == 2
    assert "nothing was measured" in capsys.readouterr().err


def test_an_empty_index_is_never_a_pass(environment: Path, settings: Settings) -> None:
    assert settings.database_url
    with psycopg.connect(settings.database_url.get_secret_value()) as conn:
        conn.execute("DELETE FROM file")
    assert program.main(["--dataset", dataset(environment, QUESTIONS)]) == 2
    with psycopg.connect(settings.database_url.get_secret_value()) as conn:
        conn.execute("DELETE FROM generation")
    assert program.main(["--dataset", dataset(environment, QUESTIONS)]) == 2


def test_no_database_is_never_a_pass(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:9/none")
    assert program.main(["--dataset", dataset(environment, QUESTIONS)]) == 2
    assert "no database at" in capsys.readouterr().err


def test_another_vault_is_measured_in_a_generation_that_is_gone_afterwards(
    environment: Path, search_context: SearchContext
) -> None:
    other = write_vault(environment / "other", {"a.md": "# Lamps\n\nA lamp burns four hours.\n"})
    asked = {**QUESTIONS[0], "gold": [{"path": "a.md", "quote": "A lamp burns four hours."}]}
    record = environment / "out.jsonl"
    arguments = ["--vault", str(other), "--dataset", dataset(environment, [asked])]
    assert program.main([*arguments, "--top-k", "1", "--json", str(record)]) == 0
    row = json.loads(record.read_text("utf-8"))
    assert {"id", "question", "hit", "rank", "lost_at", "retrieved", "timings"} <= set(row)
    assert (row["hit"], row["rank"], row["lost_at"]) == (True, 1, None)
    assert row["retrieved"][0]["path"] == "a.md"
    with search_context.store.connect() as conn:
        assert conn.execute("SELECT state FROM generation").fetchall() == [("live",)]
        assert conn.execute("SELECT count(*) FROM chunk WHERE path = 'a.md'").fetchone() == (0,)


def test_the_committed_questions_are_asked_of_the_committed_vault(
    search_context: SearchContext, settings: Settings
) -> None:
    assert vault_of(search_context, RULES) == RULES_VAULT
    assert vault_of(search_context, settings.vault / "questions.jsonl") is None
    ours = settings.model_copy(update={"vault": RULES_VAULT})
    assert vault_of(replace(search_context, settings=ours), RULES) is None
