"""Generations: built beside, measured, promoted at once, and a way back."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from psycopg.types.json import Jsonb

from ingest import pipeline
from ingest.prepare import Gate
from retrieval.context import SearchContext
from retrieval.errors import GateRefusedError, IndexMismatchError, IndexMissingError, VaultError
from retrieval.index import generations, writer
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import content, counts, found, generation, revision

TORCHES, WEAPONS, HAZARDS = "1. Light/Torches.md", "2. Arms/Weapons.md", "2. Arms/Hazards.md"
QUESTION = "How long does a torch burn?"
LAMPS = {"1. Light/Lamps.md": "# Lamps\n\nA lamp burns for four hours.\n"}


def states(context: SearchContext) -> dict[int, str]:
    with context.store.connect(autocommit=True) as conn:
        return {row[0]: row[1] for row in conn.execute("SELECT id, state FROM generation")}


def change(context: SearchContext, statement: str, *values: object) -> None:
    with context.store.connect(autocommit=True) as conn:
        conn.execute(statement.encode(), values)


def gate(*statuses: int, doing: Callable[[int], object] = int) -> tuple[list[int], Gate]:
    """A gate that ends with these statuses, the last again and again, and whom it measured."""
    asked: list[int] = []

    def measure(generation_id: int, _: Path) -> int:
        asked.append(generation_id)
        doing(len(asked))
        return statuses[min(len(asked), len(statuses)) - 1]

    return asked, measure


def test_a_rebuild_takes_the_place_of_the_live_generation_and_keeps_it(
    search_context: SearchContext, vault: Path
) -> None:
    before, (first,) = content(search_context), states(search_context)
    second = pipeline.run(search_context, vault, rebuild=True)
    assert (second.plan.rebuild, second.embedded) == (True, 0)
    assert states(search_context) == {first: "previous", second.generation_id: "live"}
    assert content(search_context) == before
    third = pipeline.run(search_context, vault, rebuild=True)
    assert states(search_context) == {second.generation_id: "previous", third.generation_id: "live"}
    with search_context.store.connect(autocommit=True) as conn:
        assert conn.execute("SELECT 1 FROM entry WHERE generation_id = %s", [first]).rowcount == 0


def test_a_rebuild_mends_an_index_that_was_damaged(
    search_context: SearchContext, vault: Path
) -> None:
    before = content(search_context)
    change(
        search_context,
        "UPDATE entry SET embedding = embedding * array_fill(0, ARRAY[384])::vector "
        "WHERE kind = 'row'",
    )
    change(search_context, "UPDATE chunk SET text = 'A torch burns for nine hours.'")
    change(search_context, "DELETE FROM posting")
    report = pipeline.run(search_context, vault, rebuild=True)
    assert report.embedded == 2  # the two rows of the table
    # The last column is the vector, whose last bits depend on the other texts of its batch.
    assert [row[:-1] for row in content(search_context)] == [row[:-1] for row in before]
    with search_context.store.connect(autocommit=True) as conn:
        odd = conn.execute(
            "SELECT 1 FROM entry JOIN generation AS g ON g.id = generation_id "
            "WHERE state = 'live' AND abs(vector_norm(embedding) - 1) > 1e-3"
        )
        assert odd.fetchall() == []
    assert found(search_context, QUESTION)[0] == TORCHES


@pytest.mark.proves("promise 1", "promise 7", "row 15")
def test_readers_have_the_old_generation_until_one_of_another_model_is_whole(
    search_context: SearchContext, vault: Path
) -> None:
    fingerprint = "UPDATE generation SET fingerprint = fingerprint || %s"
    change(search_context, fingerprint, Jsonb({"model_digest": "0" * 64}))
    before, name, seen = content(search_context), revision(search_context), []

    def look(_: str, done: int, total: int) -> None:
        seen.append((done, total, revision(search_context), content(search_context) == before))

    report = pipeline.run(search_context, vault, progress=look)
    texts = len({row[8] for row in before})
    assert report.embedded == texts  # no vector of another model is taken over
    assert seen[-1] == (texts, texts, name, True)
    assert list(states(search_context).values()) == ["previous", "live"]
    assert found(search_context, QUESTION)[0] == TORCHES


@pytest.mark.proves("promise 5")
def test_edits_that_arrive_during_a_rebuild_are_in_its_result(
    search_context: SearchContext, vault: Path
) -> None:
    def edit(number: int) -> None:
        if number == 1:
            write_vault(vault, {WEAPONS: RULES[WEAPONS].replace("| 7 |", "| 9 |"), **LAMPS})
            (vault / TORCHES).unlink()
        if number == 2:
            (vault / "late.md").write_bytes(b"\xff")

    asked, measure = gate(0, doing=edit)
    report = pipeline.run(search_context, vault, gate=measure)
    assert asked == [report.generation_id] * 2  # what is promoted is what was measured
    assert (report.plan.added, report.plan.removed) == (tuple(LAMPS), (TORCHES,))
    assert [error.path for error in report.rejected] == ["late.md"]
    assert (report.gated, report.embedded > 2) == (True, True)
    rebuilt = content(search_context)
    assert {row[0] for row in rebuilt} == {WEAPONS, HAZARDS, *LAMPS}
    assert "| Battle axe | 9 |" in str(rebuilt)
    assert not pipeline.run(search_context, vault).plan.changes


def test_a_vault_that_changes_all_the_time_is_promoted_as_last_read_and_never_unmeasured(
    search_context: SearchContext, vault: Path
) -> None:
    def write(number: int) -> None:
        write_vault(vault, {"busy.md": f"# Busy\n\nRule {number}.\n"})

    before, numbers = content(search_context), count()
    asked, measure = gate(0, doing=write)
    with pytest.raises(GateRefusedError, match="changed during each of 5 measurements"):
        pipeline.run(search_context, vault, gate=measure)
    assert len(asked) == 5
    assert (content(search_context), list(states(search_context).values())) == (before, ["live"])
    report = pipeline.run(
        search_context, vault, rebuild=True, progress=lambda *_: write(next(numbers))
    )
    assert "changed during each of 5 readings" in report.notes[-1]
    assert f"Rule {next(numbers) - 2}." in str(content(search_context))


@pytest.mark.proves("row 13")
def test_a_vault_that_goes_away_during_a_rebuild_leaves_the_live_generation(
    search_context: SearchContext, vault: Path
) -> None:
    before = content(search_context)
    moved = vault.with_name("moved")
    _, measure = gate(0, doing=lambda _: vault.rename(moved))
    with pytest.raises(VaultError, match="no folder"):
        pipeline.run(search_context, vault, gate=measure)
    assert content(search_context) == before
    moved.rename(vault)
    _, measure = gate(0, doing=lambda _: vault.rename(moved) and write_vault(vault, {"a.png": ""}))
    with pytest.raises(VaultError, match="3 of the index's 3 files"):
        pipeline.run(search_context, vault, gate=measure)
    assert content(search_context) == before
    write_vault(vault, RULES)
    assert pipeline.run(search_context, vault).embedded == 0
    assert list(states(search_context).values()) == ["live"]  # what was built went with this ingest


@pytest.mark.parametrize(("status", "why"), [(1, "did not pass"), (2, "could not be measured")])
def test_a_generation_that_the_gate_refuses_is_gone_and_the_live_one_stays(
    search_context: SearchContext, vault: Path, status: int, why: str
) -> None:
    write_vault(vault, LAMPS)
    before, name = content(search_context), revision(search_context)
    (live,) = states(search_context)
    with pytest.raises(GateRefusedError, match=f"{why}.*generation {live} is live as before"):
        pipeline.run(search_context, vault, gate=gate(status)[1])
    assert (content(search_context), revision(search_context)) == (before, name)
    assert states(search_context) == {live: "live"}


@pytest.mark.proves("promise 2", "row 9")
def test_what_a_crash_left_of_a_generation_is_removed_by_the_next_ingest(
    search_context: SearchContext, vault: Path
) -> None:
    before = counts(search_context)
    (live,) = states(search_context)
    with search_context.store.connect(autocommit=True) as conn:
        generations.lock(conn)
        half = generations.create(conn, {}, "building")
        writer.take_over(conn, live, half, [TORCHES, WEAPONS])
    assert counts(search_context)["entry"] > before["entry"]
    assert found(search_context, QUESTION) == found(search_context, QUESTION, generation_id=live)
    assert pipeline.run(search_context, vault).embedded == 0
    assert counts(search_context) == before


@pytest.mark.parametrize("broken", [b"\xff", b"---\ntitle: *x\n---\nText."])
def test_a_file_that_cannot_be_read_is_in_a_rebuilt_index_as_it_was(
    search_context: SearchContext, vault: Path, broken: bytes
) -> None:
    before = content(search_context)
    (vault / TORCHES).write_bytes(broken)
    report = pipeline.run(search_context, vault, rebuild=True)
    assert [error.path for error in report.rejected] == [TORCHES]
    assert generation(search_context, report) == (3, report.chunks)
    assert content(search_context) == before
    assert found(search_context, "torch water")[0] == TORCHES


def test_a_rollback_brings_the_previous_generation_back_and_another_one_forward(
    search_context: SearchContext, vault: Path
) -> None:
    with pytest.raises(IndexMissingError, match="--rebuild"):
        pipeline.roll_back(search_context)
    before, (first,) = content(search_context), states(search_context)
    write_vault(vault, LAMPS)
    second = pipeline.run(search_context, vault, rebuild=True).generation_id
    after = content(search_context)
    assert pipeline.roll_back(search_context).id == first
    assert (content(search_context), states(search_context)) == (
        before,
        {first: "live", second: "previous"},
    )
    assert pipeline.roll_back(search_context).id == second
    assert (content(search_context), states(search_context)) == (
        after,
        {first: "previous", second: "live"},
    )
    pipeline.roll_back(search_context)
    assert (
        pipeline.run(search_context, vault).embedded == 0
    )  # its vectors are known from the other one
    assert content(search_context) == after


def test_a_rollback_to_another_model_is_refused_and_says_what_to_set(
    search_context: SearchContext, vault: Path
) -> None:
    old = Jsonb({"model": "other/model", "model_digest": "0" * 64})
    change(search_context, "UPDATE generation SET fingerprint = fingerprint || %s", old)
    pipeline.run(search_context, vault)
    before = states(search_context)
    with pytest.raises(IndexMismatchError, match=r"'other/model'.*EMBEDDING_MODEL"):
        pipeline.roll_back(search_context)
    assert states(search_context) == before


def test_a_generation_that_is_gone_is_not_promoted(search_context: SearchContext) -> None:
    before = states(search_context)
    with search_context.store.connect(autocommit=True) as conn:
        generations.lock(conn)
        with pytest.raises(IndexMissingError, match="999 is gone"):
            generations.promote(conn, 999)
    assert states(search_context) == before
