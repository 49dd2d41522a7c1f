"""Edits of a vault: exactly what changed is embedded and written, and nothing else is left."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import __main__ as program
from ingest import pipeline
from ingest.pipeline import Report
from retrieval.context import Rulebook
from retrieval.errors import IngestRunningError
from retrieval.index import generations
from retrieval.search import search
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import content, counts, found, revision, written

TORCHES, WEAPONS, HAZARDS = "1. Light/Torches.md", "2. Arms/Weapons.md", "2. Arms/Hazards.md"
Edit = Callable[[str], str]


def texts(rules: Rulebook) -> set[str]:
    """The hashes of all embedded texts."""
    with rules.store.connect(autocommit=True) as conn:
        return {row[0] for row in conn.execute("SELECT text_sha256 FROM entry")}


def vectors(rules: Rulebook) -> dict[str, str]:
    """The vectors of all embedded texts, to the last bit, by their hashes."""
    with rules.store.connect(autocommit=True) as conn:
        found = conn.execute("SELECT text_sha256, embedding::text FROM entry")
        return {sha256: vector for sha256, vector in found}


def by_words(rules: Rulebook, question: str) -> set[str]:
    """The files that full text search finds."""
    trace = search(rules, question).trace
    return {row.chunk_id.rsplit(":", 1)[0] for row in trace if row.text_rank is not None}


def ingest(rules: Rulebook, vault: Path) -> tuple[Report, int]:
    """The report, and how many texts the encoder itself said that it has read."""
    steps = [0]
    report = pipeline.run(rules, vault, progress=lambda _, done, total: steps.append(done))
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
    rulebook: Rulebook, vault: Path, name: str
) -> None:
    path, edit, changed = EDITS[name]
    before, kept = texts(rulebook), vectors(rulebook)
    (vault / path).write_bytes(edit(RULES[path]).encode())
    report, encoded = ingest(rulebook, vault)
    after = vectors(rulebook)
    assert report.plan.changed == (path,)
    assert report.embedded == encoded == len(after.keys() - before) == changed
    assert all(after[text] == kept[text] for text in after.keys() & kept.keys())


@pytest.mark.proves("promise 3")
def test_an_unchanged_vault_embeds_nothing_and_writes_no_row_of_any_table(
    rulebook: Rulebook, vault: Path
) -> None:
    (vault / "broken.md").write_bytes(b"\xff")
    os.utime(vault / WEAPONS, (1, 1))  # touched
    (vault / TORCHES).write_text(RULES[TORCHES], "utf-8")  # saved as it was
    before = (written(rulebook), revision(rulebook), content(rulebook))
    report, encoded = ingest(rulebook, vault)
    assert (report.embedded, encoded, len(report.plan.unchanged)) == (0, 0, 3)
    assert (written(rulebook), revision(rulebook), content(rulebook)) == before
    write_vault(vault, {WEAPONS: RULES[WEAPONS] + "\n"})
    pipeline.run(rulebook, vault)
    assert written(rulebook) > before[0]  # the count does count


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
    rulebook: Rulebook, vault: Path, new: str
) -> None:
    entries = counts(rulebook)["entry"]
    (vault / new).parent.mkdir(exist_ok=True)
    (vault / TORCHES).rename(vault / new)
    report, encoded = ingest(rulebook, vault)
    assert (report.plan.added, report.plan.removed) == ((new,), (TORCHES,))
    assert report.embedded == encoded == 0
    assert counts(rulebook)["entry"] == entries
    paths = found(rulebook, "How long does a torch burn?", top_k=50)
    assert new in paths
    assert TORCHES not in paths


@pytest.mark.proves("promise 5", "row 12")
def test_words_of_the_new_name_are_searched_and_those_of_the_old_no_more(
    rulebook: Rulebook, vault: Path
) -> None:
    new = "3. Zeppelins/Dragonfire.md"
    assert by_words(rulebook, "arms") == {WEAPONS, HAZARDS}
    (vault / new).parent.mkdir()
    (vault / WEAPONS).rename(vault / new)
    pipeline.run(rulebook, vault)
    assert by_words(rulebook, "zeppelins") == by_words(rulebook, "dragonfire") == {new}
    assert by_words(rulebook, "arms") == {HAZARDS}


@pytest.mark.proves("promise 3", "row 12")
def test_a_file_whose_title_is_its_name_embeds_what_stands_under_the_new_title(
    rulebook: Rulebook, vault: Path
) -> None:
    write_vault(vault, {"Rope.md": "A rope holds three people.\n"})
    pipeline.run(rulebook, vault)
    (vault / "Rope.md").rename(vault / "Chain.md")
    assert ingest(rulebook, vault)[1] == 1
    assert "Chain.md" in found(rulebook, "How many people does a chain hold?", top_k=1)


@pytest.mark.proves("promise 5", "row 12")
def test_two_files_with_the_same_content_are_two_files(rulebook: Rulebook, vault: Path) -> None:
    twin = "9. Light/Torches.md"
    before, entries = content(rulebook), counts(rulebook)["entry"]
    write_vault(vault, {twin: RULES[TORCHES]})
    report, encoded = ingest(rulebook, vault)
    assert (report.plan.added, encoded) == ((twin,), 0)
    assert counts(rulebook)["entry"] > entries
    assert {TORCHES, twin} <= set(found(rulebook, "How long does a torch burn?", top_k=50))
    (vault / twin).unlink()
    report, encoded = ingest(rulebook, vault)
    assert (report.plan.removed, encoded) == ((twin,), 0)
    assert content(rulebook) == before


def test_a_reading_of_the_vault_that_is_older_than_another_ingest_is_not_written(
    rulebook: Rulebook, vault: Path
) -> None:
    # The lock comes first: a folder that is not there would be an error of its reading.
    with rulebook.store.connect(autocommit=True) as conn:
        generations.lock(conn)
        with pytest.raises(IngestRunningError):
            pipeline.run(rulebook, vault / "missing")


@pytest.mark.proves("row 13")
@pytest.mark.parametrize("how", ["emptied", "gone", "one file left of many", "only pictures left"])
def test_a_vault_that_went_away_ends_with_2_and_deletes_no_row(
    environment: Path,
    rulebook: Rulebook,
    vault: Path,
    capsys: pytest.CaptureFixture[str],
    how: str,
) -> None:
    many = {f"4. Many/{n}.md": f"# Rule {n}\n\nA rule.\n" for n in range(22)}
    write_vault(vault, many if how == "one file left of many" else {})
    pipeline.run(rulebook, vault)
    before = (written(rulebook), content(rulebook))
    for file in sorted(vault.rglob("*.md"), reverse=True)[: -1 if "left of" in how else None]:
        file.unlink()
    if how == "only pictures left":
        write_vault(vault, {"map.png": "x"})
    if how == "gone":
        vault.rename(vault.with_name("unmounted"))
    assert program.main([]) == 2
    told = capsys.readouterr().err
    assert "no folder" in told if how == "gone" else "--allow-mass-delete" in told
    assert (written(rulebook), content(rulebook)) == before
