"""python -m evals.draft: questions from structure or by a model, and a review that is resumed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals import draft, lint
from evals import retrieval as gate
from evals.drafting.review import review
from tests.evals.gating.test_evals_retrieval import QUESTIONS
from tests.support.llm.fake_llm import FakeLlm

BOATS = """# Boats

## Lending

| Boat | Longest loan | Kept for |
|---|---|---|
| Canoes | 6 hours | 2 years |
| Rowing boats | 4 hours | 3 years |

The deposit is paid back within 3 days.

A canoe may not be taken to the sea, unless the wind is weak.

## Losing a boat at sea

1. Call the coast guard.
2. Call the club.

## Duties of the crew

- Life jackets are checked every 6 months.
- Report damage within 24 hours.
- Night trips: two lamps and a horn.
"""
OLD = "---\nstatus: superseded\n---\n# Old boats\n\nLife belts are checked every 9 months.\n"
DRAFTED = {  # every question of the vault, with the beginning of its quote
    "Boats: what is the longest loan for canoes?": "| Canoes |",
    "What is the longest loan for rowing boats?": "| Rowing boats |",
    "Boats: how long are canoes kept?": "| Canoes |",
    "How long are rowing boats kept?": "| Rowing boats |",
    "Boats: how quickly is the deposit paid back?": "The deposit is paid back",
    "Boats: can a canoe be taken to the sea?": "A canoe may not",
    "Boats: are there any exceptions to the rules on lending?": "A canoe may not",
    "What are the steps for losing a boat at sea?": "1. Call the coast guard.\n2. Call",
    "Duties of the crew: how often are life jackets checked?": "- Life jackets",
    "Duties of the crew: how quickly do I have to report damage?": "- Report damage",
    "Boats: what do the rules on duties of the crew say about night trips?": "- Night trips",
}


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "boats.md").write_text(BOATS)
    (folder / "old.md").write_text(OLD)
    return folder


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def drafted(club: Path, *options: str) -> Path:
    file = club.parent / "drafts.jsonl"
    assert draft.main(["--vault", str(club), "--output", str(file), *options]) == 0
    return file


def test_structure_is_asked_in_questions_that_lint_accepts(
    club: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = drafted(club)
    found = {row["question"]: row["gold"][0]["quote"] for row in rows(file)}
    assert found.keys() == DRAFTED.keys()  # none of the superseded file
    assert all(found[question].startswith(quote) for question, quote in DRAFTED.items())
    assert "left out: 1 near-duplicate" in capsys.readouterr().err  # the duties as a whole
    assert draft.main(["--vault", str(club), "--output", str(file)]) == 2  # overwrites nothing
    assert review(file, lambda _: "a") == {"accepted": len(DRAFTED)}
    assert lint.main(["--dataset", str(file), "--vault", str(club)]) == 0


def test_count_and_seed_choose(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = []
    for seed in ("1", "1", "2"):
        assert draft.main(["--vault", str(club), "--count", "4", "--seed", seed]) == 0
        chosen.append(capsys.readouterr().out)
    assert chosen[0] == chosen[1] != chosen[2]
    assert [text.count("\n") for text in chosen] == [4, 4, 4]


def test_a_review_saves_each_decision_and_goes_on_where_it_was_left(club: Path) -> None:
    file = drafted(club, "--count", "5")
    answers = iter(["a", "x", "e", "", "edit", "What about boats?", "R", "s", "quit"])
    seen: list[list[str]] = []

    def ask(_: str) -> str:
        seen.append([row["status"][0] for row in rows(file)])  # on the disk, at each question
        return next(answers)

    assert review(file, ask) == {"accepted": 2, "rejected": 1, "draft": 2}
    assert ["".join(one) for one in seen] == [
        "ddddd", *["adddd"] * 5, "aaddd", "aardd", "aardd",
    ]  # fmt: skip
    assert rows(file)[1]["question"] == "What about boats?"
    assert review(file, lambda _: "a") == {"accepted": 4, "rejected": 1}

    def ended(_: str) -> str:
        raise EOFError

    assert review(file, ended) == {"accepted": 4, "rejected": 1}


def test_the_gate_asks_what_is_accepted_and_says_what_is_not(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = environment / "q.jsonl"

    def measured(*statuses: str) -> int:
        given = zip(QUESTIONS, statuses, strict=True)
        file.write_text("".join(f"{json.dumps(row | {'status': one})}\n" for row, one in given))
        return gate.main(["--dataset", str(file)])

    assert measured("accepted", "draft", "rejected") == 0
    shown = capsys.readouterr().out
    assert "q.jsonl: not asked: 1 draft, 1 rejected; python -m evals.draft --review" in shown
    assert shown.splitlines()[-1] == "Recall@4: 1/1 = 1.00"
    assert measured("draft", "draft", "rejected") == 2
    assert "none of its 3 questions is accepted" in capsys.readouterr().err
    assert measured("draft", "accepted", "done") == 2
    wrong = (
        "q.jsonl:3: status: Input should be 'draft', 'accepted', 'rejected' or 'lacking', "
        "not 'done'"
    )
    assert wrong in capsys.readouterr().err


@pytest.fixture
def llm(club: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    server = FakeLlm()
    for name, value in {"BASE_URL": server.url, "MODEL": "fake", "API_KEY": "sk"}.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    yield server
    server.shutdown()


def test_a_model_writes_and_a_quote_that_does_not_stand_is_dropped(
    club: Path, llm: FakeLlm, capsys: pytest.CaptureFixture[str]
) -> None:
    right = {"question": "Time to mend a boat?", "quote": "Report damage within 24 hours."}
    wrong = {"question": "May children row?", "quote": "Children may row with an adult."}
    written = [one | {"answer": "24 hours"} for one in (right, wrong)]
    llm.reply = f"Here: ```{json.dumps({'questions': written})}```"
    llm.before_reply = lambda: setattr(llm, "reply", llm.reply if len(llm.requests) < 2 else "no")
    (row,) = rows(drafted(club))
    assert (row["question"], row["must_include"]) == (right["question"], ["24 hours"])
    assert row["gold"] == [{"path": "boats.md", "quote": right["quote"]}]
    shown = capsys.readouterr().err
    assert "1 quote not in its file" in shown
    assert "2 replies of the model that are not of the form" in shown
    assert len(llm.requests) == 3  # the sections of the file that holds
    assert "May children" not in "".join(llm.prompts)
    assert "Life belts" not in "".join(llm.prompts)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--vault", "nowhere"], "no folder 'nowhere'"),
        (["--vault", "empty"], "nothing can be drafted"),
        (["--review", "none.jsonl"], "none.jsonl: cannot be read"),
        (["--review", "list.json"], "list.json: is a JSON list"),
    ],
)
def test_what_cannot_be_drafted_or_reviewed_is_named(
    club: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (club.parent / "empty").mkdir()
    (club.parent / "empty" / "a.md").write_text("Hello.\n")
    listed = [{"question": "q", "expectedChunkSubstring": "words", "source": "a.md"}]
    (club.parent / "list.json").write_text(json.dumps(listed))
    assert draft.main(arguments) == 2
    assert says in capsys.readouterr().err
