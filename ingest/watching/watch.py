"""Keep the index in step with a folder: an ingest at once, and one after every burst of changes.

What the system tells of changes only says where to look. Whether there is something to do is seen
in the folder itself, and all of it is looked at every few seconds. A run waits until the folder
rests, 10 s at most, and reads what changed; a file that is still being written then is left out of
it by name, and goes in when it rests.
"""

import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

import psycopg

from ingest import pipeline
from ingest.on_ray import open_ingest_context
from ingest.pipeline import IngestReport
from ingest.prepare import Earlier
from ingest.progress import Meter, say
from ingest.read.folder_state import State, differing, state, state_since
from ingest.watching.folder_events import BURST, QUIET, heard
from retrieval.context import SearchContext, database_url
from retrieval.errors import RulesError
from retrieval.settings import Settings

_RETRY = 2.0  # seconds after a run that failed; doubled each time it fails again …
_RETRY_MOST = 60.0  # … seconds
_MANY = 200  # texts to embed that take long enough to show how far they are
_NAMED = 3  # paths of a line


Ingest = Callable[[Collection[str] | None], IngestReport]
"""Brings the index into step; takes the paths below the vault that changed, None for any."""


def keep(settings: Settings, root: Path) -> int:
    """Keep the index in step with `root` until a signal ends it, and return the exit status.

    130 after Ctrl-C, 143 after SIGTERM: a run in progress is undone, and the index is whole. Models
    are loaded once. Raises what `open_ingest_context` raises, and ModelUnavailableError.
    """
    with _sigterm_interrupts() as caught:
        try:
            with open_ingest_context(settings) as context:
                context.warm()
                watch(root, _Runs(context, root).ingest)
        except KeyboardInterrupt:
            print("ingest: no longer watching; the index is whole", file=sys.stderr)
    return 128 + (signal.SIGTERM if caught else signal.SIGINT)


def watch(root: Path, ingest: Ingest) -> None:
    """Call `ingest` now, after every burst of changes below `root`, and again where it failed.

    Every run is a line: on standard output, or on standard error where it failed; a failure that
    repeats itself is told once. Only an exception that no run of ingest foresees ends it,
    KeyboardInterrupt for one.
    """
    done: State = None
    failure, delay, retry_at = "", 0.0, 0.0
    for number, paths in enumerate(heard(root)):
        began, seen = time.monotonic(), state_since(root, done, paths)
        is_new = seen != done
        if number and not is_new and not (failure and time.monotonic() >= retry_at):
            continue
        if number and is_new and paths is None:  # nobody told whether it rests
            seen = _settled(root, seen, began)
        # What a run that failed has not read is in the next one.
        changed = None if failure else differing(done, seen)
        done = seen  # as before the run: what is edited meanwhile differs at the next look
        last, failure = failure, _run(partial(ingest, changed))
        if failure:
            delay = _RETRY if is_new or not last else min(2 * delay, _RETRY_MOST)
            retry_at = time.monotonic() + delay
            if is_new or failure != last:
                say(f"not done: {failure}; tried again after {delay:g} s or a change", sys.stderr)


def line(report: IngestReport) -> str:
    """Return a run in one line: what changed, what was rejected and why, how much it was."""
    plan = report.plan
    is_rebuild = plan.rebuild and (plan.changed or plan.unchanged)
    parts = ["index built again"] if is_rebuild else []
    for what in ("added", "changed", "removed"):
        if paths := getattr(plan, what):
            parts.append(f"{len(paths)} {what} ({_some(paths, ', ')})")
    parts = parts or ["nothing changed"]
    parts += [f"REJECTED {error}" for error in report.rejected]
    if report.notes:
        parts.append(f"note: {_some(report.notes, '; ')}")
    parts.append(f"{report.embedded} texts embedded")
    parts.append(f"{report.files} files, {report.chunks} chunks; {report.seconds:.1f} s")
    return "; ".join(parts)


def _run(ingest: Callable[[], IngestReport]) -> str:
    """Run once and tell of it; return why it failed, "" where it did not."""
    try:
        report = ingest()
    except (RulesError, psycopg.Error, OSError) as error:
        return " ".join(str(error).split()) or type(error).__name__
    say(line(report), sys.stdout)
    return ""


@dataclass(slots=True)
class _Runs:
    """The runs of one folder: what one has read, the next one need not read again."""

    context: SearchContext
    root: Path
    _earlier: Earlier | None = None

    def ingest(self, changed: Collection[str] | None) -> IngestReport:
        # Opened again: an embedded server that was killed has nobody else who would start it again.
        with database_url(self.context.settings), Meter() as meter:

            def progress(what: str, done: int, total: int) -> None:
                if total > _MANY:
                    meter.show(what, done, total)

            report = pipeline.run(
                self.context, self.root, earlier=self._earlier, changed=changed, progress=progress,
                say=meter.say,
            )  # fmt: skip
        self._earlier = report.left
        return report


def _settled(root: Path, seen: State, began: float) -> State:
    """The state of a folder once it rests; it was `seen` by a look that began then."""
    give_up = began + BURST
    while began < give_up:
        # A look at a large folder takes a while, and each file is seen at the same place of it.
        time.sleep(max(0.0, began + QUIET - time.monotonic()))
        began, last = time.monotonic(), seen
        seen = state(root)
        if seen == last:
            break
    return seen


@contextmanager
def _sigterm_interrupts() -> Iterator[list[int]]:
    """Have SIGTERM do what Ctrl-C does; the list says whether it came."""
    caught: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        caught.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield caught
    finally:
        signal.signal(signal.SIGTERM, before)


def _some(words: tuple[str, ...], between: str) -> str:
    more = len(words) - _NAMED
    return between.join(words[:_NAMED]) + (f"{between}and {more} more" if more > 0 else "")
