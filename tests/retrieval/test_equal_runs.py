"""Equal questions on equal rules give equal passages, in another process and another index too."""

import json
import os
import subprocess
import sys
from pathlib import Path

from retrieval.settings import Settings

QUESTIONS = [
    ("How long does a torch burn?", "1. Light/Torches.md", "A torch burns for one hour."),
    ("What does a battle axe cost?", "2. Arms/Weapons.md", "| Battle axe | 7 | 1d8 |"),
    ("falling damage", "2. Arms/Hazards.md", "A fall deals 1d6 for each 10' fallen."),
]


def test_two_processes_that_index_anew_return_the_same(settings: Settings, tmp_path: Path) -> None:
    dataset = tmp_path / "questions.json"
    rows = [
        {"question": question, "expectedChunkSubstring": words, "source": source}
        for question, source, words in QUESTIONS
    ]
    dataset.write_text(json.dumps(rows), "utf-8")
    first, second = (_measured(settings, dataset, tmp_path / name) for name in ("a", "b"))
    assert len(first) == len(QUESTIONS)
    assert all(row["retrieved"] for row in first)
    assert first == second


def _measured(settings: Settings, dataset: Path, folder: Path) -> list[dict[str, object]]:
    """One line a question, without what only a clock can know."""
    assert settings.database_url
    out = folder / "lines.jsonl"
    subprocess.run(
        [sys.executable, "-m", "evals.retrieval", "--vault", str(settings.vault),
         "--dataset", str(dataset), "--json", str(out), "--results", str(folder)],
        env={**os.environ, "DATABASE_URL": settings.database_url.get_secret_value()},
        capture_output=True,
        check=True,
    )  # fmt: skip
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    return [{name: value for name, value in row.items() if name != "timings"} for row in rows]
