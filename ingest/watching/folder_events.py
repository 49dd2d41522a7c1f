"""What the system tells of changes in a folder, in bursts.

It only says where to look. An event that is lost or comes late delays a change and never loses it:
every few seconds everything is looked at.
"""

import math
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import watchfiles
from watchfiles._rust_notify import WatchfilesRustInternalError

from ingest.progress import say
from ingest.read.folder_state import is_rules

QUIET = 0.3  # seconds without a change end a burst of saves, or a checkout of git …
BURST = 10.0  # … seconds; a folder that never rests is ingested this often
LOOK = 2.0  # seconds; some folders send no events, and one may be taken away and come back

Heard = frozenset[str] | None  # paths below the folder; None: look at everything


def heard(root: Path) -> Iterator[Heard]:
    """Yield None at once, after every burst what changed, and None every LOOK seconds in any case.

    The paths of a burst rest since QUIET seconds, or it lasts for BURST seconds.
    """
    told = ""
    while True:
        try:
            yield from _bursts(root)
        except (OSError, WatchfilesRustInternalError) as error:
            # No folder, no watch left, or a name that is not UTF-8, which ends a watcher.
            if root.is_dir() and str(error) != told:
                told = str(error)
                say(f"no news of changes ({told}); looking every {LOOK:g} s", sys.stderr)
            yield None
            time.sleep(LOOK)


def _bursts(root: Path) -> Iterator[Heard]:
    """The same, until another folder stands there, or none.

    What changes while all of it is looked at for the first time is heard already.
    """
    here = _identity(root)
    paths: set[str] = set()
    first = last = looked = -math.inf
    for changes in watchfiles.watch(
        root,
        watch_filter=None,
        debounce=500,
        rust_timeout=int(min(QUIET, LOOK) * 1000),
        yield_on_timeout=True,
        ignore_permission_denied=True,  # ingest names what cannot be read
    ):
        if _identity(root) != here:
            return
        now = time.monotonic()
        named = _below(root, (path for _, path in changes))
        if named is None:
            yield None
        elif named:
            first, last = first if paths else now, now
            paths |= named
        if now - looked >= LOOK and not (paths and looked > 0):
            yield None
            looked = time.monotonic()
        if paths and (now - last >= QUIET or now - first >= BURST):
            yield frozenset(paths)
            paths.clear()


def _below(root: Path, paths: Iterable[str]) -> set[str] | None:
    """Those of the paths that may be of rules, or of folders, as they are called below the root.

    None where one is not below it, as far as can be told.
    """
    starts = [os.path.join(one, "") for one in (os.path.abspath(root), os.path.realpath(root))]
    found = set()
    for path in map(os.path.normpath, paths):  # of "../vault" they come with the dots
        start = next(filter(path.startswith, starts), None)
        if start is None:
            return None
        below = path.removeprefix(start)
        is_hidden = below.startswith(".") or "/." in below
        if not is_hidden and (is_rules(below) or _may_be_folder(path)):
            found.add(below)
    return found


def _may_be_folder(path: str) -> bool:
    """False only of what stands there and is none: of what is gone nobody knows."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return True


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
