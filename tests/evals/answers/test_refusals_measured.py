"""Refusals are measured both ways: neither always refusing nor never refusing passes."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals import negative as program
from evals.answers.collect import Answered
from retrieval.errors import DatasetError
from tests.evals.answers.test_accuracy import QUESTIONS, dataset
from tests.support.made.made_answers import TORCH, answered, asked, refusal, reply

KINDS = ("offtopic", "nearmiss", "falsepremise", "edition")


def asked_all(refused: set[str]) -> list[Answered]:
    """A question of each kind without an answer and one with; those named are refused."""
    questions = [asked(kind, name=kind) for kind in KINDS] + [asked("prose", TORCH, name="prose")]
    return [
        answered(one, refusal() if one.id in refused else reply("It is so [1].", TORCH))
        for one in questions
    ]


@pytest.mark.parametrize(
    ("refused", "red"),
    [
        ({*KINDS}, []),
        ({*KINDS, "prose"}, ["false"]),  # always refuse
        (set(), ["refused"]),  # always answer
        ({"offtopic"}, []),
        ({"nearmiss", "edition"}, ["refused"]),
    ],
)
def test_both_directions_count(refused: set[str], red: list[str]) -> None:
    assert [fault.split(" ")[0] for fault in program.faults(asked_all(refused))] == red


def test_the_other_kinds_have_a_gate_that_is_off_until_it_is_set() -> None:
    found = program.faults(asked_all({"offtopic"}), min_unanswerable=0.5)
    assert found == ["refused 0.250 of all that has no answer, less than 0.5"]


def test_an_error_is_neither_an_answer_nor_a_refusal() -> None:
    asked_so = [*asked_all({*KINDS}), answered(asked("offtopic", name="down"), None)]
    found = program.faults(asked_so)
    assert found[0] == "refused 0.500 of offtopic, less than 0.93"
    assert found[-1].startswith("no answer to 1 questions: no language model")
    assert program.row(asked_so[-1]).line.startswith("FAIL: ERROR")


def test_one_direction_alone_is_no_measurement() -> None:
    for answerable in (True, False):
        group = [one for one in asked_all(set()) if one.question.answerable == answerable]
        with pytest.raises(DatasetError):
            program.faults(group)


def run(folder: Path, *options: str) -> int:
    return program.main(["--dataset", dataset(folder, QUESTIONS), *options])


def test_a_threshold_decides_in_both_directions(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_THRESHOLD", "-9")
    assert run(environment) == 1
    shown = capsys.readouterr().out
    assert "FAIL: ANSWERED (offtopic, no answer exists) — Which fuse fits my dishwasher?" in shown
    assert "GATE FAILED: refused 0.000 of offtopic, less than 0.93" in shown
    monkeypatch.setenv("RAG_THRESHOLD", "9")
    assert run(environment, "--json", "out.jsonl") == 1
    assert "GATE FAILED: false refusals 1.000" in capsys.readouterr().out
    rows: list[dict[str, Any]] = [
        json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()
    ]
    assert [row["reason"] for row in rows] == ["no_passage"] * 3


def test_a_model_that_may_refuse_does_and_one_that_never_does_is_red(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_THRESHOLD", "-9")
    assert run(environment, "--model", "right") == 0
    assert run(environment, "--model", "always-answers") == 1
