"""The folder of a run: written with its page, and the newest one found again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evals.measure import measurement
from evals.measure.run import Run
from evals.measure.summary import summed
from evals.reports import page, records, results
from retrieval.errors import DatasetError

PAGE, RUN, ROWS = "report.html", "measurement.json", "eval_results.jsonl"


def write(run: Run, parent: Path) -> tuple[Path, Mapping[str, Any]]:
    """Write a run to a new folder in `parent`, named by dataset and time; return it and the sums.

    Beside what every program leaves it holds the run's page, and its measurement in the form of a
    baseline. Raises OSError where it cannot be written.
    """
    rows, sums = records.lines(run), summed(run)
    folder = results.write_folder(parent, run.dataset.stem, rows, sums, run.config)
    measurement.write(folder / RUN, run.taken)
    (folder / PAGE).write_text(page.page(folder.name, run, rows, sums), "utf-8")
    return folder, sums


def latest(parent: Path) -> Path:
    """Return the newest page below `parent`. Raises DatasetError where there is none."""
    pages = [found for found in parent.glob(f"*/{PAGE}") if found.is_file()]
    if not pages:
        raise DatasetError(f"no run below {parent} has a {PAGE}; run: python -m evals.retrieval")
    return max(pages, key=lambda found: (found.stat().st_mtime_ns, found.parent.name))
