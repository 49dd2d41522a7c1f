"""The exit status of a program, and what it says of an error."""

from collections.abc import Callable

import pytest

from retrieval import exit_status
from retrieval.errors import DatasetError, IngestRunningError, RulesError


def failing(error: Exception) -> Callable[[], int]:
    def work() -> int:
        raise error

    return work


def test_the_status_is_what_the_work_returns_or_0() -> None:
    assert exit_status.of("it", lambda: 1) == 1
    assert exit_status.of("it", lambda: None) == 0


def test_an_error_is_2_or_the_status_of_its_kind(capsys: pytest.CaptureFixture[str]) -> None:
    running: dict[type[RulesError], int] = {IngestRunningError: 75}
    assert exit_status.of("it: nothing", failing(DatasetError("no file")), statuses=running) == 2
    assert exit_status.of("it", failing(IngestRunningError("busy")), statuses=running) == 75
    assert exit_status.of("it", failing(OSError("disk full"))) == 2
    assert exit_status.of("it", failing(OSError("full")), unwritten="it: not written") == 2
    said = ["it: nothing: no file", "it: busy", "it: disk full", "it: not written: full"]
    assert capsys.readouterr().err.splitlines() == said


def test_what_is_no_error_of_these_is_not_caught() -> None:
    with pytest.raises(ValueError, match="wrong"):
        exit_status.of("it", failing(ValueError("wrong")))
