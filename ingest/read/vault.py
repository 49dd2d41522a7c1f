"""Read a folder of Markdown files: each file once, none from outside, none silently left out."""

import os
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingest.read import aliases, stable_read
from ingest.read.stable_read import FileRead
from ingest.read.walk import check_name, shown_path, walk
from retrieval.errors import FileRejectedError, VaultError
from retrieval.models import Aliases
from retrieval.vault_files import ALIASES, SUFFIXES


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as read: `text` has \\n line ends, no BOM and no NUL."""

    path: str  # below the vault, with "/", NFC
    text: str
    sha256: str  # of the bytes on disk
    removed_nuls: int
    version: tuple[int, ...] = ()  # of the file as the file system tells it; differs after a write


@dataclass(frozen=True, slots=True)
class VaultFiles:
    """What stands in a vault, each list sorted by path."""

    files: tuple[SourceFile, ...]
    rejected: tuple[FileRejectedError, ...]
    ignored: tuple[str, ...]  # not Markdown, Markdown that is hidden, hidden folders of it
    aliases: Aliases | None = field(default_factory=dict)  # None: a file of them is rejected


def read(
    root: Path, before: VaultFiles | None = None, changed: Collection[str] | None = None
) -> VaultFiles:
    """Return the Markdown files and aliases below `root`, hidden ones left out, links too.

    What an earlier reading `before` has of a file that nobody wrote to since is not read again.
    Where it is known that no other paths have `changed`, nothing else is even looked at, unless
    something is wrong with one of them. A file that cannot be read, or that is being written all
    the time, is in `rejected` with its reason; what may be in the middle of being written is read
    again, see `stable_read`. Raises VaultError where `root` is not a folder.
    """
    if not root.is_dir():
        raise VaultError(
            f"no folder {str(root)!r}; name one: python -m ingest FOLDER, or set VAULT"
        )
    if before and changed is not None and (again := _read_changed(root, before, changed)):
        return again
    rejected: list[FileRejectedError] = []
    ignored: list[str] = []
    found: dict[str, FileRead] = {}
    known = {file.path: file for file in before.files} if before else {}
    same: list[SourceFile] = []
    restless = _read_all(root, known, same, found, rejected, ignored)
    _wait_for(restless, root, found, rejected)
    files = sorted((*same, *_decoded(found.values(), rejected)), key=lambda file: file.path)
    said = _aliases([file for file in files if _holds_aliases(file.path)], rejected)
    return VaultFiles(
        tuple(file for file in files if not _holds_aliases(file.path)),
        tuple(sorted(rejected, key=lambda error: error.path)),
        tuple(sorted(ignored)),
        said,
    )


def read_file(path: Path) -> SourceFile:
    """Return one file alone, read once: of one that is being written half may come.

    Raises VaultError where its folder cannot be opened, FileRejectedError where the file cannot.
    """
    try:
        folder_fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise VaultError(f"{str(path.parent)!r} cannot be listed: {error.strerror}") from error
    try:
        return _decode(stable_read.read(path.name, path.name, folder_fd))
    finally:
        os.close(folder_fd)


def _read_changed(root: Path, before: VaultFiles, changed: Collection[str]) -> VaultFiles | None:
    """The reading `before` with these paths as they are now; None where only a whole one can tell.

    So it is where a file is rejected, may be half written or holds aliases, or where two names may
    be the same.
    """
    if before.rejected or any(_holds_aliases(one) or shown_path(one) != one for one in changed):
        return None
    rejected: list[FileRejectedError] = []
    found: dict[str, FileRead] = {}
    if _read_all(root, {}, [], found, rejected, [], changed):
        return None
    files = [*_decoded(found.values(), rejected)]
    files += (file for file in before.files if file.path not in changed)
    files.sort(key=lambda file: file.path)
    return None if rejected else replace(before, files=tuple(files))


def _aliases(files: Collection[SourceFile], rejected: list[FileRejectedError]) -> Aliases | None:
    """The aliases of all folders; None where a file of them is, or becomes, a rejected one."""
    parsed = []
    for file in files:
        try:
            parsed.append(aliases.parse(file.path, file.text))
        except FileRejectedError as error:
            rejected.append(error)
    if any(_holds_aliases(error.path) for error in rejected):
        return None
    return aliases.merged(parsed)


def _holds_aliases(path: str) -> bool:
    return path.rsplit("/", 1)[-1] == ALIASES


def _read_all(
    root: Path,
    known: Mapping[str, SourceFile],
    same: list[SourceFile],
    found: dict[str, FileRead],
    rejected: list[FileRejectedError],
    ignored: list[str],
    only: Collection[str] | None = None,
) -> set[str]:
    """Read every file, or `only` some, once; return the names of those that may be half written.

    Of the `known` ones those that nobody wrote to are put into `same`, and not read.
    """
    restless: set[str] = set()
    seen: set[str] = set()
    for folder, name, folder_fd in walk(root, rejected, ignored, only):
        path = shown_path(folder + name)
        is_read = name.lower().endswith(SUFFIXES) or name == ALIASES
        if name[0] == "." or not is_read:
            ignored.append(path)
            continue
        try:
            check_name(path, folder + name, seen)
            seen.add(path)
            before = known.get(path)
            if before and stable_read.is_version(name, folder_fd, before.version):
                same.append(before)
                continue
            found[path] = stable_read.read(path, name, folder_fd)
        except FileRejectedError as error:
            rejected.append(error)
            continue
        if not found[path].at_rest:
            restless.add(folder + name)
    return restless


def _wait_for(
    restless: set[str],
    root: Path,
    found: dict[str, FileRead],
    rejected: list[FileRejectedError],
) -> None:
    """Read files again until two reads are the same; move those that never are to `rejected`.

    All wait together, so many files that were just written cost no more time than one. A file that
    is gone in the end is in neither: it was deleted.
    """
    failed: dict[str, FileRejectedError] = {}
    refused: list[FileRejectedError] = []  # folders that could be entered before
    for _ in range(stable_read.ROUNDS):
        if not restless:
            return
        time.sleep(stable_read.WAIT)
        refused = []
        failed, gone = _read_again(restless, root, found, refused)
        restless = {*failed, *gone}
    for raw in restless:
        found.pop(shown_path(raw), None)
    known = {error.path for error in rejected}
    rejected += [*failed.values(), *(error for error in refused if error.path not in known)]


def _read_again(
    restless: set[str],
    root: Path,
    found: dict[str, FileRead],
    refused: list[FileRejectedError],
) -> tuple[dict[str, FileRejectedError], set[str]]:
    """Read files once more into `found`; return why some are not at rest, and which are gone.

    The folder is walked again, since to open a path by its name would follow links.
    """
    failed: dict[str, FileRejectedError] = {}
    gone = set(restless)
    for folder, name, folder_fd in walk(root, refused):
        raw = folder + name
        if raw not in restless:
            continue
        gone.discard(raw)
        path = shown_path(raw)
        try:
            again = stable_read.read(path, name, folder_fd)
        except FileRejectedError as error:
            failed[raw] = error
            continue
        if not again.same_as(found[path]):
            failed[raw] = stable_read.being_written(path)
        found[path] = again
    return failed, gone


def _decoded(
    found: Collection[FileRead], rejected: list[FileRejectedError]
) -> Iterator[SourceFile]:
    inside = Counter(file.inode for file in found)
    for file in found:
        if file.links > inside[file.inode]:  # its content may belong to a file outside
            reason = "has hard links outside of the vault; replace it with a copy"
            rejected.append(FileRejectedError(file.path, reason))
            continue
        try:
            yield _decode(file)
        except FileRejectedError as error:
            rejected.append(error)


def _decode(file: FileRead) -> SourceFile:
    if file.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileRejectedError(file.path, "is UTF-16; save it as UTF-8")
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].replace(b"\r\n", b"\n")  # without the BOM
        line = before.count(b"\n") + before.count(b"\r") + 1
        byte = error.object[error.start]
        reason = f"is not UTF-8: byte 0x{byte:02x} in line {line}; save it as UTF-8"
        raise FileRejectedError(file.path, reason) from error
    nuls = text.count("\x00")  # PostgreSQL's text cannot hold it, and no reader can see it
    text = text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    return SourceFile(file.path, text, file.sha256, nuls, file.version)
