"""The parts of documents that programs write, each between two comment lines."""

from pathlib import Path

from retrieval import atomic_write
from retrieval.errors import ConfigurationError

_TOP = Path(__file__).parents[2]
README = _TOP / "README.md"
EVALS = _TOP / "docs" / "evals.md"
_END = "<!-- end of measured -->"


def check(path: Path, command: str) -> None:
    """Raise ConfigurationError where a document has no part for `command`: before the work."""
    _parts(path, command)


def put(path: Path, command: str, text: str) -> None:
    """Write `text` as the part of the document at `path` that `command` measures.

    Raises ConfigurationError where the document has no such part.
    """
    before, after = _parts(path, command)
    atomic_write.write(path, f"{before}{_begin(command)}\n{text}\n{_END}{after}")


def _parts(path: Path, command: str) -> tuple[str, str]:
    """What stands before and behind the part of a command."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    before, begin, rest = text.partition(_begin(command))
    inside, end, after = rest.partition(_END)
    if not begin or not end or "<!-- measured: " in inside:
        raise ConfigurationError(
            f"{path.name} has no lines {_begin(command)!r} and {_END!r} around the numbers of "
            f"{command!r}; restore them"
        )
    return before, after


def _begin(command: str) -> str:
    return f"<!-- measured: {command} -->"
