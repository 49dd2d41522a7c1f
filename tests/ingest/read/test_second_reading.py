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


@pytest.mark.parametrize(
    "change", [rewritten, renamed_over, set_back, Path.unlink, made_unreadable, linked]
)
def test_with_the_paths_that_changed_a_second_reading_is_as_a_whole_one(
    root: Path, change: Callable[[Path], None]
) -> None:
    write_vault(root, {"a.md": "elf!", "b/c.md": "orc", "good.md": "imp"})
    first = vault.read(root)
    change(root / "a.md")
    second = vault.read(root, first, {"a.md"})
    assert texts(second) == texts(vault.read(root))
    assert reasons(second) == reasons(vault.read(root))


def test_what_is_known_not_to_have_changed_is_not_looked_at(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stable_read, "YOUNG", 0.0)
    write_vault(root, {"a.md": "elf", "b/c.md": "orc", "b/d.md": "imp"})
    first = vault.read(root)
    for name in ("a.md", "b/c.md", "new.md"):
        (root / name).write_text("bard", "utf-8")
    assert texts(vault.read(root, first, {"b/c.md"})) == {
        **texts(first), "b/c.md": "bard"
    }  # fmt: skip
    changed = {"a.md", "b/c.md", "new.md", "gone.md"}
    assert texts(vault.read(root, first, changed)) == texts(vault.read(root))


@pytest.mark.parametrize(
    "wrong",
    [
        {"aliases.yaml": "AC: armour class\n"},
        {"cafe\N{COMBINING ACUTE ACCENT}.md": "bard"},
        {"b/c.md": ""},
    ],
    ids=["aliases", "a name that is stored otherwise", "a file that may be half written"],
)
def test_where_a_look_at_some_paths_is_not_enough_all_is_read(
    root: Path, wrong: dict[str, str]
) -> None:
    write_vault(root, {"a.md": "elf", "b/c.md": "orc"})
    first = vault.read(root)
    write_vault(root, wrong)
    (root / "a.md").write_text("bard", "utf-8")
    assert vault.read(root, first, set(wrong)) == vault.read(root)


def test_a_reading_in_which_a_file_was_rejected_is_no_ground_for_one_of_some_paths(
    root: Path,
) -> None:
    write_vault(root, {"a.md": "elf"})
    (root / "bad.md").write_bytes(b"\xff")
    first = vault.read(root)
    write_vault(root, {"bad.md": "good now"})
    assert texts(vault.read(root, first, {"a.md"})) == texts(vault.read(root))
