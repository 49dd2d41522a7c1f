"""The folder of a run: written, and read again to be compared with another one."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.measure import measurement
from evals.measure.measurement import Measurement
from evals.measure.run import Run
from evals.measure.summary import summed
from evals.reports import page, records, results
from evals.reports.questions import Json
from retrieval.errors import DatasetError

PAGE, RUN = "report.html", "measurement.json"
ROWS = "eval_results.jsonl"


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
        taken = measurement.read(_existing(path / RUN))
        rows = {str(row["id"]): row for row in _rows(path / ROWS)}
        return Side(path.name, taken, rows, _parsed(path / "config.json", json.loads))
    if not path.exists():
        raise DatasetError(
            f"there is no {path}; name a folder that python -m evals.retrieval wrote below "
            "results/, or a baseline"
        )
    return Side(path.name, measurement.read(path), {}, {})


def latest(parent: Path) -> Path:
    """Return the newest page below `parent`. Raises DatasetError where there is none."""
    pages = [found for found in parent.glob(f"*/{PAGE}") if found.is_file()]
    if not pages:
        raise DatasetError(f"no run below {parent} has a {PAGE}; run: python -m evals.retrieval")
    return max(pages, key=lambda found: (found.stat().st_mtime_ns, found.parent.name))


def _rows(path: Path) -> list[Json]:
    rows = _parsed(path, lambda text: [json.loads(line) for line in text.split("\n") if line])
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or "id" not in row:
            raise DatasetError(f"{path}:{number} is no question's row: it has no id; run it again")
    return list(rows)


def _parsed(path: Path, parse: Callable[[str], Any]) -> Any:
    """What `parse` makes of a file of a run's folder."""
    try:
        return parse(_existing(path).read_text("utf-8"))
    except ValueError as error:
        raise DatasetError(f"{path} cannot be read: {error}; run it again") from error


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise DatasetError(
            f"{path.parent} has no {path.name}, so it is no run of this version; "
            "run: python -m evals.retrieval"
        )
    return path
