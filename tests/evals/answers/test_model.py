"""Measuring whatever model is set: over HTTP, kept, compared, with gates and with what it costs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals import model as program
from tests.evals.answers.test_accuracy import QUESTIONS, dataset
from tests.support.llm.fake_llm import USAGE, FakeLlm

RIGHT = {
    "torch": "A torch burns for one hour [1].",
    "axe": "A battle axe deals 1d8 damage and costs 7 gp [1].",
    "dish": "The Oracle did not return any results for that rule.",
}


class Answering(FakeLlm):
    """Answers each question, of whatever model but "worse", as it should."""

    @property
    def reply(self) -> str:
        """What the present request is about."""
        asked = self.requests[-1]["messages"][-1]["content"].lower()
        if self.requests[-1]["model"] == "worse" and "torch" in asked:
            return RIGHT["dish"]
        return next((said for word, said in RIGHT.items() if word in asked), RIGHT["dish"])

    @reply.setter
    def reply(self, _: str) -> None:
        """Keep to the questions."""


@pytest.fixture
def answering(environment: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Answering]:
    llm = Answering()
    for name, value in {"BASE_URL": llm.url, "MODEL": "fake", "API_KEY": "sk"}.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    monkeypatch.setenv("GUARD_LLM", "off")
    yield llm
    llm.shutdown()


def run(folder: Path, *options: str) -> int:
    arguments = ["--dataset", dataset(folder, QUESTIONS), "--split", "calibration"]
    return program.main([*arguments, "--kept", "kept", "--json", "out.jsonl", *options])


def table(shown: str, name: str) -> list[str]:
    return next(line.split() for line in shown.splitlines() if line.startswith(name))


def test_the_configured_model_is_measured_and_a_second_run_asks_nothing(
    environment: Path, answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(environment, "--price-in", "2", "--price-out", "10", "--min-right", "1") == 0
    shown = capsys.readouterr().out
    asked = len(answering.requests)
    assert asked >= 2
    assert table(shown, "right")[1:3] == ["2", "1.000"]
    assert table(shown, "refused, as there is none")[4:7] == ["none", "1", "1.000"]
    assert table(shown, "unsupported claims")[3] == "0.000"
    assert table(shown, "verdict pass") == ["verdict", "pass", "2"]
    read, written = asked * USAGE["prompt_tokens"], asked * USAGE["completion_tokens"]
    money = f"{(2 * read + 10 * written) / 1_000_000:.4f}"
    assert [str(asked), "0", f"{read:,}", f"{written:,}", money] == table(shown, str(asked))[:5]
    assert run(environment) == 0
    assert len(answering.requests) == asked
    assert table(capsys.readouterr().out, str(asked))[:2] == [str(asked), str(asked)]


def test_another_model_is_compared_question_by_question(
    environment: Path, answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(environment, "--compare", "worse") == 0
    shown = capsys.readouterr().out
    assert table(shown, "of 2")[:5] == ["of", "2", "2", "1", "-0.500"]
    rows = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [row["model"] for row in rows] == ["fake"] * 3 + ["worse"] * 3


def test_a_gate_that_is_missed_and_a_model_that_fails_are_red(
    environment: Path, answering: Answering, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(RIGHT, "torch", RIGHT["dish"])
    assert run(environment, "--min-right", "0.9") == 1
    assert "GATE FAILED: right" in capsys.readouterr().out
    answering.mode = "401"
    assert run(environment, "--kept", "none") == 1
    assert "GATE FAILED: no answer to" in capsys.readouterr().out


def test_a_sample_is_the_same_every_time_and_a_kept_reply_is_checked(
    environment: Path, answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert run(environment, "--sample", "1") == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 1
    for path in Path("kept").iterdir():
        path.write_text("{}", "utf-8")
    assert run(environment) == 2
    assert "holds no kept reply" in capsys.readouterr().err
