"""Reading a folder again: what nobody wrote to since is taken as it was read before."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.read import stable_read, vault
from tests.conftest import write_vault
from tests.support.index.vault_root import reasons, texts


def rewritten(path: Path) -> None:
    path.write_text("bard", "utf-8")  # as long as before


def renamed_over(path: Path) -> None:
    other = path.with_suffix(".tmp")
    other.write_text("bard", "utf-8")
    other.rename(path)


def set_back(path: Path) -> None:
    status = path.stat()
    rewritten(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # its time of change is another


def made_unreadable(path: Path) -> None:
    path.write_bytes(b"\xff")


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("good.md")


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (rewritten, "bard"), (renamed_over, "bard"), (set_back, "bard"), (Path.unlink, None),
        (made_unreadable, None), (linked, None),
    ],
)  # fmt: skip
def test_a_second_reading_has_what_changed_and_reads_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], text: str | None
) -> None:
    write_vault(root, {"a.md": "elf!", "b/c.md": "orc"})
    first = vault.read(root)
    assert texts(vault.read(root, first)) == texts(first)
    change(root / "a.md")
    opened: list[str] = []
    read = stable_read.read

    def noted(path: str, name: str, folder_fd: int) -> stable_read.FileRead:
        opened.append(path)
        return read(path, name, folder_fd)

    monkeypatch.setattr(stable_read, "read", noted)
    second = vault.read(root, first)
    assert set(opened) <= {"a.md"}
    assert texts(second) == texts(vault.read(root))
    assert texts(second).get("a.md") == text
    assert reasons(second) == reasons(vault.read(root))


def test_a_file_with_another_name_outside_is_not_taken_as_read_before(
    root: Path, tmp_path: Path
) -> None:
    write_vault(root, {"a.md": "elf!"})
    first = vault.read(root)
    (tmp_path / "outside.md").hardlink_to(root / "a.md")
    assert "a.md" in reasons(vault.read(root, first))
