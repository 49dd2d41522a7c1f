"""A pytest plugin: figures of long runs, kept in docs/figures.json, shown in docs/promises.md.

    @pytest.mark.soak
    def test_…(figure: Figure) -> None:
        figure("/ask, 8 callers", "19.8 a second", "")

Only what is marked soak and passed is kept, and nothing of a run whose rounds were shortened by
RULES_ROUND_SECONDS.
"""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

FIGURES = Path("docs", "figures.json")  # below the repository
HEADING = "## Figures, by hand"
_TABLE = Path("docs", "promises.md")
_ROUND = "RULES_ROUND_SECONDS"  # of every long round, in place of what its test says
_PROPERTY = "figure"

Figure = Callable[[str, str, str], None]  # name, value, and the limit that the test holds it to
Kept = dict[str, dict[str, str]]  # by name: value, limit, commit, date and command


def long_round(seconds: float) -> float:
    """Return how long a round of a soak takes: `seconds`, unless the environment says."""
    return float(os.environ.get(_ROUND, seconds))


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Print a figure, and keep it where the test is a soak."""

    def keep(name: str, value: str, limit: str) -> None:
        print(f"{name}: {value}", flush=True)
        request.node.user_properties.append((_PROPERTY, [name, value, limit]))

    return keep


class Figures:
    """Collects the figures of a session, from the reports of all its processes."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.kept: Kept = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the figures of a long test that held."""
        if report.when != "call" or not report.passed or "soak" not in report.keywords:
            return
        file = report.nodeid.partition("::")[0]
        for name, given in report.user_properties:
            if name == _PROPERTY and isinstance(given, list):
                told, value, limit = given
                self.kept[told] = {
                    "value": value, "limit": limit, "commit": _commit(self._root),
                    "date": datetime.now(UTC).date().isoformat(),
                    "command": f"python -m pytest -n 0 -m soak -s {file}",
                }  # fmt: skip

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what there is to both files; workers of xdist leave it to one."""
        if hasattr(session.config, "workerinput") or not self.kept or _ROUND in os.environ:
            return
        known = {**read(self._root), **self.kept}
        text = json.dumps(known, indent=1, ensure_ascii=False) + "\n"
        (self._root / FIGURES).write_text(text, "utf-8")
        if (table := self._root / _TABLE).exists():
            table.write_text(replaced(table.read_text("utf-8"), known), "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to collect."""
    config.pluginmanager.register(Figures(config.rootpath), "figures-of-long-runs")


def read(root: Path) -> Kept:
    """Return the figures that were kept, by name."""
    file = root / FIGURES
    kept: Kept = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return kept


def section(kept: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the lines of docs/promises.md about figures; none where there are none."""
    if not kept:
        return []
    return [
        HEADING,
        "",
        "Of long runs by `make load` and `make soak`, each the last one that passed "
        "([figures.json](figures.json)); no run of `make test` changes them.",
        "",
        "| figure | value | limit | commit, date | command |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {one['value']} | {one['limit']} | `{one['commit']}`, {one['date']} "
            f"| `{one['command']}` |"
            for name, one in kept.items()
        ),
        "",
    ]


def replaced(text: str, kept: Mapping[str, Mapping[str, str]]) -> str:
    """Return docs/promises.md with other figures."""
    before, heading, rest = text.partition(HEADING + "\n")
    if not heading:
        return text
    return before + "\n".join(section(kept)) + "\n## " + rest.partition("\n## ")[2]


def _commit(root: Path) -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "unknown"
