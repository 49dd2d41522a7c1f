"""The guard's set: a guard that blocks everything, or nothing, is red; no answers are no pass."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals import guard_set as program
from evals.answers import hand_labelled
from evals.answers.hand_labelled import MarkedAnswer
from evals.guard_set import Checked
from retrieval.errors import DatasetError

ROOT = Path(__file__).parents[3]
NEW = hand_labelled.GUARD.with_name("new.jsonl")
PASSAGE = {
    "path": "light.md", "heading": "Light", "first_line": 1,
    "text": "A torch burns for 6 turns.\n\nA lantern burns for 24 turns on a flask of oil.",
}  # fmt: skip
RIGHT = {
    "id": "a", "split": "dev", "vault": "rules", "question": "How long does a torch burn?",
    "passages": [PASSAGE], "answer": "A torch burns for six turns [1].", "right": True,
    "fault": None,
}  # fmt: skip
WRONG = {**RIGHT, "id": "b", "answer": "It burns for 9 turns [1].", "right": False,
         "fault": "number"}  # fmt: skip


def run(folder: Path, rows: list[dict[str, Any]], *options: str) -> int:
    path = folder / "guard.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    out = ["--results", str(folder / "results"), "--json", str(folder / "out.jsonl")]
    return program.main(["--dataset", str(path), "--split", "dev", *out, *options])


def test_right_answers_pass_and_wrong_ones_are_caught_by_their_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, [RIGHT, WRONG], "--junit", str(tmp_path / "junit.xml")) == 0
    shown = capsys.readouterr().out
    assert "PASS (number) — 'It burns for 9 turns [1].'" in shown
    table = [line.split() for line in shown.splitlines()]
    assert ["wrong,", "caught", "1", "1"] in [line[:4] for line in table]
    assert ["number", "1", "1"] in [line[:3] for line in table]
    assert 'failures="0"' in (tmp_path / "junit.xml").read_text("utf-8")


def test_each_check_is_counted_alone_and_beside_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = {**WRONG, "id": "c", "answer": "It burns for 9 turns, and Zorgoth for 3 [1]."}
    assert run(tmp_path, [RIGHT, WRONG, both], "--by-check") == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["in", "no", "passage", "2", "1", "0", "0"] in table
    assert ["name", "1", "0", "0", "0"] in table


def test_a_label_that_the_guard_contradicts_is_red_in_either_direction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = {**WRONG, "id": "c", "right": True, "fault": None}
    missed = {**RIGHT, "id": "d", "right": False, "fault": "name"}
    assert run(tmp_path, [RIGHT, WRONG, blocked]) == 1
    assert "GATE FAILED: changed 0.500 of the right answers" in capsys.readouterr().out
    assert run(tmp_path, [RIGHT, WRONG, missed]) == 1
    assert "GATE FAILED: caught 0.500 of the wrong answers" in capsys.readouterr().out


def test_always_and_never_stopping_are_both_red() -> None:
    stopped = program.checked(_case(WRONG)).seen
    passed = replace(stopped, text="Yes.", faults=())
    always = [Checked(_case(row), replace(stopped, text="Yes.")) for row in (RIGHT, WRONG)]
    never = [Checked(_case(row), passed) for row in (RIGHT, WRONG)]
    assert [fault.split(" ")[0] for fault in program.faults(always)] == ["changed"]
    assert [fault.split(" ")[0] for fault in program.faults(never)] == ["caught"]
    lost = [Checked(_case(row), replace(stopped, text="")) for row in (RIGHT, WRONG)]
    assert [fault.split(" ")[0] for fault in program.faults(lost)] == ["changed", "nothing"]
    with pytest.raises(DatasetError):
        program.faults(always[:1])


def test_readers_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missed = {**RIGHT, "id": "d", "answer": "A torch burns for 6 turns in fog [1].",
              "right": False, "fault": "condition"}  # fmt: skip
    rows = [RIGHT, WRONG, *({**row, "id": f"{row['id']}{n}"} for row in (RIGHT, missed)
                            for n in range(12))]  # fmt: skip
    caught = {}
    for reader in ("none", "agrees", "perfect", "denies"):
        status = run(tmp_path, rows, "--reader", reader, "--min-caught", "0")
        shown = capsys.readouterr().out
        line = next(line for line in shown.splitlines() if line.startswith("wrong, caught"))
        caught[reader] = int(line.split()[3])
        assert ("'llm' denied 25 of the last 25 claims" in shown) == (reader == "denies")
        assert status == (1 if reader == "denies" else 0)
    assert caught == {"none": 1, "agrees": 1, "perfect": 13, "denies": 13}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "has not both right and wrong answers"),
        ([{**RIGHT, "split": "held"}, {**WRONG, "split": "held"}], "'dev' has not both"),
        ([RIGHT, {**WRONG, "right": True}], "guard.jsonl:2: right True, fault 'number'"),
        ([RIGHT, {**WRONG, "proof": ["Not there."]}], "no passage has the line 'Not there.'"),
        ([{"id": "a"}], "guard.jsonl:1: question: Field required"),
    ],
)
def test_what_cannot_be_measured_is_no_pass(
    rows: list[dict[str, Any]], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, rows) == 2
    assert said in capsys.readouterr().err


def test_the_committed_set_has_both_splits_of_the_size_that_is_promised() -> None:
    for split in hand_labelled.GUARD_SPLITS:
        cases = hand_labelled.guard_answers(hand_labelled.GUARD, split)
        wrong = sum(bool(case.fault) for case in cases)
        assert len(cases) >= 100
        assert 0.3 <= wrong / len(cases) <= 0.5


def test_answers_to_measure_are_about_half_wrong_and_none_to_build_on() -> None:
    held = hand_labelled.guard_answers(hand_labelled.GUARD, "held")
    assert sum(bool(case.fault) for case in held) == len(held) / 2
    assert not {case.answer for case in held} & {
        case.answer for case in hand_labelled.guard_answers(hand_labelled.GUARD, "dev")
    }


def test_new_answers_are_half_wrong_in_ten_ways_and_none_is_of_the_set_to_build_on() -> None:
    cases = hand_labelled.guard_answers(NEW, hand_labelled.NEW_SPLIT)
    faults = Counter(case.fault for case in cases)
    assert faults.pop("") == 150
    assert len(faults) == 10
    assert set(faults.values()) == {15}
    old = [
        one
        for split in hand_labelled.GUARD_SPLITS
        for one in hand_labelled.guard_answers(hand_labelled.GUARD, split)
    ]
    assert not {case.answer for case in cases} & {case.answer for case in old}


def test_answers_wrong_in_one_sign_are_thirty_of_each_kind_and_none_is_of_the_new_ones() -> None:
    cases = hand_labelled.guard_answers(hand_labelled.SIGNS, hand_labelled.SIGNS_SPLIT)
    kinds = dict.fromkeys(("number", "unit", "comparator", "modal"), 30)
    assert Counter(case.fault for case in cases) == {"": 80, **kinds}
    assert len({(case.question, case.answer) for case in cases}) == len(cases)
    new = hand_labelled.guard_answers(NEW, hand_labelled.NEW_SPLIT)
    assert not {case.answer for case in cases} & {case.answer for case in new}


def test_every_new_answer_has_lines_of_the_vault_that_prove_it() -> None:
    vaults = {"rules": ROOT / "vault", "handbook": ROOT / "evals" / "vaults" / "handbook"}
    files: Counter[tuple[str, str]] = Counter()
    for row in map(json.loads, NEW.read_text("utf-8").splitlines()):
        for passage in row["passages"]:
            lines = (vaults[row["vault"]] / passage["path"]).read_text("utf-8-sig").split("\n")
            quoted = passage["text"].split("\n")
            first = passage["first_line"] - 1
            assert lines[first : first + len(quoted)] == quoted
        proven = [one["path"] for one in row["passages"] if row["proof"][0] in one["text"]]
        files[row["vault"], proven[0]] += 1
    assert max(files.values()) <= 3


def _case(row: dict[str, Any]) -> MarkedAnswer:
    return MarkedAnswer("a", row["question"], (), row["answer"], row["fault"] or "")
