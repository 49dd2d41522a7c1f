"""Sabotage of answers: each fault turns a gate red that is named, and a sound API turns none."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import sabotage_answers as program
from evals.faults.of_answers import ANSWER_FAULTS, AnswerFault
from evals.faults.replace import applied
from evals.faults.run_pipeline import Ground
from evals.labels.dataset import Question, load
from evals.retrieval import subject
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError, DatasetError
from tests.conftest import index_of, write_vault

GOODS = ("rope", "bell", "lamp", "saddle", "anchor", "drum", "candle", "ladder", "shovel", "flute")
OTHER = ("visa", "printer", "fridge", "kettle", "router", "carpet", "mortgage", "toaster")
FAULTS = {fault.name: fault for fault in ANSWER_FAULTS}
# The gate that must be among those that turn red.
CAUGHT_BY = {
    "always answer": "evals.negative: refused",
    "always refuse": "evals.negative: false refusal",
    "citations one line off": "evals.faithfulness: supported",
    "citations shifted by one": "evals.faithfulness: supported",
    "numbers altered in quotes": "evals.accuracy: mean",
    "numbers altered in answers": "evals.faithfulness: supported",
    "guard off": "evals.faithfulness: planted",
    "prompt without refusal": "evals.negative: refused",
}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """Ten questions that a small vault answers and eight that it does not."""
    folder = tmp_path_factory.mktemp("goods")
    files = {
        f"{name}.md": f"# The {name}\n\nBest quality.\n\nA {name} costs {number + 30} gp.\n"
        for number, name in enumerate(GOODS)
    }
    rows = [_row(name, number + 30) for number, name in enumerate(GOODS)]
    rows += [
        {"id": name, "question": f"How do I repair my {name}?", "kind": "offtopic"}
        for name in OTHER
    ]
    dataset = folder / "questions.jsonl"
    dataset.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return Ground(dataset, None, write_vault(folder / "vault", files))


def _row(name: str, price: int) -> dict[str, Any]:
    answer = f"A {name} costs {price} gp."
    return {
        "id": name, "question": f"What does a {name} cost?", "kind": "prose", "answer": answer,
        "must_include": [str(price)], "gold": [{"path": f"{name}.md", "quote": answer}],
    }  # fmt: skip


@pytest.fixture(scope="module")
def context(loaded: SearchContext, server: str, ground: Ground) -> Iterator[SearchContext]:
    """The index of the small vault, over whose threshold stands what is asked about it."""
    with index_of(loaded, server, ground.vault, rag_threshold=1.0) as opened:
        yield opened


def tried(context: SearchContext, questions: list[Question], *faults: AnswerFault) -> Iterator[Any]:
    with subject(context, None) as measured:
        yield from program.tried(context, measured, questions, faults)


def test_every_fault_has_a_gate_and_every_gate_a_fault() -> None:
    assert CAUGHT_BY.keys() == FAULTS.keys()
    assert {gate.split(":")[0] for gate in CAUGHT_BY.values()} == {
        "evals.negative", "evals.accuracy", "evals.faithfulness",
    }  # fmt: skip


@pytest.mark.proves("row 41")
def test_each_fault_is_caught_by_its_gate_and_nothing_by_none(
    context: SearchContext, ground: Ground
) -> None:
    nothing = [AnswerFault("nothing", ()), AnswerFault("nothing, by a model", (), "right")]
    others = [fault for fault in ANSWER_FAULTS if fault.name != "prompt without refusal"]
    found = tried(context, load(ground.dataset), *others, *nothing)
    gates = {one.fault: [alarm.gate for alarm in one.alarms] for one in found}
    assert {one.name: gates.pop(one.name) for one in nothing} == {one.name: [] for one in nothing}
    assert {name: CAUGHT_BY[name] in red for name, red in gates.items()} == dict.fromkeys(
        gates, True
    )


def test_a_prompt_without_refusal_is_caught_where_passages_reach_the_model(
    context: SearchContext, ground: Ground
) -> None:
    open_to_all = replace(context, threshold=-9.0)
    (found,) = tried(open_to_all, load(ground.dataset), FAULTS["prompt without refusal"])
    assert [alarm.gate for alarm in found.alarms] == ["evals.negative: refused"]


def test_half_of_the_questions_is_no_ground(context: SearchContext, ground: Ground) -> None:
    answerable = [question for question in load(ground.dataset) if question.answerable]
    with pytest.raises(DatasetError):
        list(tried(context, answerable, FAULTS["always refuse"]))


def test_every_target_of_a_fault_is_there() -> None:
    for fault in ANSWER_FAULTS:
        with applied(*fault.swaps):
            pass
    gone = replace(FAULTS["guard off"].swaps[0], target="api.checks.guard.gone")
    with pytest.raises(ConfigurationError), applied(gone):
        pass


def test_the_program_says_what_was_missed_and_exits_so(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evals.faults.run_pipeline.SMALL", ground)
    monkeypatch.setenv("RAG_THRESHOLD", "1.0")
    faults = (FAULTS["always refuse"], AnswerFault("nothing", ()))
    monkeypatch.setattr(program, "ANSWER_FAULTS", faults)
    assert program.main([]) == 1
    shown = capsys.readouterr().out
    assert "caught  always refuse | evals.negative: false refusal" in shown
    assert "GATE FAILED: nothing noticed: nothing" in shown
    assert program.main(["--split", "gate"]) == 2
