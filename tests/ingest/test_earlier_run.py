"""A run that knows what an earlier one read and which paths changed since."""

from pathlib import Path

import pytest

from ingest import pipeline
from ingest.read import walk
from retrieval.context import SearchContext
from retrieval.index import generations
from tests.support.index.index_state import content

TORCHES, HAZARDS = "1. Light/Torches.md", "2. Arms/Hazards.md"


def test_an_edit_after_a_run_takes_no_look_at_other_files_and_no_list_of_the_index(
    search_context: SearchContext, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pipeline.run(search_context, vault)
    (vault / TORCHES).write_text("# Torches\n\nA torch burns a year.\n", "utf-8")
    (vault / HAZARDS).unlink()
    second = pipeline.run(search_context, vault, earlier=first.left, changed={TORCHES, HAZARDS})
    assert (second.plan.changed, second.plan.removed) == ((TORCHES,), (HAZARDS,))
    monkeypatch.setattr(generations, "file_hashes", None)
    monkeypatch.setattr(walk, "_open_folder", None)
    third = pipeline.run(search_context, vault, earlier=second.left, changed=set())
    assert not third.plan.changes
    assert third.files == second.files


def test_an_index_that_others_changed_since_is_compared_whole(
    search_context: SearchContext, vault: Path
) -> None:
    pipeline.run(search_context, vault)
    (vault / TORCHES).write_text("# Torches\n\nA torch burns a year.\n", "utf-8")
    first = pipeline.run(search_context, vault, rebuild=True)
    wanted = content(search_context)
    pipeline.roll_back(search_context)
    assert content(search_context) != wanted
    second = pipeline.run(search_context, vault, earlier=first.left, changed=set())
    assert second.plan.changed == (TORCHES,)
    assert content(search_context) == wanted


def test_what_a_run_rejected_is_compared_again(search_context: SearchContext, vault: Path) -> None:
    first = pipeline.run(search_context, vault)
    text = (vault / TORCHES).read_text("utf-8")
    (vault / TORCHES).write_bytes(b"# Torches\n\xff")
    second = pipeline.run(search_context, vault, earlier=first.left, changed={TORCHES})
    assert [error.path for error in second.rejected] == [TORCHES]
    (vault / TORCHES).write_text(text + "\nIt goes out.\n", "utf-8")
    third = pipeline.run(search_context, vault, earlier=second.left, changed={TORCHES})
    assert third.plan.changed == (TORCHES,)
