"""The sums of a vault's words after edits: those of the same files counted anew."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index.store import Connection, live
from retrieval.models import Entry
from retrieval.vocabulary import file_terms, term_sums
from retrieval.vocabulary.term_sums import Row, Sums, edited
from tests.conftest import write_vault
from tests.support.made.made_entries import entry, learnt, row

PATHS = ("a.md", "b/c.md", "b/d.md", "e.md")
WORDS = ("torch", "burning torch", "sword", "silk rope", "elf")
FILES = st.lists(st.sampled_from(WORDS), max_size=3)
STATES = st.lists(st.dictionaries(st.sampled_from(PATHS), FILES), min_size=2, max_size=5)


def entries(path: str, things: list[str]) -> list[tuple[str, Entry]]:
    """A file about these things: headings, fields and an abbreviation."""
    found = [(path, entry(f"The {thing} (T{len(things)}) lasts.", thing)) for thing in things]
    return found + [(path, row(f"| {thing} | 7 |", path)) for thing in things[1:]]


@given(STATES)
def test_an_edit_of_some_files_is_as_if_all_were_counted_anew(
    states: list[dict[str, list[str]]],
) -> None:
    sums, before = Sums().whole(), dict[str, list[str]]()
    for state in states:
        paths = [path for path in PATHS if state.get(path) != before.get(path)]
        rows = {path: Row(1, 1, 1, 1) if path in state else None for path in paths}
        found = [one for path in paths for one in entries(path, state.get(path, []))]
        sums, before = edited(sums, rows, found).whole(), state
        anew = [one for path in sorted(state) for one in entries(path, state[path])]
        terms, wanted = file_terms._terms(sums, {}), learnt(*anew)
        assert terms == wanted
        assert list(terms.titles) == list(wanted.titles)
        assert sums.rows.keys() == state.keys()
        assert sums.size == (len(state), len(state))


@given(st.lists(st.integers(0, 9), min_size=12, max_size=12), st.data())
def test_the_commonest_words_after_an_edit_are_those_of_all_words_or_unknown(
    counts: list[int], data: st.DataObject
) -> None:
    words = {f"w{at:02}": count for at, count in enumerate(counts) if count}
    changes = data.draw(
        st.dictionaries(st.sampled_from(sorted(words) or ["new"]), st.integers(0, 9))
    )
    now = {word: count for word, count in (words | changes).items() if count}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_sums, "_COMMON", 4)
        before, anew = term_sums._commonest(words), term_sums._commonest(now)
        found = term_sums._still_commonest(before, changes, now)
    assert found in ((), anew)
    if len(before) == 4 and all(now.get(word, 0) >= words[word] for word in words):
        assert found == anew  # what only grew leaves nobody else in doubt


def test_the_files_of_an_index_are_not_listed_again_after_an_edit_but_after_a_removal(
    search_context: SearchContext, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[bool] = []
    files = file_terms._files

    def noted(conn: Connection, values: Any, *, after: int) -> Any:
        listed.append(after == 0)
        return files(conn, values, after=after)

    def titles() -> list[str]:
        with search_context.store.connect(autocommit=True) as conn:
            now = live(conn)
            return list(search_context.terms.of(conn, now.id, now.name).titles)

    titles()
    monkeypatch.setattr(file_terms, "_files", noted)
    write_vault(vault, {"New.md": "# New\n\nA rope.\n", "1. Light/Torches.md": "# Torch\n\nIt.\n"})
    pipeline.run(search_context, vault)
    assert "New.md" in titles()
    assert listed == [False]
    (vault / "New.md").unlink()
    pipeline.run(search_context, vault)
    assert "New.md" not in titles()
    assert listed == [False, False, True]


def test_whoever_still_reads_the_state_before_an_edit_gets_its_words(
    search_context: SearchContext, vault: Path
) -> None:
    def words(conn: Connection) -> set[str]:
        now = live(conn)
        return {"blue", "grey"} & {*search_context.terms.of(conn, now.id, now.name).words}

    def edit(colour: str) -> None:
        write_vault(vault, {"1. Light/Torches.md": f"# Torches\n\nA torch is {colour}.\n"})
        pipeline.run(search_context, vault)

    edit("blue")
    with search_context.store.connect(autocommit=True) as before, before.transaction():
        before.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert words(before) == {"blue"}
        edit("grey")  # as many chunks and words
        with search_context.store.connect(autocommit=True) as after:
            assert words(after) == {"grey"}
            assert words(before) == {"blue"}
            assert words(after) == {"grey"}
