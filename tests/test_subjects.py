"""Refusal over vaults that nothing was fitted on."""

import json
from pathlib import Path

import pytest

from api.refusal import Signals
from evals import dataset, subjects
from evals.subjects import Asked
from retrieval.errors import DatasetError
from retrieval.rulebook import Rulebook
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
    rulebook: Rulebook, questions: Path, tmp_path: Path
) -> None:
    (found,) = subjects.measured(rulebook, questions, tmp_path / "written")
    assert "??" not in (tmp_path / "written" / "v" / "Torches.md").read_text("utf-8")
    counts = {name: len(signals) for name, signals in found.signals.items()}
    assert counts == {"answerable": 1, "everyday": 1, "sense": 1}  # one line is not found
    text = subjects.report([found])
    assert "| v | 1 + 1 + 1 | 1.000 |" in text


def test_the_program_says_what_is_missing(
    questions: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert settings.database_url
    monkeypatch.setenv("DATABASE_URL", settings.database_url.get_secret_value())
    assert subjects.main(["--questions", str(questions)]) == 0
    assert "one limit for all vaults" in capsys.readouterr().out
    (questions / "w.jsonl").write_text("", "utf-8")
    assert subjects.main(["--questions", str(questions)]) == 2
    assert "no folder 'w'" in capsys.readouterr().err
    assert subjects.main(["--questions", str(questions.parent)]) == 2
    assert "no *.jsonl" in capsys.readouterr().err


def test_a_limit_for_all_vaults_refuses_its_share_of_each_group() -> None:
    told = {
        "answerable": tuple(Signals(0.3 + 0.01 * n, 0.2) for n in range(100)),
        "everyday": tuple(Signals(0.1, -0.2) for _ in range(10)),
        "sense": tuple(Signals(0.1, 0.01 * n) for n in range(100)),
    }
    lines = subjects.report([Asked("a", told)]).splitlines()
    assert lines[2] == "| a | 100 + 10 + 100 | 0.593 | 0.000 | 1.000 | 0.050 |"
    assert "| 0.360 | 0.020 | 1.000 | 0.310 |" in lines
    assert "| 0.320 | 0.020 | 1.000 | 1.000 |" in lines
    with pytest.raises(DatasetError, match=r"a: none of the questions of \['sense'\]"):
        subjects.report([Asked("a", {**told, "sense": ()})])


def test_the_questions_that_ship_are_of_vaults_that_ship() -> None:
    files = sorted(subjects.QUESTIONS.glob("*.jsonl"))
    assert len(files) == 15
    for file in files:
        assert any((base / file.stem).is_dir() for base in subjects.VAULTS)
        asked = dataset.load(file)
        assert len(asked) == len({one.question.casefold() for one in asked}) >= 60
        assert sum(one.answerable for one in asked) == 25
