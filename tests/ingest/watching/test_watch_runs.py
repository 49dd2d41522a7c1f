"""When a followed folder is ingested: after which changes, and again after a run that failed."""

import threading
import time
from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from ingest import pipeline
from ingest.pipeline import IngestReport
from ingest.plan import Plan
from ingest.read import stable_read
from ingest.watching import folder_events, watch
from retrieval.context import SearchContext
from tests.conftest import write_vault
from tests.support.index.index_state import content

TORCHES = "1. Light/Torches.md"


class Enough(Exception):
    """The test has seen what it wants to see."""


def test_an_edit_during_a_run_is_in_the_next(search_context: SearchContext, vault: Path) -> None:
    reports: list[IngestReport] = []

    def edit_again(what: str, done: int, total: int) -> None:
        if not reports:  # the run has read the file already and embeds it
            (vault / TORCHES).write_text("# Torches\n\nA torch burns a year.\n", "utf-8")

    def ingest(_: object) -> IngestReport:
        reports.append(pipeline.run(search_context, vault, progress=edit_again))
        if len(reports) == 2:
            raise Enough
        return reports[-1]

    (vault / TORCHES).write_text("# Torches\n\nA torch burns a day.\n", "utf-8")
    with pytest.raises(Enough):
        watch.watch(vault, ingest)
    assert [report.plan.changed for report in reports] == [(TORCHES,), (TORCHES,)]
    assert any("burns a year" in str(row[4]) for row in content(search_context))


@pytest.mark.proves("promise 1", "promise 6")
def test_a_file_that_was_left_out_while_it_was_written_goes_in_when_it_rests(
    search_context: SearchContext, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stable_read, "YOUNG", 2 * stable_read.WAIT)
    reports: list[IngestReport] = []
    left_out = threading.Event()

    def write() -> None:
        while not left_out.is_set():
            (vault / TORCHES).write_text("# Torches\n\nA torch bu")
            left_out.wait(0.02)
        (vault / TORCHES).write_text("# Torches\n\nA torch burns a year.\n")

    def ingest(_: object) -> IngestReport:
        reports.append(pipeline.run(search_context, vault))
        left_out.set()
        if reports[-1].plan.changed:
            raise Enough
        return reports[-1]

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(Enough):
        watch.watch(vault, ingest)
    writer.join()
    assert [error.path for error in reports[0].rejected] == [TORCHES]
    assert (reports[-1].rejected, reports[-1].plan.changed) == ((), (TORCHES,))
    assert any("burns a year" in str(row[4]) for row in content(search_context))


def test_a_run_that_keeps_failing_is_told_once_and_tried_less_and_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_events, "LOOK", 0.05)
    monkeypatch.setattr(watch, "_RETRY", 0.1)
    times: list[float] = []

    def ingest(_: object) -> IngestReport:
        times.append(time.monotonic())
        if len(times) == 4:
            raise Enough
        raise OSError("the disk is full")

    with pytest.raises(Enough):
        watch.watch(tmp_path, ingest)
    first, second, third = (after - before for before, after in pairwise(times))
    assert (first >= 0.1, second >= 0.2, third >= 0.4) == (True, True, True)
    told = capsys.readouterr()
    assert told.err.count("the disk is full") == 1
    assert told.out == ""


def test_a_change_that_nobody_tells_of_is_found_by_a_look_and_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(tmp_path, {"a.md": "one\n", "b/c.md": "two\n"})
    monkeypatch.setattr(folder_events, "LOOK", 0.05)
    changes: list[Collection[str] | None] = []

    def deaf(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        while True:
            time.sleep(0.01)
            yield set()

    def ingest(changed: Collection[str] | None) -> IngestReport:
        changes.append(changed)
        if len(changes) == 3:
            raise Enough
        (tmp_path / "b" / "c.md").write_text(f"three {len(changes)}\n")
        if len(changes) == 2:
            raise OSError("the disk is full")
        return IngestReport(Plan((), (), (), (), rebuild=False), (), (), ())

    monkeypatch.setattr("watchfiles.watch", deaf)
    with pytest.raises(Enough):
        watch.watch(tmp_path, ingest)
    assert changes == [None, {"b/c.md"}, None]  # after a run that failed all is read
