"""Keep the index in step with a folder: an ingest at once, and one after every burst of changes.

What the system tells of changes only wakes the loop. Whether there is something to do is seen in
the folder itself, so an event that is lost or comes late delays a change and never loses it. A run
waits until the folder rests, 10 s at most; a file that is still being written then is left out of
it by name, and goes in when it rests.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple, TextIO

import psycopg
import watchfiles
from watchfiles._rust_notify import WatchfilesRustInternalError

from ingest import pipeline
from ingest.on_ray import open_ingest_context
from ingest.pipeline import IngestReport
from ingest.progress import Meter
from ingest.read.vault import VaultFiles
from retrieval.context import SearchContext, database_url
from retrieval.errors import RulesError
from retrieval.settings import Settings
from retrieval.vault_files import ALIASES, SUFFIXES

_QUIET = 0.3  # seconds without a change end a burst of saves, or a checkout of git …
_BURST = 10.0  # … seconds; a folder that never rests is ingested this often
_LOOK = 2.0  # seconds; some folders send no events, and one may be taken away and come back
_RETRY = 2.0  # seconds after a run that failed; doubled each time it fails again …
_RETRY_MOST = 60.0  # … seconds
_MANY = 200  # texts to embed that take long enough to show how far they are
_NAMED = 3  # paths of a line


class _Seen(NamedTuple):
    inode: int
    size: int  # bytes
    changed: int  # ns; the system's own clock of changes, which no program sets back
    modified: int  # ns


State = (
    Mapping[str, _Seen] | None
)  # Markdown files and aliases by path; None: there is no such folder


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


def watch(root: Path, ingest: Callable[[], IngestReport]) -> None:
    """Call `ingest` now, after every burst of changes below `root`, and again where it failed.

    Every run is a line: on standard output, or on standard error where it failed; a failure that
    repeats itself is told once. Only an exception that no run of ingest foresees ends it,
    KeyboardInterrupt for one.
    """
    done: State = None
    failure, delay, retry_at = "", 0.0, 0.0
    for number, _ in enumerate(_wakes(root)):
        began, seen = time.monotonic(), state(root)
        changed = seen != done
        if number and not changed and not (failure and time.monotonic() >= retry_at):
            continue
        # As it was before the run: what is edited meanwhile differs at the next look.
        done = _settled(root, seen, began) if number and changed else seen
        last, failure = failure, _run(ingest)
        if failure:
            delay = _RETRY if changed or not last else min(2 * delay, _RETRY_MOST)
            retry_at = time.monotonic() + delay
            if changed or failure != last:
                _say(f"not done: {failure}; tried again after {delay:g} s or a change", sys.stderr)


def state(root: Path) -> State:
    """Return what tells one state of a vault's Markdown files from another; nothing is read."""
    if not root.is_dir():
        return None
    found: dict[str, _Seen] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name[0] != "."]
        for name in names:
            if name[0] == "." or not (name.lower().endswith(SUFFIXES) or name == ALIASES):
                continue
            path = os.path.join(folder, name)
            try:
                status = os.lstat(path)
            except OSError:  # renamed just now, as editors save: the next look has it
                continue
            found[path] = _Seen(
                status.st_ino, status.st_size, status.st_ctime_ns, status.st_mtime_ns
            )
    return found


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
    _say(line(report), sys.stdout)
    return ""


@dataclass(slots=True)
class _Runs:
    """The runs of one folder: what one has read, the next one need not read again."""

    context: SearchContext
    root: Path
    _found: VaultFiles | None = None

    def ingest(self) -> IngestReport:
        # Opened again: an embedded server that was killed has nobody else who would start it again.
        with database_url(self.context.settings), Meter() as meter:

            def progress(what: str, done: int, total: int) -> None:
                if total > _MANY:
                    meter.show(what, done, total)

            report = pipeline.run(
                self.context, self.root, before=self._found, progress=progress, say=meter.say
            )
        self._found = report.found
        return report


def _wakes(root: Path) -> Iterator[None]:
    """Yield at once, soon after every change, and every _LOOK seconds in any case."""
    yield
    told = ""
    while True:
        here = _identity(root)
        try:
            for _ in watchfiles.watch(
                root,
                watch_filter=None,  # the state of the folder says what matters
                debounce=500,
                rust_timeout=int(_LOOK * 1000),
                yield_on_timeout=True,
                ignore_permission_denied=True,  # ingest names what cannot be read
            ):
                yield
                if _identity(root) != here:
                    break  # another folder stands there now, or none
        except (OSError, WatchfilesRustInternalError) as error:
            # No folder, no watch left, or a name that is not UTF-8, which ends a watcher.
            if root.is_dir() and str(error) != told:
                told = str(error)
                _say(f"no news of changes ({told}); looking every {_LOOK:g} s", sys.stderr)
            time.sleep(_LOOK)
            yield


def _settled(root: Path, seen: State, began: float) -> State:
    """The state of a folder once it rests; it was `seen` by a look that began then."""
    give_up = began + _BURST
    while began < give_up:
        # A look at a large folder takes a while, and each file is seen at the same place of it.
        time.sleep(max(0.0, began + _QUIET - time.monotonic()))
        began, last = time.monotonic(), seen
        seen = state(root)
        if seen == last:
            break
    return seen


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


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


def _say(what: str, stream: TextIO) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=stream, flush=True)
