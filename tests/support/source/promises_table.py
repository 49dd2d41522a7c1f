"""A pytest plugin: which test proves which promise, counted and written to docs/promises.md.

    @pytest.mark.proves("promise 2", "row 9")
    def test_…(runs: Runs) -> None:
        for fault in faults:
            …
            runs(1)

The table is written at the end of every run of all proving tests (`make test`, `make promises`;
soaks aside). `runs` counts what the test itself chose (faults, examples, kills), the same in every
run; only of readers beside ingests (test_readers.py) as many as the time gave. What long runs
measure is kept by figures.py.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.source import figures
from tests.support.source.promised import PROMISES, ROWS, UNTESTED

TABLE = Path("docs", "promises.md")  # below the repository
_RUNS = "runs"  # the name of a property of a test

Runs = Callable[[int], None]  # adds to the cases that the running test really ran


@dataclass(frozen=True, slots=True)
class Proof:
    """A test function that proves something, as its source says."""

    test: str  # "test_pipeline.py::test_a_touched_file_is_unchanged"
    names: tuple[str, ...]  # "promise 3", "row 12"
    soak: bool  # not part of an ordinary run


@dataclass(slots=True)
class Outcome:
    """What became of a test function, its cases together."""

    cases: int = 0
    counted: int = 0  # by `runs`
    failed: int = 0
    skipped: set[str] = field(default_factory=set)  # the reasons

    @property
    def runs(self) -> int:
        """What the test counted, else its cases."""
        return self.counted or self.cases


class Table:
    """Collects outcomes during a session, from the reports of all its processes.

    `current` are the properties of the running test, which its last report carries along.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.outcomes: dict[str, Outcome] = {}
        self.current: list[tuple[str, object]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Make `runs` count for this test."""
        self.current = item.user_properties

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome of a test; a fault of a fixture is one of the test."""
        outcome = self.outcomes.setdefault(_name(report.nodeid), Outcome())
        if report.failed:
            outcome.failed += 1
        elif report.skipped:
            outcome.skipped.add(_reason(report))
        elif report.when == "call":
            outcome.cases += 1
        if report.when == "teardown":
            counted = [value for name, value in report.user_properties if name == _RUNS]
            outcome.counted += sum(value for value in counted if isinstance(value, int))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the table where every proving test was run; workers of xdist leave it to one."""
        if hasattr(session.config, "workerinput"):
            return
        proofs = find_proofs(self._root / "tests")
        if proofs and all(proof.soak or proof.test in self.outcomes for proof in proofs):
            kept = figures.read(self._root)
            (self._root / TABLE).write_text(table(proofs, self.outcomes, kept), "utf-8")


_TABLE = pytest.StashKey[Table]()


def pytest_configure(config: pytest.Config) -> None:
    """Begin to collect, unless the run is of no tests at all."""
    if not config.option.collectonly:
        config.stash[_TABLE] = Table(config.rootpath)
        config.pluginmanager.register(config.stash[_TABLE], "promises-table")


def pytest_collection_modifyitems(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Refuse a promise that nobody made, and a mark that the table would not see."""
    proofs = {proof.test for proof in find_proofs(config.rootpath / "tests")}
    for item in items:
        for mark in item.iter_markers("proves"):
            unknown = [name for name in mark.args if name not in PROMISES and name not in ROWS]
            if unknown or not mark.args:
                raise pytest.UsageError(
                    f"{item.nodeid} proves {unknown or 'nothing'}; the names stand in "
                    "tests/support/source/promised.py: 'promise 1' to 'promise 10', "
                    "'row 1' to 'row 42'"
                )
            if _name(item.nodeid) not in proofs:
                raise pytest.UsageError(
                    f"{item.nodeid}: write @pytest.mark.proves(…) directly over a function of the "
                    "module; the table is made from the source and sees no other place"
                )


@pytest.fixture(scope="session")  # so that tests of Hypothesis may take it
def runs(request: pytest.FixtureRequest) -> Runs:
    """Count cases of the running test for docs/promises.md."""
    collected = request.config.stash[_TABLE]

    def count(cases: int) -> None:
        collected.current.append((_RUNS, cases))

    return count


def find_proofs(folder: Path) -> list[Proof]:
    """Return the proving test functions of a folder, sorted by name; read, not imported."""
    files = sorted(folder.rglob("test_*.py"), key=lambda file: file.name)
    return [
        proof for file in files for proof in _proofs_of(file.name, ast.parse(file.read_bytes()))
    ]


def _proofs_of(file: str, module: ast.Module) -> Iterator[Proof]:
    for function in module.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        marks = {
            _called(mark).rpartition(".")[2]: mark
            for mark in function.decorator_list
            if _called(mark).startswith("pytest.mark.")
        }
        if isinstance(mark := marks.get("proves"), ast.Call):
            names = tuple(str(ast.literal_eval(name)) for name in mark.args)
            yield Proof(f"{file}::{function.name}", names, "soak" in marks)


def _called(mark: ast.expr) -> str:
    return ast.unparse(mark.func if isinstance(mark, ast.Call) else mark)


def table(proofs: Iterable[Proof], outcomes: Mapping[str, Outcome], kept: figures.Kept) -> str:
    """Return docs/promises.md: the promises and faults with their tests, runs and results."""
    proofs = list(proofs)
    unproven = [name for name in ROWS if not any(name in proof.names for proof in proofs)]
    reasons = {**dict.fromkeys(unproven, "no test proves it yet"), **UNTESTED}
    untested = [f"- {name.capitalize()}: {reasons[name]}." for name in ROWS if name in reasons]
    untested += _skips(proofs, outcomes)
    return "\n".join(
        [
            "# Promises and their proofs",
            "",
            "Written by the tests (`make promises` or `make test`); do not edit. Runs are cases "
            "that a test counts (faults, examples, kills), else its parameters.",
            "",
            *_part("promise", PROMISES, proofs, outcomes),
            "",
            "## Faults",
            "",
            *_part("fault", ROWS, proofs, outcomes),
            "",
            *figures.section(kept),
            "## What is not tested here, and why",
            "",
            *untested,
            "",
            "## The tests",
            "",
            *_tests(proofs, outcomes),
            "",
        ]
    )


def _part(
    title: str, texts: Mapping[str, str], proofs: list[Proof], outcomes: Mapping[str, Outcome]
) -> list[str]:
    lines = [f"| | {title} | tests | runs | result |", "|---|---|---|---|---|"]
    for name, text in texts.items():
        ours = [outcomes[p.test] for p in proofs if name in p.names and not p.soak]
        if ours:
            number = name.split()[1]
            runs = sum(outcome.runs for outcome in ours)
            lines.append(f"| {number} | {text} | {len(ours)} | {runs:,} | {_result(ours)} |")
    return lines


def _result(outcomes: Iterable[Outcome]) -> str:
    outcomes = list(outcomes)
    if broken := sum(outcome.failed > 0 for outcome in outcomes):
        return f"**BROKEN** in {broken} of {len(outcomes)} tests"
    if not any(outcome.cases for outcome in outcomes):
        return "not run"
    if left_out := sum(bool(outcome.skipped) for outcome in outcomes):
        return f"held; {left_out} of {len(outcomes)} tests left out"
    return "held"


def _skips(proofs: Iterable[Proof], outcomes: Mapping[str, Outcome]) -> list[str]:
    return [
        f"- {', '.join(proof.names).capitalize()}, `{proof.test}`: left out here: {reason}."
        for proof in proofs
        if not proof.soak
        for reason in sorted(outcomes[proof.test].skipped)
    ]


def _tests(proofs: Iterable[Proof], outcomes: Mapping[str, Outcome]) -> list[str]:
    lines = []
    for proof in proofs:
        said = "`make soak` alone"
        if not proof.soak:
            said = f"{outcomes[proof.test].runs:,} runs, {_result([outcomes[proof.test]])}"
        lines.append(f"- `{proof.test}`: {', '.join(proof.names)}; {said}")
    return lines


def _name(nodeid: str) -> str:
    file, _, function = nodeid.partition("[")[0].partition("::")
    return f"{Path(file).name}::{function}"


def _reason(report: pytest.TestReport) -> str:
    if isinstance(report.longrepr, tuple):  # (file, line, "Skipped: reason")
        return report.longrepr[2].removeprefix("Skipped: ")
    return "expected to fail"
