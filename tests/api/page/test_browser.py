"""Which browser the tests take, and what is said where there is none."""

import sys

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.support.servers.browser import chromium


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """No browser on PATH, and nothing said of one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.delenv("REQUIRE_BROWSER", raising=False)


def test_without_a_browser_one_line_says_so() -> None:
    with pytest.raises(Skipped, match=r"no browser here: none of chromium, .* is installed"):
        chromium()


def test_where_one_is_required_its_absence_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUIRE_BROWSER", "1")
    with pytest.raises(Failed, match="REQUIRE_BROWSER=1 wants one"):
        chromium()


def test_the_one_that_is_named_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", sys.executable)  # a program that is there
    assert chromium() == sys.executable
    monkeypatch.setenv("CHROMIUM", "/nothing/here")
    with pytest.raises(Skipped, match="/nothing/here"):
        chromium()
