"""What tells one state of a folder of Markdown from another; no file is opened for it."""

import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from retrieval.vault_files import ALIASES, SUFFIXES

_MANY = 100  # paths; more are no edit by hand, and a look at everything is as fast


class _Seen(NamedTuple):
    inode: int
    size: int  # bytes
    changed: int  # ns; the system's own clock of changes, which no program sets back
    modified: int  # ns


# Markdown files and aliases by their paths below the folder; None: there is no such folder
State = Mapping[str, _Seen] | None


def state(root: Path) -> State:
    """Return the state of all Markdown files below `root`."""
    if not root.is_dir():
        return None
    found: dict[str, _Seen] = {}
    above = len(os.path.join(root, ""))
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name[0] != "."]
        for name in names:
            if name[0] == "." or not is_rules(name):
                continue
            path = os.path.join(folder, name)
            try:
                found[path[above:]] = _seen(os.lstat(path))
            except OSError:  # renamed just now, as editors save: the next look has it
                continue
    return found


def state_since(root: Path, before: State, paths: Collection[str] | None) -> State:
    """Return the state of a folder of which only these `paths` below it are told to have changed.

    It is that `before` with another look at them; None, and whatever may be a folder, is a look at
    everything.
    """
    if before is None or paths is None or len(paths) > _MANY or not root.is_dir():
        return state(root)
    found = dict(before)
    for path in paths:
        if path not in found and any(one.startswith(f"{path}/") for one in found):
            return state(root)  # it is or was a folder
        try:
            now = os.lstat(os.path.join(root, path))
        except (FileNotFoundError, NotADirectoryError):
            found.pop(path, None)
            continue
        except OSError:
            return state(root)
        if stat.S_ISDIR(now.st_mode):
            return state(root)
        if is_rules(path):
            found[path] = _seen(now)
    return found


def differing(before: State, now: State) -> frozenset[str] | None:
    """Return the paths whose state is another one; None, of all, where there is or was no folder.

    Where there is none in either, nothing differs.
    """
    if before is None or now is None:
        return frozenset() if before is now else None
    return frozenset(
        {path for path, seen in now.items() if before.get(path) != seen}
        | before.keys() - now.keys()
    )


def is_rules(name: str) -> bool:
    """Tell whether ingest reads files of that name, or path."""
    return name.lower().endswith(SUFFIXES) or os.path.basename(name) == ALIASES


def _seen(status: os.stat_result) -> _Seen:
    return _Seen(status.st_ino, status.st_size, status.st_ctime_ns, status.st_mtime_ns)
