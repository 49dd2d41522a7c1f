"""Edits of a vault: exactly what changed is embedded and written, and nothing else is left."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import __main__ as program
from ingest import pipeline
from ingest.pipeline import IngestReport
from retrieval.context import SearchContext
from retrieval.errors import IngestRunningError
from retrieval.index import generations
from retrieval.search import search
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import content, counts, found, revision, written

TORCHES, WEAPONS, HAZARDS = "1. Light/Torches.md", "2. Arms/Weapons.md", "2. Arms/Hazards.md"
Edit = Callable[[str], str]


def texts(context: SearchContext) -> set[str]:
    """The hashes of all embedded texts."""
    with context.store.connect(autocommit=True) as conn:
        return {row[0] for row in conn.execute("SELECT text_sha256 FROM entry")}


def vectors(context: SearchContext) -> dict[str, str]:
    """The vectors of all embedded texts, to the last bit, by their hashes."""
    with context.store.connect(autocommit=True) as conn:
        found = conn.execute("SELECT text_sha256, embedding::text FROM entry")
        return {sha256: vector for sha256, vector in found}


def by_words(context: SearchContext, question: str) -> set[str]:
    """The files that full text search finds."""
    trace = search(context, question).trace
    return {row.chunk_id.rsplit(":", 1)[0] for row in trace if row.text_rank is not None}


def ingest(context: SearchContext, vault: Path) -> tuple[IngestReport, int]:
    """The report, and how many texts the encoder itself said that it has read."""
    steps = [0]
    report = pipeline.run(context, vault, progress=lambda _, done, total: steps.append(done))
    return report, steps[-1]


EDITS: dict[str, tuple[str, Edit, int]] = {
    "a number": (HAZARDS, lambda text: text.replace("1d6 for each", "2d6 for each"), 2),
    "a new paragraph": (TORCHES, lambda text: text + "\nA wet torch smokes.\n", 2),
    "paragraphs swapped": (
        HAZARDS, lambda text: "# Hazards\n\n" + "\n".join(
            f"## {part}" for part in reversed(text.split("## ")[1:])), 1),
    "a table row": (WEAPONS, lambda text: text.replace("| 7 |", "| 8 |"), 2),
    "a table row less": (WEAPONS, lambda text: text.replace("| Dagger | 3 | 1d4 |\n", ""), 1),
    "a heading": (HAZARDS, lambda text: text.replace("## Falling", "## Falls"), 2),
    "blank lines": (TORCHES, lambda text: text.replace("\n\n", "\n\n\n"), 0),
    "line ends": (TORCHES, lambda text: text.replace("\n", "\r\n"), 0),
}  # fmt: skip


@pytest.mark.proves("promise 3")
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_embeds_exactly_the_texts_that_changed(
    search_context: SearchContext, vault: Path, name: str
) -> None:
    path, edit, changed = EDITS[name]
    before, kept = texts(search_context), vectors(search_context)
    (vault / path).write_bytes(edit(RULES[path]).encode())
    report, encoded = ingest(search_context, vault)
    after = vectors(search_context)
    assert report.plan.changed == (path,)
    assert report.embedded == encoded == len(after.keys() - before) == changed
    assert all(after[text] == kept[text] for text in after.keys() & kept.keys())


@pytest.mark.proves("promise 3", "row 12", "row 17")
def test_an_unchanged_vault_embeds_nothing_and_writes_no_row_of_any_table(
    search_context: SearchContext, vault: Path
) -> None:
    (vault / "broken.md").write_bytes(b"\xff")
    os.utime(vault / WEAPONS, (1, 1))  # touched
    (vault / TORCHES).write_text(RULES[TORCHES], "utf-8")  # saved as it was
    before = (written(search_context), revision(search_context), content(search_context))
    report, encoded = ingest(search_context, vault)
    assert (report.embedded, encoded, len(report.plan.unchanged)) == (0, 0, 3)
    assert (written(search_context), revision(search_context), content(search_context)) == before
    write_vault(vault, {WEAPONS: RULES[WEAPONS] + "\n"})
    pipeline.run(search_context, vault)
    assert written(search_context) > before[0]  # the count does count


@pytest.mark.proves("promise 3", "promise 5", "row 12")
@pytest.mark.parametrize(
    "new",
    [
        "7. Light/Torches.md",
        "1. Light/4. Torches.markdown",
        "1. Light/torches.md",  # on some systems no other name
        "3. Zeppelins/Dragonfire.md",
    ],
)
def test_a_renamed_file_embeds_nothing_and_is_found_under_its_new_name_alone(
    search_context: SearchContext, vault: Path, new: str
) -> None:
    entries = counts(search_context)["entry"]
    (vault / new).parent.mkdir(exist_ok=True)
    (vault / TORCHES).rename(vault / new)
    report, encoded = ingest(search_context, vault)
    assert (report.plan.added, report.plan.removed) == ((new,), (TORCHES,))
    assert report.embedded == encoded == 0
    assert counts(search_context)["entry"] == entries
    paths = found(search_context, "How long does a torch burn?", top_k=50)
    assert new in paths
    assert TORCHES not in paths


@pytest.mark.proves("promise 5", "row 12")
def test_words_of_the_new_name_are_searched_and_those_of_the_old_no_more(
    search_context: SearchContext, vault: Path
) -> None:
    new = "3. Zeppelins/Dragonfire.md"
    assert by_words(search_context, "arms") == {WEAPONS, HAZARDS}
    (vault / new).parent.mkdir()
    (vault / WEAPONS).rename(vault / new)
    pipeline.run(search_context, vault)
    assert by_words(search_context, "zeppelins") == by_words(search_context, "dragonfire") == {new}
    assert by_words(search_context, "arms") == {HAZARDS}


@pytest.mark.proves("promise 3", "row 12")
def test_a_file_whose_title_is_its_name_embeds_what_stands_under_the_new_title(
    search_context: SearchContext, vault: Path
) -> None:
    write_vault(vault, {"Rope.md": "A rope holds three people.\n"})
    pipeline.run(search_context, vault)
    (vault / "Rope.md").rename(vault / "Chain.md")
    assert ingest(search_context, vault)[1] == 1
    assert "Chain.md" in found(search_context, "How many people does a chain hold?", top_k=1)


@pytest.mark.proves("promise 5", "row 12")
def test_two_files_with_the_same_content_are_two_files(
    search_context: SearchContext, vault: Path
) -> None:
    twin = "9. Light/Torches.md"
    before, entries = content(search_context), counts(search_context)["entry"]
    write_vault(vault, {twin: RULES[TORCHES]})
    report, encoded = ingest(search_context, vault)
    assert (report.plan.added, encoded) == ((twin,), 0)
    assert counts(search_context)["entry"] > entries
    assert {TORCHES, twin} <= set(found(search_context, "How long does a torch burn?", top_k=50))
    (vault / twin).unlink()
    report, encoded = ingest(search_context, vault)
    assert (report.plan.removed, encoded) == ((twin,), 0)
    assert content(search_context) == before


def test_a_reading_of_the_vault_that_is_older_than_another_ingest_is_not_written(
    search_context: SearchContext, vault: Path
) -> None:
    # The lock comes first: a folder that is not there would be an error of its reading.
    with search_context.store.connect(autocommit=True) as conn:
        generations.lock(conn)
        with pytest.raises(IngestRunningError):
            pipeline.run(search_context, vault / "missing")


@pytest.mark.proves("row 13")
@pytest.mark.parametrize("how", ["emptied", "gone", "one file left of many", "only pictures left"])
def test_a_vault_that_went_away_ends_with_2_and_deletes_no_row(
    environment: Path,
    search_context: SearchContext,
    vault: Path,
    capsys: pytest.CaptureFixture[str],
    how: str,
) -> None:
    many = {f"4. Many/{n}.md": f"# Rule {n}\n\nA rule.\n" for n in range(22)}
    write_vault(vault, many if how == "one file left of many" else {})
    pipeline.run(search_context, vault)
    before = (written(search_context), content(search_context))
    for file in sorted(vault.rglob("*.md"), reverse=True)[: -1 if "left of" in how else None]:
        file.unlink()
    if how == "only pictures left":
        write_vault(vault, {"map.png": "x"})
    if how == "gone":
        vault.rename(vault.with_name("unmounted"))
    assert program.main([]) == 2
    told = capsys.readouterr().err
    assert "no folder" in told if how == "gone" else "--allow-mass-delete" in told
    assert (written(search_context), content(search_context)) == before
