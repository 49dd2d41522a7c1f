"""Whether a cited file still is what was indexed."""

import hashlib
from pathlib import Path
from typing import Literal

from api.sources import vault_file

Freshness = Literal["fresh", "file-changed", "file-gone"]


def freshness(vault: Path, path: str, sha256: str) -> Freshness:
    """Return what became of the file at `path` below `vault` since its bytes had `sha256`.

    A link, a folder or anything else that ingest would not read in its place is "file-gone"; so
    is a path that leaves the vault, and a file that may not be read. Raises other OSErrors.
    """
    data = vault_file.contents(vault, path)
    if data is None:
        return "file-gone"
    return "fresh" if hashlib.sha256(data).hexdigest() == sha256 else "file-changed"
