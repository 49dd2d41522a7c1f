"""Replace a file at once: whoever reads it, or stops the program, finds the old or the new one."""

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Make `text` the contents of `path`, in UTF-8. Raises OSError, and leaves the old ones."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Make `data` the contents of `path`. Raises OSError, and leaves the old ones."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
