"""Progress on a terminal and elsewhere, and the lines that are said meanwhile."""

import io
import sys
import threading

import pytest

from ingest.progress import Meter


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True

    def screen(self) -> list[str]:
        """The lines as a reader sees them in the end."""
        shown: list[list[str]] = [[]]
        column = 0
        for character in self.getvalue():
            if character == "\r":
                column = 0
            elif character == "\n":
                shown.append([])
                column = 0
            else:
                shown[-1][column : column + 1] = character
                column += 1
        return ["".join(line).rstrip() for line in shown]


def test_a_line_stands_above_a_drawn_bar_and_breaks_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)  # here: a fixture comes before the capture
    with Meter() as meter:
        meter.say("before")
        meter.show("embedding", 200, 400)
        thread = threading.Thread(target=meter.say, args=["meanwhile"])
        thread.start()
        thread.join()
        meter.show("embedding", 400, 400)
        meter.say("after")
    before, meanwhile, after, bar, *rest = terminal.screen()
    assert (before, meanwhile, after, rest) == ("before", "meanwhile", "after", [""])
    assert bar.startswith("embedding: 100%")
    assert "400/400" in bar


def test_elsewhere_all_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Meter() as meter:
        for done in range(0, 1_001, 50):
            meter.show("embedding", done, 1_000)
        meter.say("indexing 5 vectors")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "embedding: 100 of 1,000"
    assert lines[-2:] == ["embedding: 1,000 of 1,000", "indexing 5 vectors"]
    assert len(lines) == 11
