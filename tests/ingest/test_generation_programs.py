"""The gate, the way back and measuring one generation, as an operator runs them."""

import json
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from evals import baseline
from evals import retrieval as evals
from ingest import __main__ as program
from ingest import pipeline
from retrieval.context import SearchContext
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import content, revision

TORCHES = "1. Light/Torches.md"
QUESTION = {"question": "How long does a torch burn?"}
TWO_HOURS = {TORCHES: RULES[TORCHES].replace("one hour", "two hours")}


@pytest.fixture
def questions(environment: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file with one question, which the vault answers with "one hour".

    Programs of the environment are started in another folder than this one.
    """
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    path = environment / "questions.jsonl"
    gold = {"path": TORCHES, "quote": "A torch burns for one hour."}
    asked = {"id": "torch", **QUESTION, "kind": "prose", "gold": [gold], "split": "gate"}
    path.write_text(json.dumps(asked) + "\n", "utf-8")
    return str(path)


def number(context: SearchContext) -> int:
    return int(revision(context).partition(".")[0])


def test_the_gate_promotes_what_passes_and_nothing_else(
    search_context: SearchContext, vault: Path, questions: str, capfd: pytest.CaptureFixture[str]
) -> None:
    first = number(search_context)
    assert program.main(["--gate", "--questions", questions]) == 0
    told = capfd.readouterr().out
    assert "PASS — How long does a torch burn?" in told
    assert f"generation {number(search_context)} was built and measured and is live" in told
    assert number(search_context) > first
    before, name = content(search_context), revision(search_context)
    write_vault(vault, TWO_HOURS)
    assert program.main(["--gate", "--questions", questions]) == 3
    told, reason = capfd.readouterr()
    assert "GATE FAILED: " in told
    assert "evals.retrieval ended with 1" in reason
    assert f"generation {number(search_context)} is live as before" in reason
    assert (content(search_context), revision(search_context)) == (before, name)


def test_the_gate_compares_with_a_baseline_of_the_same_questions(
    search_context: SearchContext, questions: str, environment: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file, kept = Path(questions), str(environment / "baseline.json")
    one = file.read_text("utf-8")
    two = one + one.replace('"torch"', '"burn"').replace("How long", "Say how long")
    file.write_text(two + one.replace('"torch"', '"lit"').replace("How long", "For how long"))
    assert baseline.main(["--update", "--dataset", questions, "--baseline", kept]) == 0
    gate = ["--gate", "--questions", questions, "--baseline", kept]
    assert program.main(gate) == 0
    before = revision(search_context)
    file.write_text(two)
    assert program.main(gate) == 3
    told = capfd.readouterr()
    assert "1 of 3 questions of the baseline are gone (lit)" in told.out, told.err
    assert revision(search_context) == before
    with pytest.raises(SystemExit) as ended:
        program.main(["--gate", "--baseline", kept])
    assert ended.value.code == 2
    assert "--baseline is for --gate with --questions" in capfd.readouterr().err


def test_the_rollback_program_says_what_is_live_and_what_it_lacks(
    search_context: SearchContext,
    environment: Path,
    vault: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = number(search_context)
    assert program.main(["--rollback"]) == 2
    assert "no previous generation is kept" in capsys.readouterr().err
    write_vault(vault, TWO_HOURS)
    assert program.main(["--rebuild"]) == 0
    assert "--rollback goes back" in capsys.readouterr().out
    assert program.main(["--rollback"]) == 0
    told = capsys.readouterr().out
    assert f"generation {first} is live again" in told
    assert "1 files are not in it as they stand now" in told
    assert number(search_context) == first
    vault.rename(vault.with_name("gone"))  # the way back needs no vault
    assert program.main(["--rollback"]) == 0
    assert number(search_context) > first
    for arguments in (
        ["--rollback", "--rebuild"],
        ["--rollback", "--dry-run"],
        ["--questions", "q"],
    ):
        with pytest.raises(SystemExit):
            program.main(arguments)


def test_one_generation_is_measured_on_its_own(
    search_context: SearchContext, vault: Path, questions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--dataset", questions, "--generation"]
    first = number(search_context)
    write_vault(vault, TWO_HOURS)
    pipeline.run(search_context, vault, rebuild=True)
    assert evals.main([*asked, str(number(search_context))]) == 1
    assert "PASS — " not in capsys.readouterr().out
    write_vault(vault, {TORCHES: RULES[TORCHES]})
    assert evals.main([*asked, str(first)]) == 0
    assert "PASS — " in capsys.readouterr().out
    assert evals.main([*asked, "999"]) == 2
    assert "generation 999 is gone" in capsys.readouterr().err
    (vault / TORCHES).unlink()
    assert evals.main([*asked, str(first)]) == 2
    assert "about another vault" in capsys.readouterr().err


@pytest.mark.proves("promise 7", "row 15")
def test_an_index_of_another_model_is_not_measured(
    search_context: SearchContext, questions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with search_context.store.connect(autocommit=True) as conn:
        conn.execute(
            "UPDATE generation SET fingerprint = fingerprint || %s",
            [Jsonb({"model_digest": "0" * 64})],
        )
    for arguments in ([], ["--generation", str(number(search_context))]):
        assert evals.main(["--dataset", questions, *arguments]) == 2
        told = capsys.readouterr().err
        assert "nothing was measured: the index was made with model_digest" in told
        assert "python -m ingest" in told
