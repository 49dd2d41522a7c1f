"""A run as its folder holds it: what pages are made of, with or without the vault at hand."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.measure import measurement
from evals.measure.measurement import Measurement
from evals.measure.run import Run
from evals.reports import records, results
from retrieval.errors import DatasetError

Json = Mapping[str, Any]  # as json.loads gives it
PAGE, RUN = "report.html", "measurement.json"
_ROWS = "eval_results.jsonl"


@dataclass(frozen=True, slots=True)
class Stored:
    """What a run left: a row a question, the sums, what they depend on."""

    name: str  # of its folder
    rows: tuple[Json, ...]
    sums: Json
    config: Json


@dataclass(frozen=True, slots=True)
class Side:
    """A run that is compared: its measurement and, where they are at hand, its rows by id.

    A baseline has no rows, as it says of each question what came of it and no more.
    """

    name: str
    taken: Measurement
    rows: Mapping[str, Json]
    config: Json


def of(run: Run, name: str) -> Stored:
    """Return a run that was just measured as `name` will hold it."""
    made = [records.lines(run), results.summed(run), dict(run.config)]
    rows, sums, config = json.loads(json.dumps(made))  # tuples and dataclasses as a reader has them
    return Stored(name, tuple(rows), sums, config)


def side(path: Path) -> Side:
    """Return one of two runs to compare: a run's folder, or a file in the form of a baseline.

    Raises DatasetError, naming the path, where it is neither.
    """
    if path.is_dir():
        taken = measurement.read(_existing(path / RUN))
        rows = {str(row["id"]): row for row in _lines(path / _ROWS)}
        return Side(path.name, taken, rows, _object(path / "config.json"))
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


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise DatasetError(
            f"{path.parent} has no {path.name}, so it is no run of this version; "
            "run: python -m evals.retrieval"
        )
    return path


def _lines(path: Path) -> list[Json]:
    try:
        text = _existing(path).read_text("utf-8")
        rows: list[Json] = [json.loads(line) for line in text.split("\n") if line]
    except ValueError as error:
        raise DatasetError(f"{path} cannot be read: {error}; run it again") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or "id" not in row:
            raise DatasetError(f"{path}:{number} is no question's row: it has no id; run it again")
    return rows


def _object(path: Path) -> Json:
    try:
        found: Json = json.loads(_existing(path).read_text("utf-8"))
    except ValueError as error:
        raise DatasetError(f"{path} cannot be read: {error}; run it again") from error
    return found
