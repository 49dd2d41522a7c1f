"""The table of docs/promises.md: what is counted, when it is written, and that it is in step."""

import json
import re
import textwrap
from pathlib import Path

import pytest

from tests.support.source import figures, promises_table
from tests.support.source.promises_table import TABLE, find_proofs

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
MODULE = """
    import pytest

    @pytest.mark.proves("promise 2", "row 9")
    @pytest.mark.parametrize("fault", ["raise", "kill"])
    def test_faults(runs, fault):
        runs(21)
        assert fault != "BROKEN"

    @pytest.mark.proves("row 9")
    def test_once():
        pass

    @pytest.mark.proves("row 14")
    def test_disk():
        pytest.skip("nothing can be mounted")

    @pytest.mark.soak
    @pytest.mark.proves("row 9")
    def test_long():
        assert False

    def test_else():
        pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A repository of its own, whose tests say what they prove."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take seconds to load
    for name in ("tests", "docs"):
        (pytester.path / name).mkdir()
    pytester.makeini(
        "[pytest]\ntestpaths = tests\naddopts = -m 'not soak'\n"
        "markers =\n    proves(*names): .\n    soak: .\n"
    )
    return pytester


def run(project: pytest.Pytester, source: str, *arguments: str) -> tuple[object, str]:
    """Run a module of tests; return the exit status and the table, "" where none was written."""
    path = project.path / TABLE
    path.unlink(missing_ok=True)
    (project.path / "tests" / "test_made.py").write_text(textwrap.dedent(source), "utf-8")
    result = project.inline_run(*arguments, plugins=[promises_table])
    return result.ret, path.read_text("utf-8") if path.exists() else ""


def test_a_run_of_all_proofs_writes_what_they_counted(project: pytest.Pytester) -> None:
    status, text = run(project, MODULE)
    assert status == 0
    assert re.search(r"^\| 2 \| \*\*Converges\..* \| 1 \| 42 \| held \|$", text, re.MULTILINE)
    assert re.search(r"^\| 9 \| a crash.* \| 2 \| 43 \| held \|$", text, re.MULTILINE)
    assert "- Row 14, `test_made.py::test_disk`: left out here: nothing can be mounted." in text
    assert re.search(r"^\| 14 \| .* \| 1 \| 0 \| not run \|$", text, re.MULTILINE)
    assert "- `test_made.py::test_long`: row 9; `make soak` alone" in text
    assert "- Row 13: no test proves it yet." in text
    assert "- Row 14: a disk that is slow" in text
    assert "test_else" not in text
    assert run(project, MODULE) == (0, text)  # the same after every run


def test_a_broken_promise_stands_in_the_table(project: pytest.Pytester) -> None:
    status, text = run(project, MODULE.replace("BROKEN", "kill"))
    assert status == 1
    assert re.search(r"^\| 2 \| .* \| \*\*BROKEN\*\* in 1 of 1 tests \|$", text, re.MULTILINE)
    assert re.search(r"^\| 9 \| .* \| \*\*BROKEN\*\* in 1 of 2 tests \|$", text, re.MULTILINE)


@pytest.mark.parametrize("arguments", [["-k", "faults"], ["-m", "soak"], ["--collect-only"]])
def test_a_run_of_some_writes_nothing(project: pytest.Pytester, arguments: list[str]) -> None:
    assert run(project, MODULE, *arguments)[1] == ""


@pytest.mark.parametrize(
    "source",
    [
        MODULE.replace("row 14", "row 43"),
        MODULE.replace('"row 14"', ""),
        "import pytest\npytestmark = pytest.mark.proves('row 1')\ndef test_a():\n    pass\n",
    ],
)
def test_a_mark_that_the_table_would_not_see_is_refused(
    project: pytest.Pytester, source: str
) -> None:
    assert run(project, source) == (pytest.ExitCode.USAGE_ERROR, "")


MEASURING = """
    import pytest

    @pytest.mark.soak
    @pytest.mark.parametrize("name", ["one", "two", "BROKEN"])
    def test_long(figure, name):
        figure(name, "7 ms", "9 ms")
        assert name != "BROKEN"

    def test_short(figure):
        figure("short", "1 ms", "")
"""


def test_figures_of_long_runs_that_held_are_kept_and_shown(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RULES_ROUND_SECONDS", raising=False)
    kept, shown = project.path / figures.FIGURES, project.path / TABLE
    old = {"value": "8 ms", "limit": "", "commit": "c", "date": "d", "command": "make"}
    kept.write_text(json.dumps({"one": old, "zero": old}), "utf-8")
    run(project, MODULE)
    shown.write_text(text := shown.read_text("utf-8"), "utf-8")
    assert "| one | 8 ms |  | `c`, d | `make` |" in text
    (project.path / "tests" / "test_made.py").write_text(textwrap.dedent(MEASURING), "utf-8")

    def measured(*arguments: str) -> list[str]:
        project.inline_run(*arguments, plugins=[figures])
        return [f"{name} {one['value']}" for name, one in figures.read(project.path).items()]

    assert measured() == ["one 8 ms", "zero 8 ms"]
    with monkeypatch.context() as patch:
        patch.setenv("RULES_ROUND_SECONDS", "5")
        assert measured("-m", "soak") == ["one 8 ms", "zero 8 ms"]
        assert figures.long_round(60.0) == 5.0
    assert measured("-m", "soak") == ["one 7 ms", "zero 8 ms", "two 7 ms"]
    now = figures.read(project.path)
    assert now["one"]["command"] == "python -m pytest -n 0 -m soak -s tests/test_made.py"
    again = shown.read_text("utf-8")
    before, heading, rest = again.partition(figures.HEADING)
    assert heading == figures.HEADING
    assert "| two | 7 ms | 9 ms |" in rest
    assert (before, rest.partition("\n## ")[2]) == (
        text.partition(heading)[0], text.partition(heading)[2].partition("\n## ")[2]
    )  # fmt: skip


def test_the_figures_that_are_kept_are_those_that_are_shown() -> None:
    text = (ROOT / TABLE).read_text("utf-8")
    assert figures.HEADING in text
    assert figures.replaced(text, figures.read(ROOT)) == text


def test_the_table_names_the_tests_that_there_are() -> None:
    listed = re.findall(r"^- `(\S+)`: ([^;]+);", (ROOT / TABLE).read_text("utf-8"), re.MULTILINE)
    there = [(proof.test, ", ".join(proof.names)) for proof in find_proofs(ROOT / "tests")]
    assert listed == there, (
        "docs/promises.md is not in step with the tests. A run of all tests writes it again, also "
        "this one where it was such a run: commit the file"
    )
