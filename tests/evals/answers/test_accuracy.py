"""Accuracy: labels decide, from -1 for a refusal to 2 for the right words of the right lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import api.answer.pipeline
from api.schema.answer import Answer
from evals import accuracy as program
from evals.answers import collect
from evals.measure import span_overlap
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from tests.conftest import RULES
from tests.support.made.made_answers import AXE, FALL, TORCH, Place, answered, asked, refusal, reply

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "torch", "question": "How long does a torch burn?", "kind": "prose",
        "answer": "One hour", "must_include": ["one hour|1 hour"], "split": "calibration",
        "gold": [{"path": TORCH[0], "quote": TORCH[2]}],
    },
    {
        "id": "axe", "question": "What does a battle axe cost?", "kind": "table",
        "answer": "7 gp", "must_include": ["7"], "split": "calibration",
        "gold": [{"path": AXE[0], "quote": "| Battle axe | 7 |"}],
    },
    {
        "id": "laser", "question": "Which fuse fits my dishwasher?", "kind": "offtopic",
        "why_unanswerable": "Household.", "absent": ["dishwasher"], "split": "calibration",
    },
]  # fmt: skip


def dataset(folder: Path, questions: list[dict[str, Any]]) -> str:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(q) + "\n" for q in questions), "utf-8")
    return str(path)


def scored(given: Answer | None, *golds: Place, **values: Any) -> int:
    question = asked("prose", *golds, **values)
    return program.score(answered(question, given), span_overlap.pages_of(RULES)).score


def test_the_evals_ask_through_the_function_that_answers_users() -> None:
    assert vars(collect)["ask"] is api.answer.pipeline.ask


@pytest.mark.parametrize(
    ("said", "place", "score"),
    [
        ("It costs 7 gp [1].", AXE, 2),
        ("It costs seven gp [1].", AXE, 2),
        ("It costs 7 gp [1].", FALL, 1),  # the right words, from elsewhere
        ("It costs 17 gp [1].", AXE, 0),
        ("It costs 7.5 gp [1].", AXE, 0),
        ("It costs something [7].", AXE, 0),  # a marker is no number of the answer
    ],
)
def test_words_and_lines_are_both_needed(said: str, place: Place, score: int) -> None:
    assert scored(reply(said, place), AXE, must_include=("7|seven",)) == score


def test_some_of_the_words_are_partial_and_a_forbidden_one_is_wrong() -> None:
    wanted = {"must_include": ("1d6", "10'"), "must_not_include": ("1d8",)}
    assert scored(reply("1d6 for 10’ [1].", FALL), FALL, **wanted) == 2
    assert scored(reply("1d6 [1].", FALL), FALL, **wanted) == 1
    assert scored(reply("1d6 for 10', or 1d8 [1].", FALL), FALL, **wanted) == 0
    beside = f"{FALL[2]} {AXE[2]}"
    assert scored(reply(beside, FALL, AXE, mode="quotes"), FALL, **wanted) == 1


def test_a_short_word_is_not_found_inside_of_another() -> None:
    assert scored(reply("I know [1].", FALL), FALL, must_include=("No",)) == 0
    assert scored(reply("No [1].", FALL), FALL, must_include=("No",)) == 2


def test_quotes_of_the_right_line_need_not_say_yes() -> None:
    yes = {"must_include": ("Yes|may", "1d6")}
    assert scored(reply(FALL[2], FALL, mode="quotes"), FALL, **yes) == 2
    assert scored(reply(FALL[2], AXE, mode="quotes"), FALL, **yes) == 1
    assert scored(reply("1d6 [1].", FALL), FALL, **yes) == 1


def test_the_place_of_a_quote_is_none_of_its_words() -> None:
    text = f"**[1] Weapons** ({AXE[0]}:7-9)\n\n| Dagger | 3 | 1d4 |"
    assert scored(reply(text, AXE, mode="quotes"), AXE, must_include=("7",)) == 0


def test_without_words_the_golds_decide() -> None:
    assert scored(reply("So [1][2].", FALL, TORCH), FALL, TORCH) == 2
    assert scored(reply("So [1].", FALL), FALL, TORCH) == 1
    assert scored(reply("So [1].", AXE), FALL, TORCH) == 0


def test_a_refusal_is_worse_than_wrong_and_an_error_is_never_left_out() -> None:
    assert scored(refusal(), TORCH) == -1
    assert scored(None, TORCH) == 0
    with pytest.raises(DatasetError):
        program.faults([], 1.4)


def test_a_small_vault_is_answered_and_a_higher_gate_is_red(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = dataset(environment, QUESTIONS)
    assert program.main(["--dataset", path, "--junit", "junit.xml", "--json", "out.jsonl"]) == 0
    shown = capsys.readouterr().out
    assert "CORRECT — How long does a torch burn?" in shown
    assert "dishwasher" not in shown
    rows = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["score"]) for row in rows] == [("torch", 2), ("axe", 2)]
    assert Path("junit.xml").read_text("utf-8").count("<testcase ") == 3
    (folder,) = Path("results").iterdir()
    assert json.loads((folder / "summary.json").read_text("utf-8"))["mean"] == 2.0
    wrong = [{**QUESTIONS[0], "must_include": ["a fortnight"]}, QUESTIONS[1]]
    assert program.main(["--dataset", dataset(environment, wrong)]) == 1
    assert "GATE FAILED: mean 1.000 is below 1.5" in capsys.readouterr().out


def test_scripted_models_answer_over_http_and_their_errors_count(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dataset", dataset(environment, QUESTIONS), "--json", "out.jsonl", "--model"]
    assert program.main([*arguments, "right"]) == 0
    rows = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert rows[0]["answer"] == "One hour [1]."
    assert program.main([*arguments, "always-refuses"]) == 1
    assert "mean -1.000 is below 1.5" in capsys.readouterr().out


@pytest.mark.parametrize("case", ["no question", "another vault", "edited vault", "no model"])
def test_what_cannot_be_measured_is_no_pass(
    case: str, environment: Path, search_context: SearchContext, capsys: pytest.CaptureFixture[str],
    open_rules: Callable[..., SearchContext],
) -> None:  # fmt: skip
    arguments, said = ["--split", "calibration"], ""
    questions = [dict(question) for question in QUESTIONS]
    if case == "no question":
        arguments, said = ["--split", "gate"], "no answerable question of split gate"
    elif case == "another vault":
        questions[0]["gold"] = questions[1]["gold"] = [{"path": "x.md", "quote": "x"}]
        said = "has none of them; set VAULT"
    elif case == "edited vault":
        (search_context.settings.vault / TORCH[0]).write_text(
            "# Torches\n\nA torch burns.\n", "utf-8"
        )
        said = "run: python -m ingest"
    else:
        arguments, said = ["--model", "configured"], "OPENAI_MODEL is not set"
    assert program.main(["--dataset", dataset(environment, questions), *arguments]) == 2
    assert said in capsys.readouterr().err
