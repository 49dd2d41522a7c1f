"""Refusal over vaults that nothing was fitted on."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from evals import subjects
from evals.labels import dataset
from evals.subjects import SubjectQuestion
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.refusal.off_topic import Signals
from retrieval.settings import Settings

ROWS = [
    {"id": "v-answerable-1", "question": "How long does a torch burn?", "kind": "prose",
     "gold": [{"path": "Torches.md", "quote": "A torch burns for one hour."}]},
    {"id": "v-answerable-2", "question": "What is a lantern's oil made of?", "kind": "prose",
     "gold": [{"path": "Torches.md", "quote": "A line that is not there."}]},
    {"id": "v-everyday-1", "question": "How do I undo my last git commit?", "kind": "offtopic"},
    {"id": "v-sense-1", "question": "Where does the Olympic torch go next?", "kind": "offtopic"},
]  # fmt: skip


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Questions of a vault of one file, which holds a question itself."""
    (tmp_path / "vaults" / "v").mkdir(parents=True)
    text = "# Torches\n\nA torch burns for one hour.\n?? How long does a torch burn?\n"
    (tmp_path / "vaults" / "v" / "Torches.md").write_text(text, "utf-8")
    folder = tmp_path / "questions"
    folder.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    (folder / "v.jsonl").write_text(lines, "utf-8")
    monkeypatch.setattr(subjects, "VAULTS", (tmp_path / "vaults",))
    return folder


def test_each_vault_is_indexed_without_its_questions_and_asked(
    search_context: SearchContext, questions: Path, tmp_path: Path
) -> None:
    (found,) = subjects.measured(search_context, questions, tmp_path / "written")
    assert "??" not in (tmp_path / "written" / "v" / "Torches.md").read_text("utf-8")
    counts = {name: len(signals) for name, signals in found.signals.items()}
    assert counts == {"answerable": 1, "everyday": 1, "sense": 1}  # one line is not found
    text = subjects.report([found, replace(found, vault="w")])
    assert "| v | 1 + 1 + 1 | 1.000 |" in text
    assert "| w | 1 + 1 + 1 | 1.000 |" in text


def test_the_program_says_what_is_missing(
    questions: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert settings.database_url
    monkeypatch.setenv("DATABASE_URL", settings.database_url.get_secret_value())
    shutil.copytree(questions.parent / "vaults" / "v", questions.parent / "vaults" / "u")
    shutil.copy(questions / "v.jsonl", questions / "u.jsonl")
    assert subjects.main(["--questions", str(questions)]) == 0
    assert "words and vectors, one limit for all:" in capsys.readouterr().out
    (questions / "w.jsonl").write_text("", "utf-8")
    assert subjects.main(["--questions", str(questions)]) == 2
    assert "no folder 'w'" in capsys.readouterr().err
    assert subjects.main(["--questions", str(questions.parent)]) == 2
    assert "no *.jsonl" in capsys.readouterr().err


def test_each_vault_is_judged_by_the_limit_that_the_others_give() -> None:
    told = {
        "answerable": tuple(Signals(0.3 + 0.01 * n, 0.2) for n in range(100)),
        "everyday": tuple(Signals(0.1, -0.2) for _ in range(10)),
        "sense": tuple(Signals(0.1, 0.01 * n) for n in range(100)),
    }
    higher = {
        name: tuple(replace(one, covered=1.0) for one in group) for name, group in told.items()
    }
    lines = subjects.report([SubjectQuestion("a", told), SubjectQuestion("b", higher)]).splitlines()
    # a's 5 % are at 0.2 + 0.5 * 0.3495 = 0.37475, b's 0.8 above.
    assert "| a | 100 + 10 + 100 | 0.593 | 1.175 | 1.000 | 1.000 | 1.000 |" in lines
    assert "| b | 100 + 10 + 100 | 1.000 | 0.375 | 0.000 | 0.000 | 0.000 |" in lines
    assert "| all | 200 + 20 + 200 | 0.796 (mean) | | 0.500 | 0.500 | 0.500 |" in lines
    with pytest.raises(DatasetError, match=r"a: none of the questions of \['sense'\]"):
        subjects.report([SubjectQuestion("a", {**told, "sense": ()})])
    with pytest.raises(DatasetError, match="1 vault: there are no others"):
        subjects.report([SubjectQuestion("a", told)])


def test_the_questions_that_ship_are_of_vaults_that_ship() -> None:
    files = sorted(subjects.QUESTIONS.glob("*.jsonl"))
    assert len(files) == 15
    for file in files:
        assert any((base / file.stem).is_dir() for base in subjects.VAULTS)
        asked = dataset.load(file)
        assert len(asked) == len({one.question.casefold() for one in asked}) >= 60
        assert sum(one.answerable for one in asked) == 25
