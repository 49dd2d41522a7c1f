"""Read a file whole or not at all, although somebody may be writing it.

What is promised: a writer whose pauses between two changes of a file are shorter than WAIT is seen,
and no half of what it writes is taken. A read counts where the file's inode, size and times are the
same before and after it. Where the last change is younger than YOUNG, a second read of the same
bytes, WAIT later, must say so too; and where the file is empty, since Linux shows that a file was
emptied (O_TRUNC) a moment before it shows the time of it.

What cannot be promised: a writer that pauses longer looks like one that is done. Who writes so
slowly should write beside the file and rename. Times are the file system's: one that tells of a
change late (a network's cache), rounds its times to more than YOUNG, or is changed through mapped
memory, hides a writer from the first check.

This is the one place of ingest that asks for the time of day. It decides whether to look twice, and
never what stands in the index.
"""

import errno
import hashlib
import os
import stat
import time
from dataclasses import dataclass

from retrieval.errors import FileRejectedError
from retrieval.vault_files import MAX_BYTES

WAIT = 0.1  # seconds between two reads of a file that may be in the middle of being written
ROUNDS = 10  # reads after the first one, of a file that does not come to rest
YOUNG = 2 * WAIT  # since the last change; longer than WAIT, since clocks are coarse


@dataclass(frozen=True, slots=True)
class FileRead:
    """The bytes of a file, and what the file system said of it when they had been read."""

    path: str
    sha256: str
    data: bytes
    inode: tuple[int, int]
    links: int
    version: tuple[int, ...]  # differs after a write
    at_rest: bool  # nobody changed it during the read, nor just before, as far as one read tells

    def same_as(self, earlier: "FileRead") -> bool:
        """Whether nothing was written between an earlier read and the end of this one."""
        return self.version == earlier.version and self.data == earlier.data


def read(path: str, name: str, folder_fd: int) -> FileRead:
    """Read the file `name` of an open folder; `path` is what it is called in messages.

    Raises FileRejectedError where it is no regular file, too large or cannot be read.
    """
    fd = _open(path, name, folder_fd)
    try:
        before = os.fstat(fd)
        if not stat.S_ISREG(before.st_mode):
            raise FileRejectedError(path, "is not a regular file")
        with os.fdopen(fd, "rb", closefd=False) as file:
            now = time.time_ns()
            data = file.read(MAX_BYTES + 1)
        after = os.fstat(fd)
    except OSError as error:
        raise FileRejectedError(path, f"cannot be read: {error.strerror}") from error
    finally:
        os.close(fd)
    if len(data) > MAX_BYTES:
        raise FileRejectedError(path, f"is over {MAX_BYTES:,} bytes; split it")
    # The time of change, which no program sets back. One in the future, of a clock that was set
    # back since, is young: it costs a second read.
    young = before.st_ctime_ns > now - int(YOUNG * 1e9)
    untouched = _version(before) == _version(after) and len(data) == after.st_size
    return FileRead(
        path, hashlib.sha256(data).hexdigest(), data, (after.st_dev, after.st_ino), after.st_nlink,
        _version(after), untouched and not young and len(data) > 0,
    )  # fmt: skip


def is_version(name: str, folder_fd: int, version: tuple[int, ...]) -> bool:
    """Tell whether a file of an open folder is as it was when it was read; it is not opened.

    False also where it is no regular file, has other names, or is gone.
    """
    try:
        status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except OSError:  # for `read` to say why
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and _version(status) == version


def being_written(path: str) -> FileRejectedError:
    """Return why a file that did not come to rest is left out."""
    return FileRejectedError(
        path, "was being written while it was read; run python -m ingest again"
    )


def _open(path: str, name: str, folder_fd: int) -> int:
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer. O_NOFOLLOW: nor leave the vault.
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder_fd)
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.EMLINK)
        reason = (
            "is a link; links are not followed" if link else f"cannot be opened: {error.strerror}"
        )
        raise FileRejectedError(path, reason) from error


def _version(status: os.stat_result) -> tuple[int, ...]:
    return (
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns,
    )  # fmt: skip
