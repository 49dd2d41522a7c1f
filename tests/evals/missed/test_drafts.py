"""The drafts of what was missed: what stays, what is asked again, and what a person is shown.

Nothing is searched here; test_acceptance and test_missed ask over an index.
"""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from evals import inbox
from evals.drafting.review import review
from evals.labels import dataset, quote_locations
from evals.missed import acceptance, clusters, deciding
from retrieval.errors import DatasetError
from tests.evals.missed.test_acceptance import BREATH, ROW

TORCH = "A torch burns for one hour. It lights 30’ around its bearer."
LIT: dict[str, Any] = ROW | {
    "id": "missed-1", "question": "How long does a torch burn?", "answer": TORCH,
    "gold": [{"path": "1. Light/Torches.md", "quote": TORCH}], "status": "draft",
}  # fmt: skip
AXE: dict[str, Any] = LIT | {
    "question": "What does a battle axe cost?", "kind": "table", "answer": "| Battle axe | 7 | 1d8",
    "gold": [{"path": "2. Arms/Weapons.md", "quote": "| Battle axe | 7 | 1d8 |"}],
}  # fmt: skip
MISSING: dict[str, Any] = LIT | {
    "question": "Who feeds the dragon?", "kind": "nearmiss", "gold": [], "answer": "",
    "why_unanswerable": "asked twice",
}  # fmt: skip


def decided(
    folder: Path, vault: Path, monkeypatch: pytest.MonkeyPatch, drafts: str, typed: str = ""
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Review these drafts beside the file of questions; return the drafts and questions after."""
    files = folder / "missed.jsonl", folder / "questions.jsonl"
    files[0].write_text(drafts, "utf-8")
    files[1].touch()
    monkeypatch.setattr("sys.stdin", StringIO(typed))
    deciding.of_missed([], *files, vault)
    left, asked = ([json.loads(row) for row in file.read_text().splitlines()] for file in files)
    return left, asked


def test_words_that_are_no_neighbours_in_the_question_are_no_pair() -> None:
    pages = quote_locations.page("a.md", "Potions of healing cost 50 gold coins each.")
    row = MISSING | {"question": "Potions of healing cost coins?"}
    assert acceptance.completed(row, {"a.md": pages})["absent"] == [r"cost\W+coins"]
    row["question"] = "Potions of healing?"
    with pytest.raises(DatasetError, match="the rules hold the very words"):
        acceptance.completed(row, {"a.md": pages})


@pytest.mark.parametrize(
    ("row", "typed", "name", "kept"),
    [
        (LIT, "a\n\na\none hour\n", "must_include", ["one hour"]),
        (AXE, "a\n\na\n7\n", "must_include", ["7"]),
        (MISSING, "a\n\n", "absent", ["dragon"]),
        (MISSING, "a\ntorch\na\nfeeds the\n", "absent", ["feeds the"]),
    ],
)
def test_a_person_sees_what_is_needed_before_it_is_accepted_and_types_another(
    tmp_path: Path,
    vault: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    row: dict[str, Any],
    typed: str,
    name: str,
    kept: list[str],
) -> None:
    left, asked = decided(tmp_path, vault, monkeypatch, json.dumps(row), typed)
    assert (left, asked[0][name]) == ([], kept)
    shown = capsys.readouterr().out
    assert shown.index(f"  {name}, ") < shown.index("  appended to")
    assert ("not accepted" in shown) == (typed.count("a\n") > 1)


def test_who_stops_at_what_is_needed_has_accepted_nothing(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert decided(tmp_path, vault, monkeypatch, json.dumps(MISSING), "a\n") == ([MISSING], [])


def test_a_mark_at_the_start_and_blank_lines_are_no_rows(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = f"\ufeff{json.dumps(LIT)}\n  \n"
    assert decided(tmp_path, vault, monkeypatch, drafts) == ([LIT], [])


@pytest.mark.parametrize(
    ("drafts", "says"),
    [("[]", "missed.jsonl: is a JSON list"), ("{}\nx", "missed.jsonl:1: id: Field required")],
)
def test_drafts_that_are_no_jsonl_are_named(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch, drafts: str, says: str
) -> None:
    with pytest.raises(DatasetError, match=says):
        decided(tmp_path, vault, monkeypatch, drafts)


def test_the_questions_are_no_drafts(tmp_path: Path, vault: Path) -> None:
    file = tmp_path / "missed.jsonl"
    file.write_text(json.dumps(LIT), "utf-8")
    with pytest.raises(DatasetError, match="drafts need a file of their own"):
        deciding.of_missed([], file, file, vault)


def test_an_old_draft_with_the_id_of_another_question_stays_with_an_id_of_its_own(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "questions.jsonl").touch()
    acceptance.append(tmp_path / "questions.jsonl", ROW, vault)
    left, _ = decided(tmp_path, vault, monkeypatch, json.dumps(MISSING))
    assert left == [MISSING | {"id": clusters.row_id(MISSING["question"])}]


def test_what_was_edited_and_appended_leaves_the_drafts(
    tmp_path: Path, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = MISSING | {"id": clusters.row_id(MISSING["question"])}
    (tmp_path / "questions.jsonl").touch()
    acceptance.append(tmp_path / "questions.jsonl", row | {"question": "Dragons?"}, vault)
    assert decided(tmp_path, vault, monkeypatch, json.dumps(row))[0] == []


def test_what_the_other_program_accepted_is_asked_again_and_appended(
    tmp_path: Path,
    vault: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [ROW, MISSING | {"id": "m", "status": "rejected"}]
    drafts = "\n".join(map(json.dumps, rows))
    left, asked = decided(tmp_path, vault, monkeypatch, drafts, "a\n\n")
    assert (left, [row["question"] for row in asked]) == (rows[1:], [BREATH])
    assert "1 are rejected in all" in capsys.readouterr().out


def test_a_row_of_a_table_that_answers_is_of_that_kind(tmp_path: Path) -> None:
    row = MISSING | {"nearest": AXE["gold"]}
    file = tmp_path / "missed.jsonl"
    file.write_text(json.dumps(row), "utf-8")
    assert review(file, lambda _: "1") == {"accepted": 1}
    assert dataset.load(file)[0].kind == "table"


@pytest.mark.parametrize(
    "options",
    [["--missed", "--dataset", "q.jsonl"], ["--missed", "--json"], ["--missed", "--down"]],
)
def test_an_option_that_would_do_nothing_is_refused(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        inbox.main(options)
    assert stopped.value.code == 2
    assert options[-1 if options[-1].startswith("--") else 1] in capsys.readouterr().err
