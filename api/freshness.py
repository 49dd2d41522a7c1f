"""Whether a cited file still is what was indexed."""

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Literal

from api import vault_file

Freshness = Literal["fresh", "file-changed", "file-gone"]
_MAX_BYTES = 5_000_000  # ingest takes no larger file, so one that grew past it has changed
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EACCES}


def freshness(vault: Path, path: str, sha256: str) -> Freshness:
    """Return what became of the file at `path` below `vault` since its bytes had `sha256`.

    A link, a folder or anything else that ingest would not read in its place is "file-gone"; so
    is a path that leaves the vault, and a file that may not be read. Raises other OSErrors.
    """
    try:
        data = _read(vault, path)
    except OSError as error:
        if error.errno in _GONE:
            return "file-gone"
        raise
    if data is None:
        return "file-gone"
    return "fresh" if hashlib.sha256(data).hexdigest() == sha256 else "file-changed"


def _read(vault: Path, path: str) -> bytes | None:
    """The file's bytes; None where it is no regular file."""
    file = vault_file.open_below(vault, path)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        return None
    with os.fdopen(file, "rb") as opened:
        return opened.read(_MAX_BYTES + 1)
