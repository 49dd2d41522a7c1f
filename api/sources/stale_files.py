"""Which files of the vault the index does not hold as they stand there now."""

import hashlib
import os
import stat
import time
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from retrieval.vault_files import MAX_BYTES, SUFFIXES

_NAMED = 3  # paths of a line
_REMEMBERED = 50_000  # hashes; without them every look would read the whole vault
# Two writes within a tick of the file system's clock have the same time, so what was written just
# now is read again.
_RESTED = 2_000_000_000  # ns


def state(root: Path, indexed: Mapping[str, str]) -> str:
    """Return in a line whether the vault at `root` is as indexed, and what to do where it is not.

    `indexed` is the sha256 of the index's files by path.
    """
    if not root.is_dir():  # an API may run where the index is and the files are not
        return "not compared: no folder of files is here, see VAULT"
    paths = stale(root, indexed)
    if not paths:
        return "as indexed"
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"{len(paths)} not as indexed ({', '.join(paths[:_NAMED])}{more}); run: python -m ingest"


def stale(root: Path, indexed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths, sorted, of what was added, changed or removed below `root` since then.

    A file that ingest rejects is among them until it is mended; links and hidden files are not.
    """
    here = dict(_hashes(root))
    return tuple(sorted(p for p in here.keys() | indexed.keys() if here.get(p) != indexed.get(p)))


def _hashes(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path, as the index has it, and sha256 of each Markdown file; "" where unreadable."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name[0] != "."]
        for name in names:
            if name[0] == "." or not name.lower().endswith(SUFFIXES):
                continue
            file = os.path.join(folder, name)
            try:
                seen = os.lstat(file)
                if not stat.S_ISREG(seen.st_mode):
                    continue
                rests = time.time_ns() - seen.st_ctime_ns > _RESTED
                hashed = _sha256 if rests else _sha256.__wrapped__
                when = (seen.st_ctime_ns, seen.st_mtime_ns)
                digest = hashed(file, seen.st_ino, seen.st_size, when)
            except FileNotFoundError:  # renamed just now, as editors save
                continue
            except OSError:
                digest = ""
            path = unicodedata.normalize("NFC", os.path.relpath(file, root).replace(os.sep, "/"))
            yield path.encode("utf-8", "backslashreplace").decode(), digest


@lru_cache(maxsize=_REMEMBERED)
def _sha256(file: str, inode: int, size: int, when: tuple[int, int]) -> str:
    """The hash of a file; the arguments change with its content."""
    if size > MAX_BYTES:
        return ""
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(opened, "rb") as stream:
        return hashlib.sha256(stream.read(MAX_BYTES)).hexdigest()
