"""Read one file of the vault by the path that the index has for it, and tell whether it changed.

No link is followed.
"""

import errno
import hashlib
import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from retrieval.vault_files import MAX_BYTES

Freshness = Literal["fresh", "file-changed", "file-gone"]
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EACCES}


@dataclass(frozen=True, slots=True)
class VaultFile:
    """A file as it is now: its lines without line ends, and the hash that the index keeps."""

    lines: tuple[str, ...]
    sha256: str


def read(root: Path, path: str) -> VaultFile | None:
    """Return the file at `path` (with "/", NFC) below `root`, or None where there is none to show.

    None means: gone, no regular file, behind a link, not readable, over 5 MB, or not UTF-8. Only
    names that stand in the folders are opened, so neither ".." nor an absolute path leads anywhere.
    """
    data = contents(root, path)
    if data is None or len(data) > MAX_BYTES:
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return VaultFile(tuple(text.split("\n")), hashlib.sha256(data).hexdigest())


def freshness(vault: Path, path: str, sha256: str) -> Freshness:
    """Return what became of the file at `path` below `vault` since its bytes had `sha256`.

    A link, a folder or anything else that ingest would not read in its place is "file-gone"; so
    is a path that leaves the vault, and a file that may not be read. Raises other OSErrors.
    """
    data = contents(vault, path)
    if data is None:
        return "file-gone"
    return "fresh" if hashlib.sha256(data).hexdigest() == sha256 else "file-changed"


def contents(root: Path, path: str) -> bytes | None:
    """Return the bytes of the file at `path` below `root`, at most one over 5 MB.

    None where it is gone, no regular file, behind a link, or may not be read. Raises OSError for
    what else can go wrong.
    """
    try:
        file = _open_below(root, path)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            return None
        with os.fdopen(file, "rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except OSError as error:
        if error.errno not in _GONE:
            raise
        return None


def _open_below(root: Path, path: str) -> int:
    """A descriptor of the entry at `path`, for the caller to close; no link is followed."""
    *folders, last = path.split("/")
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in folders:
            below = _open(folder, name, os.O_DIRECTORY)
            os.close(folder)
            folder = below
        # O_NONBLOCK: opening a pipe must not wait for a writer.
        return _open(folder, last, os.O_NONBLOCK)
    finally:
        os.close(folder)


def _open(folder: int, name: str, flags: int) -> int:
    """Open the entry of `folder` whose name is `name` in Unicode's composed form."""
    for entry in os.listdir(folder):
        if unicodedata.normalize("NFC", entry) == name:
            return os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | flags, dir_fd=folder)
    raise FileNotFoundError(errno.ENOENT, "no such file in the vault", name)
