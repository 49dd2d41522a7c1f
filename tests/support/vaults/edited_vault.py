"""A repository with a small vault below rules/, committed, for tests of what its edits do."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RULES, write_vault

TORCHES = "1. Light/Torches.md"
HAZARDS = "2. Arms/Hazards.md"
QUESTIONS: list[dict[str, Any]] = [
    {"id": "torch", "question": "How long does a torch burn?", "critical": True,
     "gold": [{"path": TORCHES, "quote": "A torch burns for one hour."}]},
    {"id": "lantern", "question": "How long does a lantern burn on one flask of oil?",
     "gold": [{"path": "1. Light/Lanterns.md", "quote": "A lantern burns for four hours"}]},
    {"id": "axe", "question": "What does a battle axe cost?", "kind": "table",
     "gold": [{"path": "2. Arms/Weapons.md", "quote": "| Battle axe | 7 |"}]},
]  # fmt: skip
FILLER = {
    f"3. Lists/List {n}.md": f"# List {n}\n\n{n} blue jars, {n} red lids and {n} green bags.\n"
    for n in range(6)
}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@y", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str) -> Path:
    """Commit the small vault below rules/ and its questions, and make it the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("RAG_THRESHOLD", "-9")
    monkeypatch.setenv("RAG_TOP_K", "2")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    write_vault(tmp_path / "rules", RULES | FILLER)
    rows = [json.dumps({"kind": "prose", "split": "gate"} | row) for row in QUESTIONS]
    (tmp_path / "q.jsonl").write_text("\n".join(rows), "utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "base")
    return tmp_path


def edit(folder: Path, path: str, old: str, new: str) -> None:
    file = folder / "rules" / path
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
