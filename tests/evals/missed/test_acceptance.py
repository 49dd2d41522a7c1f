"""python -m evals.inbox --missed --review: what users did not get is asked by the gate from now on.

Telemetry's rows are those of questions that were asked over HTTP; the gate and lint read the file.
"""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from api.main import create_app
from api.state import AppState
from evals import inbox, lint
from evals import retrieval as gate
from evals.drafting.review import lacking_file
from evals.labels import dataset
from evals.labels.options import RULES
from evals.missed import acceptance
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.settings import Settings
from tests.evals.gating.test_evals_retrieval import QUESTIONS
from tests.support.index.index_state import same_models
from tests.support.servers.serving import serving

BREATH = "How long do I hold my breath under water?"
DRAGON = "Who feeds the dragon?"
LOST = "When does the ferry leave?"
ROW: dict[str, Any] = {
    "id": "missed-1", "question": BREATH, "kind": "prose", "status": "accepted", "nearest": None,
    "answer": "Whoever goes under holds breath for as many rounds as CON.",
    "gold": [{"path": "2. Arms/Hazards.md",
              "quote": "Whoever goes under holds breath for as many rounds as CON."}],
}  # fmt: skip


@pytest.fixture
def questions(environment: Path) -> Path:
    """The gate's questions, two lines without an end of the last and with odd spaces."""
    file = environment / "questions.jsonl"
    rows = [row | {"answer": "x", "must_include": ["x"]} for row in QUESTIONS[:2]]
    file.write_text("\n".join(json.dumps(row, indent=None) + "  " for row in rows), "utf-8")
    return file


def review(monkeypatch: pytest.MonkeyPatch, questions: Path, answers: str) -> int:
    """Run the program as a person does who types these answers."""
    monkeypatch.setattr("sys.stdin", StringIO("".join(f"{one}\n" for one in answers.split(","))))
    drafts = questions.with_name("missed.jsonl")
    options = ["--output", str(drafts), "--dataset", str(questions)]
    return inbox.main(["--missed", "--review", *options])


def asked_over_http(context: SearchContext) -> None:
    """Ask what is missed, as users do, with the text stored."""
    values = {"telemetry_stores_questions": True, "rag_threshold": 9.0}  # nothing is good enough
    settings = context.settings.model_copy(update=values)
    with (
        same_models(context, settings) as rules,
        serving(settings, create_app(AppState(rules, None))) as client,
    ):
        for question in (BREATH, BREATH, DRAGON, LOST):
            assert client.post("/ask", json={"question": question}).json()["refused"]


