"""The parts of README.md that programs write, each between two comment lines."""

from pathlib import Path

from retrieval import whole_file
from retrieval.errors import ConfigurationError

README = Path(__file__).parents[2] / "README.md"
_END = "<!-- end of measured -->"


def check(command: str, path: Path | None = None) -> None:
    """Raise ConfigurationError where a README has no part for `command`: before minutes of work."""
    _parts(command, path or README)


def put(command: str, text: str, path: Path | None = None) -> None:
    """Write `text` as the part that `command` measures.

    Raises ConfigurationError where the README has no such part.
    """
    page = path or README
    before, after = _parts(command, page)
    whole_file.write(page, f"{before}{_begin(command)}\n{text}\n{_END}{after}")


def _parts(command: str, path: Path) -> tuple[str, str]:
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
