"""The state of a folder: what is another one, and a look at some paths instead of all."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.read.folder_state import differing, state, state_since
from tests.conftest import write_vault


@pytest.mark.parametrize(
    "change",
    [
        lambda vault: (vault / "a.md").write_text("one\n"),
        lambda vault: (vault / "a.md").unlink(),
        lambda vault: (vault / "a.md").rename(vault / "b.md"),
        lambda vault: (vault / "new.MARKDOWN").write_text(""),
        lambda vault: (vault / "a.md").chmod(0o600),
    ],
    ids=["the same size", "deleted", "renamed", "added", "permissions"],
)
def test_every_change_of_a_markdown_file_is_another_state(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    write_vault(tmp_path, {"a.md": "two\n", "picture.png": "x"})
    before = state(tmp_path)
    assert state(tmp_path) == before
    time.sleep(0.02)  # the file system's clock ticks every 4 ms or so
    times = (tmp_path / "a.md").stat()
    change(tmp_path)
    if (tmp_path / "a.md").exists():  # rsync and tar set it back
        os.utime(tmp_path / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert state(tmp_path) != before
    assert differing(before, state(tmp_path))


def test_what_ingest_does_not_read_is_no_change(tmp_path: Path) -> None:
    write_vault(tmp_path, {"a.md": "two\n"})
    before = state(tmp_path)
    write_vault(tmp_path, {"b.txt": "", ".c.md": "", ".git/d.md": ""})
    assert state(tmp_path) == before
    assert state(tmp_path / "none") is None


def folder_in_its_place(vault: Path) -> None:
    (vault / "a.md").unlink()
    write_vault(vault, {"a.md/x.md": "x"})


def file_in_its_place(vault: Path) -> None:
    shutil.rmtree(vault / "b")
    (vault / "b").write_text("no folder")


def moved_out(vault: Path) -> None:
    (vault / "b").rename(vault.parent / "elsewhere")


def many(vault: Path) -> None:
    write_vault(vault, {f"new/{number}.md": "new" for number in range(101)})


def linked(vault: Path) -> None:
    shutil.rmtree(vault / "b")
    (vault / "b").symlink_to(vault)


@pytest.mark.parametrize(
    ("change", "told", "differ"),
    [
        (lambda vault: (vault / "a.md").write_text("one"), ["a.md"], {"a.md"}),
        (lambda vault: (vault / "a.md").unlink(), ["a.md"], {"a.md"}),
        (lambda vault: (vault / "a.md").rename(vault / "A.md"), ["a.md", "A.md"], {"a.md", "A.md"}),
        (lambda vault: (vault / "b").rename(vault / "d"), ["b", "d"], {"b/c.md", "d/c.md"}),
        (moved_out, ["b"], {"b/c.md"}),
        (folder_in_its_place, ["a.md"], {"a.md", "a.md/x.md"}),
        (file_in_its_place, ["b/c.md", "b"], {"b/c.md"}),
        (linked, ["b"], {"b/c.md"}),
        (lambda vault: (vault / "aliases.yaml").touch(), ["aliases.yaml"], {"aliases.yaml"}),
        (lambda vault: (vault / "b" / "~4913").touch(), ["b/~4913", "b/gone"], set()),
        (many, [f"new/{n}.md" for n in range(101)], {f"new/{n}.md" for n in range(101)}),
        (lambda vault: write_vault(vault, {"e/f.md": "new"}), ["e"], {"e/f.md"}),
    ],
    ids=[
        "saved", "deleted", "renamed", "a folder renamed", "a folder moved away",
        "a folder in a file's place", "a file in a folder's place", "a link in a folder's place",
        "aliases", "an editor's file", "very many", "a new folder, its file untold",
    ],
)  # fmt: skip
def test_a_look_at_what_was_told_of_sees_what_a_look_at_everything_does(
    tmp_path: Path, change: Callable[[Path], object], told: list[str], differ: set[str]
) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "two", "b/c.md": "three"})
    before = state(vault)
    change(vault)
    now = state_since(vault, before, told)
    assert now == state(vault)
    assert (differing(before, now) or set()) == differ


def test_where_there_is_no_folder_everything_differs(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "two"})
    before = state(vault)
    shutil.rmtree(vault)
    assert state_since(vault, before, ["a.md"]) is None
    assert differing(before, None) is None
    assert differing(None, before) is None
    assert differing(None, None) == frozenset()
