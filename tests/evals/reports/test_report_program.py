"""python -m evals.report: the latest page."""

import os
import webbrowser
from pathlib import Path

import pytest

from evals import report
from evals.reports import stored
from tests.support.made.made_run import made_run


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """The folders of two runs, the older one first."""
    run = made_run()
    before, now = (stored.write(run, tmp_path / "results")[0] for _ in range(2))
    os.utime(before / "report.html", (1, 1))
    return before, now


def test_the_latest_page_is_named_and_opened(
    folders: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []

    def opened(uri: str) -> bool:
        shown.append(uri)
        return len(shown) == 1

    monkeypatch.setattr(webbrowser, "open", opened)
    assert report.main([]) == 0
    assert shown == []
    assert report.main(["--open"]) == 0
    newest = folders[1] / "report.html"
    assert shown == [newest.as_uri()]
    assert capsys.readouterr().out == 2 * f"{newest.relative_to(tmp_path)}\n"
    assert report.main(["--open"]) == 2
    assert "no browser could be started here; open results/" in capsys.readouterr().err


def test_without_a_run_the_command_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report.main(["--results", str(tmp_path / "none")]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"evals.report: no run below {tmp_path / 'none'} has a report.html; "
        "run: python -m evals.retrieval\n"
    )
