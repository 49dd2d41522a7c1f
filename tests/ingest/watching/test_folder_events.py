"""What the system tells of changes in a folder: the paths to look at, and nothing else."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.watching.folder_events import Heard, heard
from tests.conftest import write_vault


def next_burst(told: Iterator[Heard]) -> set[str]:
    return next(set(burst) for burst in told if burst is not None)


def saved_as_editors_do(vault: Path) -> None:
    (vault / ".a.md.swp").write_text("what an editor keeps")
    (vault / "a.md.tmp").write_text("one")
    (vault / "a.md.tmp").rename(vault / "a.md")
    (vault / "picture.png").write_text("x")


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (lambda vault: (vault / "b" / "c.md").write_text("one"), {"b/c.md"}),
        (lambda vault: (vault / "a.md").unlink(), {"a.md"}),
        (saved_as_editors_do, {"a.md"}),
        (lambda vault: (vault / "b").rename(vault / "d"), {"b", "d"}),
        (lambda vault: shutil.rmtree(vault / "b"), {"b", "b/c.md"}),
    ],
    ids=["saved", "deleted", "a second file and a rename", "a folder renamed", "a folder deleted"],
)
@pytest.mark.parametrize("root", ["vault", "a link"])
def test_the_paths_that_changed_are_told(
    tmp_path: Path, change: Callable[[Path], object], wanted: set[str], root: str
) -> None:
    vault = write_vault(tmp_path / ".hidden" / "vault", {"a.md": "two", "b/c.md": "three"})
    if root == "a link":
        (tmp_path / "link").symlink_to(vault)
    told = heard(vault if root == "vault" else tmp_path / "link")
    assert next(told) is None  # at once
    assert next(told) is None  # after a while without news, so that it does listen
    change(vault)
    burst = next_burst(told)
    assert wanted <= burst <= wanted | {"a.md.tmp"}  # what is gone may have been a folder


def test_a_folder_in_the_place_of_the_first_is_looked_at_and_followed(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "two"})
    told = heard(vault)
    assert (next(told), next(told)) == (None, None)
    vault.rename(tmp_path / "away")
    write_vault(vault, {"a.md": "three"})
    assert (next(told), next(told)) == (None, None)  # the new one, and after a while without news
    (vault / "a.md").write_text("four")
    assert next_burst(told) == {"a.md"}


def test_a_folder_with_dots_in_its_path_is_heard_by_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "# A\n"})
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    told = heard(Path("../vault"))
    assert (next(told), next(told)) == (None, None)
    (vault / "a.md").write_text("# B\n")
    assert next_burst(told) == {"a.md"}
