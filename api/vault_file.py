"""Read one file of the vault by the path that the index has for it; no link is followed."""

import errno
import os
import stat
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from retrieval.vault_files import MAX_BYTES

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
    try:
        data = _bytes(root, path)
        text = data.decode("utf-8-sig") if data is not None else None
    except UnicodeDecodeError:
        return None
    except OSError as error:
        if error.errno not in _GONE:
            raise
        return None
    if data is None or text is None:
        return None
    text = text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return VaultFile(tuple(text.split("\n")), sha256(data).hexdigest())


def open_below(root: Path, path: str) -> int:
    """Return a descriptor of the entry at `path` (with "/", NFC) below `root`, no link followed.

    Whoever calls it closes it, and checks that it is a regular file. Raises OSError.
    """
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


def _bytes(root: Path, path: str) -> bytes | None:
    file = open_below(root, path)
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        os.close(file)
        return None
    with os.fdopen(file, "rb") as opened:
        return opened.read(MAX_BYTES)


def _open(folder: int, name: str, flags: int) -> int:
    """Open the entry of `folder` whose name is `name` in Unicode's composed form."""
    for entry in os.listdir(folder):
        if unicodedata.normalize("NFC", entry) == name:
            return os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | flags, dir_fd=folder)
    raise FileNotFoundError(errno.ENOENT, "no such file in the vault", name)
