"""The folder of a run: written, and read again to be compared with another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.labels import fields
from evals.measure import measurement
from evals.measure.measurement import Measurement
from evals.measure.run import Run
from evals.measure.summary import summed
from evals.reports import page, records, results
from evals.reports.questions import Json
from retrieval.errors import DatasetError

PAGE, RUN = "report.html", "measurement.json"
ROWS, CONFIG = "eval_results.jsonl", "config.json"  # of every program


@dataclass(frozen=True, slots=True)
class Side:
    """A run that is compared: its measurement and, where they are at hand, its rows by id.

    A baseline has no rows, as it says of each question what came of it and no more.
    """

    name: str
    taken: Measurement
    rows: Mapping[str, Json]
    config: Json


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


def side(path: Path) -> Side:
    """Return one of two runs to compare: a run's folder, or a file in the form of a baseline.

    Raises DatasetError, naming the path, where it is neither.
    """
    if path.is_dir():
        lines = enumerate(fields.content(path / ROWS).split("\n"), start=1)
        rows = [_row(f"{path / ROWS}:{number}", line) for number, line in lines if line]
        config = fields.parsed(str(path / CONFIG), fields.content(path / CONFIG))
        by_id = {str(row["id"]): row for row in rows}
        return Side(path.name, measurement.read(path / RUN), by_id, config)
    return Side(path.name, measurement.read(path), {}, {})


def latest(parent: Path) -> Path:
    """Return the newest page below `parent`. Raises DatasetError where there is none."""
    pages = [found for found in parent.glob(f"*/{PAGE}") if found.is_file()]
    if not pages:
        raise DatasetError(f"no run below {parent} has a {PAGE}; run: python -m evals.retrieval")
    return max(pages, key=lambda found: (found.stat().st_mtime_ns, found.parent.name))


def _row(where: str, line: str) -> Json:
    row: Json = fields.parsed(where, line)
    if not isinstance(row, dict) or "id" not in row:
        raise DatasetError(f"{where} is no question's row: it has no id; run it again")
    return row