def drafts_of(questions: Path) -> list[dict[str, Any]]:
    """The rows of the drafts that are left."""
    text = questions.with_name("missed.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_what_is_accepted_is_a_row_that_the_gate_asks_and_what_is_open_stays(
    search_context: SearchContext,
    settings: Settings,
    questions: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked_over_http(search_context)
    before = questions.read_bytes()
    assert review(monkeypatch, questions, "a,,l,q") == 0
    after = questions.read_bytes()
    assert after.startswith(before + b"\n")
    assert after.count(b"\n") == before.count(b"\n") + 2
    *_, added = dataset.load(questions)
    assert (added.question, added.split, added.kind) == (BREATH, "gate", "prose")
    assert added.places[0][0].path == "2. Arms/Hazards.md"
    assert [row["status"] for row in drafts_of(questions)] == ["lacking", "draft"]
    assert "# What the rules lack" in lacking_file(questions.with_name("missed.jsonl")).read_text()
    assert "1 are new in" in capsys.readouterr().out
    # Another day: the one that is open is asked again, what was decided is not.
    assert review(monkeypatch, questions, "a,") == 0
    *_, refused = dataset.load(questions)
    assert (refused.question, refused.kind) in {(DRAGON, "nearmiss"), (LOST, "nearmiss")}
    assert [row["status"] for row in drafts_of(questions)] == ["lacking"]
    found = lint.lint(questions, settings.vault)
    assert [one for one in found if added.id in one or refused.id in one] == []
    assert gate.main(["--dataset", str(questions)]) in {0, 1}
    assert "Recall@4: 3/3 = 1.00" in capsys.readouterr().out  # the two of before, and BREATH


def test_a_row_that_lint_would_find_fault_with_leaves_the_file_and_is_asked_again(
    search_context: SearchContext,
    questions: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked_over_http(search_context)
    known = {**ROW, "id": "breath", "must_include": ["CON"], "split": "gate", "status": None}
    questions.write_text(f"{json.dumps(known)}\n", "utf-8")
    before = questions.read_bytes()
    assert review(monkeypatch, questions, "s,s,s") == 0  # asked in other words alone: no draft
    assert {row["question"] for row in drafts_of(questions)} == {DRAGON, LOST}
    drafts = questions.with_name("missed.jsonl")
    double = {**ROW, "id": "m", "question": f"{BREATH[:-1]}, please?", "status": "draft"}
    drafts.write_text(json.dumps(double), "utf-8")
    assert review(monkeypatch, questions, "a,,e,May I breathe in a lake?,,q") == 0
    told = "not accepted: m: near-duplicate: asks 100 % of breath (line 1)"
    assert told in capsys.readouterr().out
    assert questions.read_bytes().startswith(before)
    assert dataset.load(questions)[-1].question == "May I breathe in a lake?"


def test_who_was_stopped_between_both_files_is_not_asked_twice(
    search_context: SearchContext, questions: Path, monkeypatch: pytest.MonkeyPatch, vault: Path
) -> None:
    drafts = questions.with_name("missed.jsonl")
    drafts.write_text(json.dumps(ROW | {"status": "draft"}), "utf-8")
    acceptance.append(questions, ROW, vault)
    before = questions.read_bytes()
    assert review(monkeypatch, questions, "") == 0
    assert drafts_of(questions) == []
    assert questions.read_bytes() == before


def test_a_line_to_fit_on_stays_in_its_split_and_a_link_stays_one(
    questions: Path, vault: Path, tmp_path: Path
) -> None:
    fitted = {**ROW, "id": "fitted", "question": "Drowning?", "must_include": ["CON"],
              "split": "calibration"}  # fmt: skip
    questions.write_text(f"{json.dumps(fitted)}\n", "utf-8")
    link = tmp_path / "link.jsonl"
    link.symlink_to(questions)
    row = acceptance.append(link, ROW, vault)
    assert (row["split"], row["must_include"]) == ("calibration", ("Whoever",))
    assert (link.is_symlink(), len(dataset.load(questions))) == (True, 2)


@pytest.mark.parametrize(
    ("text", "changed", "says"),
    [
        (None, {}, "questions.jsonl: cannot be read"),
        ("[]", {}, "is a JSON list"),
        ("{}", {}, "questions.jsonl:1: id: Field required"),
        (json.dumps(ROW), {}, "questions.jsonl:2: the id 'missed-1' is that of line 1, too"),
        ("", {"gold": [{"path": "2. Arms/Hazards.md", "quote": "Nobody may swim."}]}, "gone: "),
        ("", {"kind": "song"}, "kind 'song' is none of"),
        ("", {"question": "write to anna@example.org"}, "personal: "),
    ],
)
def test_what_is_not_right_is_said_and_nothing_is_written(
    questions: Path, vault: Path, text: str | None, changed: dict[str, Any], says: str
) -> None:
    questions.unlink() if text is None else questions.write_text(text, "utf-8")
    with pytest.raises(DatasetError) as told:
        acceptance.append(questions, ROW | changed, vault)
    assert says in str(told.value)
    assert (questions.read_text("utf-8") if questions.exists() else None) == text


@pytest.mark.parametrize(
    ("question", "pattern"),
    [
        ("Who feeds the dragon?", "dragon"),
        ("Does water deal damage?", r"does\W+water"),
        ("Is a torch an axe?", r"is\W+a\W+torch\W+an\W+axe"),
    ],
)
def test_what_the_rules_would_say_is_a_pattern_that_stands_nowhere(
    questions: Path, vault: Path, question: str, pattern: str
) -> None:
    missing = {"kind": "nearmiss", "answer": "", "gold": [], "why_unanswerable": "asked 2 times"}
    row = acceptance.append(questions, ROW | missing | {"question": question}, vault)
    assert row["absent"] == [pattern]
    assert [one for one in lint.lint(questions, vault) if ROW["id"] in one] == []


def test_questions_about_the_sample_vault_get_none_about_other_rules(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = RULES.read_bytes()
    assert inbox.main(["--missed", "--review"]) == 2
    assert "are about the sample vault; name a file with your own" in capsys.readouterr().err
    assert RULES.read_bytes() == before
