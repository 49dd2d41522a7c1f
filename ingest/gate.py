"""Measure a generation with the gate of the evals, in a process of its own."""

import subprocess
import sys
from pathlib import Path


def measure(
    generation_id: int, vault: Path, questions: Path | None = None, baseline: Path | None = None
) -> int:
    """Return the exit status of `python -m evals.retrieval` on a generation: 0 is a pass.

    The program prints what it measures; it reads the same settings as this process, from the
    environment and .env. Without `questions` it asks those of the gate, which are about the
    vault that comes with the program. A `baseline` has what these found before.
    """
    asked = ["--dataset", str(questions)] if questions else ["--split", "gate"]
    compared = ["--baseline", str(baseline)] if baseline else []
    command = [
        *(sys.executable, "-m", "evals.retrieval", "--generation", str(generation_id)),
        *("--vault", str(vault), *asked, *compared),
    ]
    sys.stdout.flush()  # what was printed before stands above what it prints
    return subprocess.run(command, check=False).returncode
