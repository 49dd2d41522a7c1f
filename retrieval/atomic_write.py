"""Replace a file at once: whoever reads it, or stops the program, finds the old or the new one."""

import stat
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Make `text` the contents of `path`, in UTF-8. Raises OSError, and leaves the old ones."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Make `data` the contents of `path`, and keep its mode. Raises OSError as `write` does."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            if path.exists():  # before a byte is in it
                part.chmod(stat.S_IMODE(path.stat().st_mode))
            file.write(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
