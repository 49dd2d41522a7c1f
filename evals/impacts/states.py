"""Two states of a vault: one of git, read beside the work tree, and the lines that differ."""

import io
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.errors import VaultError
from retrieval.models import Chunk


@dataclass(frozen=True, slots=True)
class Edit:
    """Neighbouring lines of a file that differ, numbered from 1 as in each state.

    A range is empty where lines were only put in or only taken out; it then begins at the line
    before which they stand, or stood.
    """

    path: str
    before: range
    after: range
    old: tuple[str, ...]
    new: tuple[str, ...]


@contextmanager
def state_of(ref: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the short name of a commit and a copy of `folder` as it was there, for a while.

    Neither the work tree nor the index of git is touched. Raises VaultError where git knows no such
    commit, or the commit no such folder.
    """
    commit = _git(folder, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
    name = commit.decode().strip()
    archive = _git(folder, "archive", "--format=tar", name)  # of what stands below the folder
    with TemporaryDirectory(prefix="vault-") as copy:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            members = [member for member in tar if member.isfile()]  # ingest follows no links
            tar.extractall(copy, members, filter="data")
        yield name[:12], Path(copy)


def prefix_of(folder: Path) -> str:
    """Return what stands before a path of `folder` in its git tree: "rules/", or "" at the top.

    Raises VaultError where it is in no git tree.
    """
    return _git(folder, "rev-parse", "--show-prefix").decode().strip("\n")


def shown(folder: Path) -> str:
    """Return the path of a folder below the top of its git tree, or its name where it is the top.

    Raises VaultError where it is in no git tree.
    """
    return prefix_of(folder).rstrip("/") or folder.resolve().name


def file_of(ref: str, path: Path) -> str | None:
    """Return the text of a file as it was in a commit; None where the commit lacks it."""
    try:
        return _git(path.parent, "show", f"{ref}:./{path.name}").decode("utf-8-sig")
    except VaultError:
        return None


def edits(before: Mapping[str, str], after: Mapping[str, str]) -> list[Edit]:
    """Return what differs between two states, texts by path, in the order of paths and lines."""
    found: list[Edit] = []
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            found += _edits(path, _lines(before.get(path)), _lines(after.get(path)))
    return found


def touching(
    edits: Iterable[Edit], gone: Iterable[Chunk], new: Iterable[Chunk]
) -> tuple[Edit, ...]:
    """Return the edits inside of passages: of `gone` in the old state, of `new` in the new one."""
    old = [(c.path, c.first_line, c.last_line) for c in gone]
    now = [(c.path, c.first_line, c.last_line) for c in new]
    return tuple(
        edit
        for edit in edits
        if any(path == edit.path and _meets(edit.before, a, b) for path, a, b in old)
        or any(path == edit.path and _meets(edit.after, a, b) for path, a, b in now)
    )


def _meets(lines: range, first: int, last: int) -> bool:
    """Whether the edited lines, or the gap that an empty range is, are within first to last."""
    return lines.start <= last and max(lines.stop - 1, lines.start) >= first


def _edits(path: str, old: list[str], new: list[str]) -> Iterator[Edit]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            before, after = range(a + 1, b + 1), range(c + 1, d + 1)
            yield Edit(path, before, after, tuple(old[a:b]), tuple(new[c:d]))


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.split("\n")


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, check=True
        ).stdout
    except FileNotFoundError as error:
        raise VaultError("git is not installed, and the base is read with it") from error
    except subprocess.CalledProcessError as error:
        reason = " ".join(error.stderr.decode("utf-8", "replace").split())
        raise VaultError(f"git {' '.join(arguments)}, in {str(folder)!r}: {reason}") from error
