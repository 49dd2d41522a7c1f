"""python -m evals.inbox --missed: what users did not get becomes drafts, labels and a list."""

import json
from pathlib import Path

import pytest

from evals import inbox
from evals.drafting.review import lacking_file, review
from evals.labels import dataset
from retrieval.context import SearchContext
from retrieval.usage import feedback, telemetry
from retrieval.usage.feedback import RatedAnswer
from retrieval.usage.telemetry import AskedQuestion

TORCH = [
    "How long does a torch burn?",
    "how long will a torch burn for",
    "how long do torches burn",
]
AXE = "What does a battle axe cost?"


def test_what_was_missed_is_clustered_drafted_and_decided(
    environment: Path, search_context: SearchContext, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [AskedQuestion(f"t{n}", "nearest", "", 1.0, question=q) for n, q in enumerate(TORCH)]
    rows += [
        AskedQuestion("n", "answered", "", 1.0, question="not missed"),
        AskedQuestion("x", "refused", "no_passage", 1.0),  # its text is not stored
        AskedQuestion("d", "refused", "no_passage", 1.0, question="Who is the dragon\x1b[31m?"),
    ]
    rated = RatedAnswer("f", AXE, "1.1", "answered", "off", ())
    with search_context.store.connect() as conn:
        telemetry.write(conn, rows, 30)
        feedback.remember(conn, [(rated, None)])
        assert feedback.put(conn, "f", None, "down", "")
    file = environment / "missed.jsonl"
    assert inbox.main(["--missed", "--output", str(file)]) == 0
    shown = capsys.readouterr().out
    first, *others = shown.strip().split("\n\n")
    assert first.startswith("1. asked 3 times: 3 nearest\n")
    assert all(one in first for one in TORCH)
    assert "nearest   1. Light/Torches.md:3  A torch burns for one hour." in first
    assert [one.split("\n")[0][3:] for one in others[:2]] == [
        "asked 1 times: 1 rated down", "asked 1 times: 1 refused (no_passage)",
    ]  # fmt: skip
    assert others[1].count("  nearest   ") == 3  # though each is under the threshold
    assert "\x1b" not in shown
    assert inbox.main(["--missed", "--limit", "2"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("evals.inbox: 1 were missed whose text is not stored; TELEMETRY_")
    assert said[1:] == ["evals.inbox: the newest 2 of 4 are read; --limit 4 reads all"]
    assert inbox.main(["--missed", "--output", str(file)]) == 2  # it is there already
    answers = iter("arl")
    assert review(file, lambda _: next(answers)) == {"accepted": 1, "rejected": 1, "lacking": 1}
    (accepted,) = dataset.load(file)
    assert accepted.question in TORCH
    assert accepted.places[0][0].path == "1. Light/Torches.md"
    assert lacking_file(file).read_text("utf-8").startswith("# What the rules lack\n\n- Who is the")


def test_nothing_was_missed(
    environment: Path, search_context: SearchContext, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inbox.main(["--missed", "--days", "2"]) == 0
    assert capsys.readouterr().out == "nothing was missed in 2 days of which the text was stored\n"


@pytest.mark.parametrize(
    ("answer", "kind", "places"), [("a", "nearmiss", []), ("2", "prose", [("b.md", "Two.")])]
)
def test_a_refused_question_is_to_be_refused_or_gets_the_line_that_answers(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    kind: str,
    places: list[tuple[str, str]],
) -> None:
    near = [{"path": "a.md", "quote": "One."}, {"path": "b.md", "quote": "Two."}]
    row = {"id": "m", "question": "Two?", "kind": "nearmiss", "gold": [], "nearest": near}
    file = tmp_path / "missed.jsonl"
    file.write_text(json.dumps(row | {"status": "draft"}), "utf-8")
    asked: list[str] = []
    answers = iter(["3", answer])

    def ask(text: str) -> str:
        asked.append(text)
        return next(answers)

    assert review(file, ask) == {"accepted": 1}
    assert "accept (no line does: it must be refused)" in asked[0]
    shown = capsys.readouterr().out
    assert "  2. b.md\n     | Two." in shown
    assert "'3' is none of them" in shown
    (accepted,) = dataset.load(file)
    assert accepted.kind == kind
    assert [(gold.path, gold.quote) for place in accepted.places for gold in place] == places
