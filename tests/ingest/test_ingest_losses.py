"""Files that go, cannot be read or seem to be gone: the index loses nothing that was not meant."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from ingest import pipeline
from ingest import plan as plans
from ingest.read.vault import SourceFile, VaultFiles
from retrieval.context import SearchContext
from retrieval.errors import VaultError
from retrieval.search import search
from tests.conftest import write_vault
from tests.support.index.index_state import content, counts, found, generation


@pytest.mark.proves("promise 5", "row 12")
def test_a_deleted_file_is_found_no_more(search_context: SearchContext, vault: Path) -> None:
    (vault / "1. Light/Torches.md").unlink()
    report = pipeline.run(search_context, vault)
    assert report.plan.removed == ("1. Light/Torches.md",)
    assert (report.files, report.embedded) == (2, 0)
    for question in ("How long does a torch burn?", "torch", "water"):
        assert "1. Light/Torches.md" not in found(search_context, question, top_k=50)


@pytest.mark.proves("promise 6")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"A torch burns for two hours.\xff", "not UTF-8"),
        (b"---\ntitle: *x\n---\nA torch burns for two hours.", "aliases"),
        (b"a" * 5_000_001, "5,000,000 bytes"),
    ],
)
def test_a_rejected_file_keeps_what_the_index_has_and_the_others_go_in(
    search_context: SearchContext, vault: Path, data: bytes, reason: str
) -> None:
    (vault / "1. Light/Torches.md").write_bytes(data)
    (vault / "1. Light/Broken.md").write_bytes(data)
    write_vault(vault, {"1. Light/Lamps.md": "# Lamps\n\nA lamp burns for four hours.\n"})
    report = pipeline.run(search_context, vault)
    assert [e.path for e in report.rejected] == ["1. Light/Broken.md", "1. Light/Torches.md"]
    assert all(reason in error.reason for error in report.rejected)
    assert report.files == 4
    assert (report.plan.added, report.plan.changed) == (("1. Light/Lamps.md",), ())
    (hit,) = search(search_context, "How long does a torch burn?", top_k=1).hits
    assert "A torch burns for one hour." in hit.chunk.text
    assert found(search_context, "How long does a lamp burn?")[0] == "1. Light/Lamps.md"


@pytest.mark.proves("promise 6", "row 13")
def test_a_folder_that_cannot_be_entered_keeps_what_the_index_has(
    search_context: SearchContext, vault: Path
) -> None:
    (vault / "2. Arms").rename(vault.parent / "moved")
    (vault / "2. Arms").symlink_to(vault.parent / "moved")
    report = pipeline.run(search_context, vault)
    assert [error.path for error in report.rejected] == ["2. Arms"]
    assert report.plan.removed == ()
    assert report.files == 3


def test_a_mended_file_goes_in_with_the_next_ingest(
    search_context: SearchContext, vault: Path
) -> None:
    (vault / "1. Light/Torches.md").write_bytes(b"\xff")
    pipeline.run(search_context, vault)
    write_vault(vault, {"1. Light/Torches.md": "# Torches\n\nA torch burns for two hours.\n"})
    report = pipeline.run(search_context, vault)
    assert (report.rejected, report.plan.changed) == ((), ("1. Light/Torches.md",))


@pytest.mark.proves("row 13")
def test_a_mass_delete_must_be_meant(search_context: SearchContext, vault: Path) -> None:
    many = {f"4. Many/{n}.md": f"# Rule {n}\n\nA rule.\n" for n in range(12)}
    write_vault(vault, many)
    pipeline.run(search_context, vault)
    before = counts(search_context)
    for path in many:
        (vault / path).unlink()
    with pytest.raises(VaultError, match="12 of the index's 15 files"):
        pipeline.run(search_context, vault)
    assert counts(search_context) == before
    report = pipeline.run(search_context, vault, allow_mass_delete=True)
    assert (len(report.plan.removed), report.files) == (12, 3)
    assert generation(search_context, report) == (3, report.chunks)


@pytest.mark.parametrize(
    ("here", "is_refused"),
    [
        ("README.md=other b1=1 b2=2 b3=3", True),  # one common name
        ("README.md=readme b1=1 b2=2 b3=3", True),  # and the same words in it
        ("README.md=new a1=one b2=2 b3=3", False),
        ("README.md=readme", False),  # nothing new: the others were deleted
        ("Rules/README.md=readme Rules/a1=one Rules/a2=two Rules/a3=changed", False),
        ("README.md=readme c1=one c2=two c3=three", False),  # renamed
    ],
)
def test_another_vault_is_known_by_the_share_of_files_that_are_its_own(
    here: str, is_refused: bool
) -> None:
    indexed = {"README.md": "readme", "a1": "one", "a2": "two", "a3": "three"}
    pairs = [one.split("=") for one in here.split()]
    found = VaultFiles(tuple(SourceFile(path, "", words, 0) for path, words in pairs), (), ())
    plan = plans.make(found, indexed, rebuild=False)
    with pytest.raises(VaultError, match="of the index's 4 files") if is_refused else nullcontext():
        # That files may go says nothing of another vault's coming.
        plans.refuse_odd_vault(Path("vault"), found, plan, indexed, plans.Allowed(mass_delete=True))


def test_many_files_may_be_moved_and_not_be_deleted_meanwhile(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {f"a/{n}.md": f"# Rule {n}\n\nA rule.\n" for n in range(24)})
    pipeline.run(search_context, vault)
    (vault / "a").rename(vault / "b")
    report = pipeline.run(search_context, vault)
    assert (len(report.plan.added), len(report.plan.removed)) == (24, 24)
    (vault / "b").rename(vault / "c")
    for n in range(14):
        (vault / f"c/{n}.md").unlink()
    with pytest.raises(VaultError, match=r"24 of the index's 27 files .*--allow-mass-delete$"):
        pipeline.run(search_context, vault)


def test_another_vault_takes_no_index_over_and_a_moved_folder_does(
    search_context: SearchContext, vault: Path, tmp_path: Path
) -> None:
    before = content(search_context)
    other = write_vault(tmp_path / "other", {"Leave.md": "# Leave\n\nLeave is 25 days.\n"})
    for allowed in (False, True):
        with pytest.raises(VaultError, match=r"3 of the index's 3 files .*--replace$"):
            pipeline.run(search_context, other, allow_mass_delete=allowed)
    assert content(search_context) == before
    moved = tmp_path / "moved"
    moved.mkdir()
    vault.rename(moved / "Rules")
    report = pipeline.run(search_context, moved)
    assert (len(report.plan.added), len(report.plan.removed)) == (3, 3)
    report = pipeline.run(search_context, other, replace_vault=True)
    assert (report.plan.added, report.files) == (("Leave.md",), 1)


def test_to_replace_a_vault_is_not_to_lose_most_of_it(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {f"4. Many/{n}.md": f"# Rule {n}\n\nA rule.\n" for n in range(12)})
    pipeline.run(search_context, vault)
    before = content(search_context)
    for file in (vault / "4. Many").iterdir():
        file.unlink()
    with pytest.raises(VaultError, match=r"12 of the index's 15 files .*--allow-mass-delete$"):
        pipeline.run(search_context, vault, replace_vault=True)
    for file in vault.rglob("*.md"):
        file.unlink()
    with pytest.raises(VaultError, match=r"15 of the index's 15 files .*--allow-mass-delete$"):
        pipeline.run(search_context, vault, replace_vault=True)
    assert content(search_context) == before


@pytest.mark.proves("row 13", "promise 5")
@pytest.mark.parametrize("rebuild", [False, True])
def test_a_folder_that_was_meant_to_be_empty_empties_the_index(
    search_context: SearchContext, vault: Path, rebuild: bool
) -> None:
    for file in vault.rglob("*.md"):
        file.unlink()
    with pytest.raises(VaultError, match="--allow-mass-delete"):
        pipeline.run(search_context, vault, rebuild=rebuild)
    report = pipeline.run(search_context, vault, rebuild=rebuild, allow_mass_delete=True)
    assert (report.files, report.chunks) == (0, 0)
    assert found(search_context, "How long does a torch burn?", top_k=50) == []
