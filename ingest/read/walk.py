"""Walk the folders of a vault: no link entered, nothing hidden, each path as it is stored."""

import errno
import os
import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path

from retrieval.errors import FileRejectedError, VaultError
from retrieval.vault_files import SUFFIXES

_OF_PROGRAMS = {".git", ".obsidian", ".trash"}  # hidden folders that hold no rules of anybody
_NAME_LIMIT = 1_000  # bytes of a path; a longer one does not fit a btree key


def walk(
    root: Path,
    rejected: list[FileRejectedError],
    hidden: list[str] | None = None,
    only: Collection[str] | None = None,
) -> Iterator[tuple[str, str, int]]:
    """Yield (folder below the root, file name, the folder's descriptor); no link is entered.

    `root` itself may be a link. Hidden folders are left out, and hidden files but for Markdown;
    `hidden` gets the folders that hold Markdown, each with its count. With `only`, paths below the
    root, nothing else is looked at than what leads to them.
    """
    if only is not None:
        only = {*only, *(path[:at] for path in only for at, c in enumerate(path) if c == "/")}
    try:
        root_fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise VaultError(f"{str(root)!r} cannot be listed: {error.strerror}") from error
    try:
        yield from _walk_folder("", root_fd, rejected, hidden, only)
    finally:
        os.close(root_fd)


def _walk_folder(
    folder: str,
    folder_fd: int,
    rejected: list[FileRejectedError],
    hidden: list[str] | None,
    only: Collection[str] | None,
) -> Iterator[tuple[str, str, int]]:
    with os.scandir(folder_fd) as entries:
        seen = sorted(
            (e.name, _leads_to_folder(e))
            for e in entries
            if only is None or folder + e.name in only
        )
    for name, is_folder in seen:
        if not is_folder:
            if name[0] != "." or name.lower().endswith(SUFFIXES):
                yield folder, name, folder_fd
            continue
        if name[0] == ".":
            if hidden is not None and name not in _OF_PROGRAMS:
                hidden += _hidden(folder + name, name, folder_fd)
            continue
        try:
            below_fd = _open_folder(folder + name, name, folder_fd)
        except FileRejectedError as error:
            rejected.append(error)
            continue
        try:
            yield from _walk_folder(folder + name + "/", below_fd, rejected, hidden, only)
        finally:
            os.close(below_fd)


def _hidden(path: str, name: str, folder_fd: int) -> list[str]:
    """The folder and how many Markdown files it and those in it hold; nothing where none."""
    try:
        count = sum(
            one.lower().endswith(SUFFIXES)
            for *_, names, _ in os.fwalk(name, dir_fd=folder_fd)
            for one in names
        )
    except OSError:  # it cannot be opened, or is gone by now
        return []
    return [f"{shown_path(path)}/ ({count} Markdown)"] if count else []


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _open_folder(path: str, name: str, folder_fd: int) -> int:
    if len(os.fsencode(path)) > _NAME_LIMIT:
        raise FileRejectedError(
            shown_path(path), f"its path has over {_NAME_LIMIT} bytes; shorten it"
        )
    try:
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder_fd)
    except OSError as error:
        link = error.errno in (errno.ELOOP, errno.ENOTDIR)  # of O_NOFOLLOW with O_DIRECTORY
        reason = f"cannot be listed: {error.strerror}"
        if link:
            reason = "is a link to a folder; links are not followed"
        raise FileRejectedError(shown_path(path), reason) from error


def check_name(path: str, raw: str, found: Collection[str]) -> None:
    """Raise FileRejectedError for a name that cannot be stored, or that `found` already holds.

    `path` is the name as stored, `raw` as the folder has it.
    """
    try:
        size = len(raw.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise FileRejectedError(path, "its name is not valid UTF-8; rename it") from error
    if not raw.isprintable() and any(unicodedata.category(c) == "Cc" for c in raw):
        raise FileRejectedError(path, "its name holds a control character; rename it")
    if size > _NAME_LIMIT:
        raise FileRejectedError(path, f"its path has {size} bytes, over {_NAME_LIMIT}; shorten it")
    if path in found:
        raise FileRejectedError(path, "another file has the same name in Unicode's composed form")


def shown_path(raw: str) -> str:
    """Return the path as stored and printed: NFC, "/", what cannot be printed escaped."""
    path = unicodedata.normalize("NFC", raw.replace(os.sep, "/"))
    if path.isprintable():  # nearly always; a name that is not valid UTF-8 is not
        return path
    path = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(f"\\x{ord(c):02x}" if unicodedata.category(c) == "Cc" else c for c in path)
