"""What the tests of `evals.lint` plant their faults in: a clean vault and faultless labels.

A pytest plugin, so that the tests need not import the fixture.
"""

import json
from pathlib import Path

import pytest

from evals import lint

TORCHES = "# Torches\n\nA torch burns for one hour.\nIt goes out at once in water.\n"
WEAPONS = (
    "# Weapons\n\n| Weapon | Cost (gp) |\n|---|---|\n| Battle axe | 7 |\n| Hand axe | 4 |\n\n"
    "Two hands hold a battle axe.\n\nThe smith mends it. Two hands hold a battle axe.\n"
)
TORCH = {"path": "torches.md", "quote": "A torch burns for one hour."}
AXE = {"path": "arms/weapons.md", "quote": "| Battle axe   | 7 |"}


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder; its vault has two files."""
    monkeypatch.chdir(tmp_path)
    return write_vault(tmp_path)


def write_vault(folder: Path) -> Path:
    """Write the two files below `folder`/vault, and return `folder`."""
    (folder / "vault" / "arms").mkdir(parents=True)
    (folder / "vault" / "torches.md").write_text(TORCHES, encoding="utf-8")
    (folder / "vault" / "arms" / "weapons.md").write_text(WEAPONS, encoding="utf-8")
    return folder


def answerable(**fields: object) -> dict[str, object]:
    """A question without fault, but for `fields`."""
    return {
        "id": "torch", "question": "How long does a torch last?", "kind": "prose",
        "answer": "One hour", "gold": [TORCH], "split": "gate", "must_include": ["1 hour|one hour"],
    } | fields  # fmt: skip


def unanswerable(**fields: object) -> dict[str, object]:
    """One without answer and without fault, but for `fields`."""
    return {
        "id": "laser", "question": "What does a laser pistol cost?", "kind": "offtopic",
        "split": "gate", "why_unanswerable": "No such weapon.", "absent": ["laser|pistol"],
    } | fields  # fmt: skip


def findings(*rows: dict[str, object]) -> list[str]:
    """What lint finds in these questions, written to q.jsonl in the working folder."""
    Path("q.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return lint.lint(Path("q.jsonl"), Path("vault"))


def finding(*rows: dict[str, object]) -> str:
    """The one thing that lint finds in these questions."""
    found = findings(*rows)
    assert len(found) == 1, found
    return found[0]
