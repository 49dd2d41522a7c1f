"""When a followed folder is ingested: after which changes, and again after a run that failed."""

import os
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from ingest import pipeline, watch
from ingest.pipeline import IngestReport
from ingest.read import stable_read
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

    def ingest() -> IngestReport:
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

    def ingest() -> IngestReport:
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
    monkeypatch.setattr(watch, "_LOOK", 0.05)
    monkeypatch.setattr(watch, "_RETRY", 0.1)
    times: list[float] = []

    def ingest() -> IngestReport:
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


@pytest.mark.parametrize(
    "change",
    [
        lambda vault: (vault / "a.md").write_text("one\n"),
        lambda vault: (vault / "a.md").unlink(),
        lambda vault: (vault / "a.md").rename(vault / "b.md"),
        lambda vault: (vault / "new.MARKDOWN").write_text(""),
        lambda vault: (vault / "a.md").chmod(0o600),
    ],
    ids=["the same size", "deleted", "renamed", "added", "permissions"],
)
def test_every_change_of_a_markdown_file_is_another_state(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    write_vault(tmp_path, {"a.md": "two\n", "picture.png": "x"})
    before = watch.state(tmp_path)
    assert watch.state(tmp_path) == before
    time.sleep(0.02)  # the file system's clock ticks every 4 ms or so
    times = (tmp_path / "a.md").stat()
    change(tmp_path)
    if (tmp_path / "a.md").exists():  # rsync and tar set it back
        os.utime(tmp_path / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert watch.state(tmp_path) != before


def test_what_ingest_does_not_read_is_no_change(tmp_path: Path) -> None:
    write_vault(tmp_path, {"a.md": "two\n"})
    before = watch.state(tmp_path)
    write_vault(tmp_path, {"b.txt": "", ".c.md": "", ".git/d.md": ""})
    assert watch.state(tmp_path) == before
    assert watch.state(tmp_path / "none") is None
