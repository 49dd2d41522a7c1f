"""Relevance: the share of passages that help, by labels and by a judge that may be unreadable."""

import json
from pathlib import Path

import pytest

from api.llm.client import LanguageModel
from evals import relevance as program
from evals.answers.llm_judge import Judge
from evals.measure.outcome import Outcome
from evals.relevance import ScoredPassages
from retrieval.errors import DatasetError
from retrieval.settings import Settings
from tests.evals.answers.test_accuracy import QUESTIONS, dataset
from tests.support.llm.fake_llm import FakeLlm
from tests.support.made import made


def by_labels(*golds: int, order: tuple[int, ...], returned: int = 4) -> ScoredPassages:
    outcome = Outcome(made.question(*golds), made.found(*order, returned=returned), None)
    return program.by_labels(outcome, made.chunks_of, returned)


def test_passages_that_hold_a_gold_are_relevant_and_labels_set_the_ceiling() -> None:
    scored = by_labels(2, 5, order=(5, 1, 2, 3))
    assert scored.relevant == (True, False, True, False)
    assert (scored.precision, scored.possible, scored.two_of_three) == (0.5, 2, True)
    assert program.reached([scored]) == 1.0


def test_one_gold_asks_for_one_of_the_first_three_and_two_for_two() -> None:
    assert by_labels(2, order=(1, 3, 2, 4)).two_of_three
    assert not by_labels(2, order=(1, 3, 4, 2)).two_of_three
    assert not by_labels(2, 4, order=(2, 1, 3, 4)).two_of_three
    assert not by_labels(2, order=(1, 3), returned=0).two_of_three


def test_the_gate_is_red_below_either_limit_and_nothing_marked_is_no_pass() -> None:
    half = [by_labels(2, order=(2, 1, 3, 4)), by_labels(2, order=(1, 3, 4, 5))]
    assert program.faults(half, min_reached=0.5, min_two=0.5) == []
    assert [fault.split(" ")[0] for fault in program.faults(half)] == ["reached", "two"]
    with pytest.raises(DatasetError):
        program.faults([by_labels(2, order=(1, 3), returned=0)])


def test_a_judge_marks_what_it_says_and_an_unreadable_verdict_is_no_verdict(
    with_model: Settings, llm: FakeLlm
) -> None:
    model = LanguageModel(with_model)
    judge = Judge(model, "fake")
    outcome = Outcome(made.question(2), made.found(1, 2, 3, returned=3), None)
    llm.reply = 'Sure:\n```json\n{"relevant": true}\n```'
    assert program.by_judge(outcome, judge).relevant == (True, True, True)
    assert "What of q?" in llm.prompts[0]
    assert "Line number 1 of light." in llm.prompts[0]
    for unreadable in ("Yes, it is.", '{"relevant": "yes"}', '{"relevant": ', "[true]"):
        llm.reply = unreadable
        assert program.by_judge(outcome, judge).relevant == (None, None, None)
    llm.mode = "401"
    scored = program.by_judge(outcome, judge)
    assert (scored.precision, scored.two_of_three, judge.unscored) == (0.0, False, 15)
    with pytest.raises(DatasetError):
        program.faults([scored])
    model.close()


def test_a_small_vault_is_measured_and_a_higher_gate_is_red(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dataset", dataset(environment, QUESTIONS), "--json", "out.jsonl"]
    assert program.main(arguments) == 0
    assert "PASS +" in capsys.readouterr().out
    first = json.loads(Path("out.jsonl").read_text("utf-8").splitlines()[0])
    assert first["passages"][0].startswith("1. Light/Torches.md")
    assert first["relevant"][0] is True
    assert program.main([*arguments, "--split", "gate"]) == 2
