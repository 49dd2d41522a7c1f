"""Read a folder of Markdown files: each file once, none from outside, none silently left out."""

import errno
import hashlib
import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import FileRejectedError, VaultError
from retrieval.fault_points import point
from retrieval.vault_files import MAX_BYTES, SUFFIXES

_NAME_LIMIT = 1_000  # bytes of a path; a longer one does not fit a btree key


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as read: `text` has \\n line ends, no BOM and no NUL."""

    path: str  # below the vault, with "/", NFC
    text: str
    sha256: str  # of the bytes on disk
    removed_nuls: int


@dataclass(frozen=True, slots=True)
class VaultFiles:
    """What stands in a vault, each list sorted by path."""

    files: tuple[SourceFile, ...]
    rejected: tuple[FileRejectedError, ...]
    ignored: tuple[str, ...]  # not Markdown


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    sha256: str
    data: bytes
    inode: tuple[int, int]
    links: int


def read(root: Path) -> VaultFiles:
    """Return all Markdown files below `root`, hidden folders left out, links not followed.

    A file that cannot be read is in `rejected` with its reason. Raises VaultError where `root` is
    not a folder.
    """
    if not root.is_dir():
        raise VaultError(
            f"no folder {str(root)!r}; name one: python -m ingest FOLDER, or set VAULT"
        )
    rejected: list[FileRejectedError] = []
    ignored: list[str] = []
    found: dict[str, _Found] = {}
    for folder, name, folder_fd in _walk(root, rejected):
        path = _shown(folder + name)
        if not name.lower().endswith(SUFFIXES):
            ignored.append(path)
            continue
        try:
            _check_name(path, folder + name, found)
            found[path] = _read_file(path, name, folder_fd)
        except FileRejectedError as error:
            rejected.append(error)
    files = list(_decoded(found.values(), rejected))
    return VaultFiles(
        tuple(sorted(files, key=lambda file: file.path)),
        tuple(sorted(rejected, key=lambda error: error.path)),
        tuple(sorted(ignored)),
    )


def _walk(root: Path, rejected: list[FileRejectedError]) -> Iterator[tuple[str, str, int]]:
    """Yield (folder below the root, file name, the folder's descriptor); no link is entered.

    `root` itself may be a link. Hidden files and folders are left out.
    """
    try:
        root_fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise VaultError(f"{str(root)!r} cannot be listed: {error.strerror}") from error
    try:
        yield from _walk_folder("", root_fd, rejected)
    finally:
        os.close(root_fd)


def _walk_folder(
    folder: str, folder_fd: int, rejected: list[FileRejectedError]
) -> Iterator[tuple[str, str, int]]:
    with os.scandir(folder_fd) as entries:
        seen = sorted((e.name, _leads_to_folder(e)) for e in entries if e.name[0] != ".")
    for name, is_folder in seen:
        if not is_folder:
            yield folder, name, folder_fd
            continue
        try:
            below_fd = _open_folder(folder + name, name, folder_fd)
        except FileRejectedError as error:
            rejected.append(error)
            continue
        try:
            yield from _walk_folder(folder + name + "/", below_fd, rejected)
        finally:
            os.close(below_fd)


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _open_folder(path: str, name: str, folder_fd: int) -> int:
    if len(os.fsencode(path)) > _NAME_LIMIT:
        raise FileRejectedError(_shown(path), f"its path has over {_NAME_LIMIT} bytes; shorten it")
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder_fd)
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)  # of O_NOFOLLOW with O_DIRECTORY
        reason = f"cannot be listed: {error.strerror}"
        if link:
            reason = "is a link to a folder; links are not followed"
        raise FileRejectedError(_shown(path), reason) from error


def _check_name(path: str, raw: str, found: dict[str, _Found]) -> None:
    try:
        size = len(raw.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise FileRejectedError(path, "its name is not valid UTF-8; rename it") from error
    if any(unicodedata.category(c) == "Cc" for c in raw):
        raise FileRejectedError(path, "its name holds a control character; rename it")
    if size > _NAME_LIMIT:
        raise FileRejectedError(path, f"its path has {size} bytes, over {_NAME_LIMIT}; shorten it")
    if path in found:
        raise FileRejectedError(path, "another file has the same name in Unicode's composed form")


def _read_file(path: str, name: str, folder_fd: int) -> _Found:
    try:
        # O_NONBLOCK: opening a pipe must not wait for a writer. O_NOFOLLOW: nor leave the vault.
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder_fd)
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.EMLINK)
        reason = (
            "is a link; links are not followed" if link else f"cannot be opened: {error.strerror}"
        )
        raise FileRejectedError(path, reason) from error
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise FileRejectedError(path, "is not a regular file")
    try:
        with os.fdopen(fd, "rb") as file:
            data = file.read(MAX_BYTES + 1)
            point("file read")
    except OSError as error:
        raise FileRejectedError(path, f"cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise FileRejectedError(path, f"is over {MAX_BYTES:,} bytes; split it")
    digest = hashlib.sha256(data).hexdigest()
    return _Found(path, digest, data, (status.st_dev, status.st_ino), status.st_nlink)


def _decoded(found: Collection[_Found], rejected: list[FileRejectedError]) -> Iterator[SourceFile]:
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


def _decode(file: _Found) -> SourceFile:
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
    return SourceFile(file.path, text, file.sha256, nuls)


def _shown(raw: str) -> str:
    """The path as stored and printed: NFC, "/", what cannot be printed escaped."""
    path = unicodedata.normalize("NFC", raw.replace(os.sep, "/"))
    path = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(f"\\x{ord(c):02x}" if unicodedata.category(c) == "Cc" else c for c in path)
