"""What a vault's words are: names, fields, spellings, and how telling each word is."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index.store import Connection, live
from retrieval.models import NO_TERMS, Entry, Terms
from retrieval.vocabulary import file_terms, file_words
from retrieval.vocabulary.file_terms import TermsCache
from retrieval.vocabulary.terms import cells, fields_of, is_field, key, names_of, stems_of, title
from tests.conftest import write_vault
from tests.support.made.made_entries import entry, learnt, row

HEADER = "| Weapon | Cost (gp) |"
TROLL = "3. Monsters/12. Troll.md"
AXE = row("| Battle axe | 7 |", "Weapons > Blades", header=HEADER)
HIT_DICE = row("| Hit Dice | 6+3 |", "Troll", header="| Armour Class | 5 |")


def test_a_thing_is_called_as_its_row_its_headings_and_its_file_are() -> None:
    assert names_of("2. Arms/3. Weapons.md", AXE) == ["Battle axe", "Blades", "Weapons", "Weapons"]
    known = learnt(("2. Arms/3. Weapons.md", AXE)).names
    assert known == {
        ("battl", "axe"): frozenset({"2. Arms/3. Weapons.md"}),
        ("blad",): frozenset({"2. Arms/3. Weapons.md"}),
        ("weapon",): frozenset({"2. Arms/3. Weapons.md"}),
    }


def test_one_name_has_the_files_that_have_something_of_it() -> None:
    known = learnt(("a.md", entry("It burns.", "Torch")), ("b.md", entry("It glows.", "Torches")))
    assert known.names[("torch",)] == {"a.md", "b.md"}
    assert known.headings == ("Torch", "Torches")


def test_a_key_and_its_value_are_a_field_and_no_name() -> None:
    assert is_field(HIT_DICE)
    assert not is_field(AXE)
    known = learnt((TROLL, row("| Armour Class | 5 |", "Troll")), (TROLL, HIT_DICE))
    assert known.names.keys() == {("troll",)}
    assert known.fields == {("hit", "dic"), ("armor", "class")}


def test_the_first_line_of_a_stat_block_is_no_header_of_the_others() -> None:
    assert fields_of(HIT_DICE) == ["Hit Dice"]


def test_columns_and_bold_beginnings_with_a_colon_are_fields() -> None:
    assert fields_of(AXE) == ["Battle axe", "Weapon", "Cost (gp)"]
    of_spell = entry("**Range:** 60’\n**Duration:** 1 turn\nIt lights up.", "Light")
    assert fields_of(of_spell) == ["Range:", "Duration:"]
    assert learnt(("a.md", of_spell)).fields == {("rang",), ("duration",)}


def test_a_bold_beginning_is_a_name_too() -> None:
    item = entry("- **Fire breath** burns all.", "Dragon", kind="item")
    assert names_of("Dragons.md", item) == ["Fire breath", "Dragon", "Dragons"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The armour of a knight", ["armor", "knight"]),
        ("the armor of knights", ["armor", "knight"]),
        ("his colour", ["color"]),
        ("an hour", ["hour"]),  # no spelling without u
        ("twenty-five torches", ["25", "torch"]),
        ("what is the", []),
    ],
)
def test_stems_are_of_the_words_that_say_something(text: str, expected: list[str]) -> None:
    assert stems_of(text) == expected


def test_both_spellings_of_armour_are_one_name() -> None:
    known = learnt(("a.md", entry("It protects.", "Armour")))
    assert key("Armor") == key("Armour") == ("armor",)
    assert set(known.names) >= {("armor",)}


def test_a_sentence_is_no_name() -> None:
    assert key("one two three four five six") == ("one", "2", "3", "4", "5", "6")
    assert key("A fire burns seven green goblins under stone bridges daily") == ()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("1. A/12. Combat.md", "Combat"),
        ("Light.md", "Light"),
        ("v1.2 notes.md", "v1.2 notes"),
        (f"A/Lockers {'8c6d2e9b' * 4}.md", "Lockers"),
        (f"{'8c6d2e9b' * 4}.md", "8c6d2e9b" * 4),
    ],
)
def test_a_files_title_has_neither_folder_nor_number_nor_suffix(path: str, expected: str) -> None:
    assert title(path) == expected


def test_the_cells_of_a_row_are_words() -> None:
    assert cells("| **Axe** | [[2. Arms/Axes\\|axes]] | a \\| b |") == ["Axe", "axes", "a \\| b"]
    assert cells("| a |  | b |") == ["a", "", "b"]


def test_words_are_counted_as_they_are_written_and_listed_by_their_letter() -> None:
    known = learnt(
        ("a.md", entry("Torches burn. The torch burns.", "Torch")),
        ("b.md", entry("A torch has 30 uses.", "Uses")),
    )
    assert known.words["torch"] == 3  # the headings' words, too
    assert known.words["torches"] == 1
    assert known.frequency["torch"] == 2  # entries
    assert known.spellings.of("t") == ("the", "torch", "torches")
    assert known.spellings.of("3") == ()


def test_what_fewer_entries_have_tells_more() -> None:
    texts = ["gold and dragons", "gold and goblins", "gold"]
    known = learnt(*((f"{n}.md", entry(text, f"H{n}")) for n, text in enumerate(texts)))
    assert known.weight("gold") == pytest.approx(math.log(1 + 3.5 / 3.5))
    assert known.weight("dragon") == pytest.approx(math.log(1 + 3.5 / 1.5))
    assert known.weight("unknown") == pytest.approx(math.log(1 + 3.5 / 0.5))
    assert NO_TERMS.weight("gold") > 0


def test_what_the_vault_explains_is_told_in_full() -> None:
    known = learnt(("a.md", entry("A monster has Hit Dice (HD).", "Monsters")))
    assert known.in_full(stems_of("HD of a troll")) == {"hit", "dic", "troll"}
    assert NO_TERMS.in_full(["hd"]) == {"hd"}


def test_the_terms_are_new_after_an_ingest_and_the_same_without_one(
    search_context: SearchContext, vault: Path
) -> None:
    before = _terms(search_context)
    assert ("battl", "axe") in before.names
    assert _terms(search_context) is before
    write_vault(vault, {"3. New/Rope.md": "# Silk Rope\n\nIt holds 3 people.\n"})
    (vault / "2. Arms/Weapons.md").write_text("# Weapons\n\nNone.\n", "utf-8")
    pipeline.run(search_context, vault)
    after = _terms(search_context)
    assert after.names[("silk", "rop")] == {"3. New/Rope.md"}
    assert ("battl", "axe") not in after.names
    assert after.headings == ("Torches", "Hazards", "Weapons", "Silk Rope")


def test_an_edit_changes_the_terms_by_its_files_alone(
    search_context: SearchContext, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {f"Other {n}.md": f"# Other {n}\n\nThe Blue Book (BB{n}) is blue.\n" for n in range(6)}
    write_vault(vault, others)
    pipeline.run(search_context, vault)
    _terms(search_context)
    read: list[str] = []
    counted = file_words._of_file

    def noted(path: str, entries: Sequence[Entry]) -> Any:
        read.append(path)
        return counted(path, entries)

    monkeypatch.setattr(file_words, "_of_file", noted)
    states = (
        {"Other 1.md": "# Other 1\n\n**Red:** a Red Book (RB).\n", "New.md": "# New\n\nNew.\n"},
        {"Other 0.md": None, "Other 2.md": "# Other 3\n\nThe Blue Book (BB3) is green.\n"},
    )  # fmt: skip
    for state in states:
        write_vault(vault, {path: text for path, text in state.items() if text})
        for path in (path for path, text in state.items() if not text):
            (vault / path).unlink()
        pipeline.run(search_context, vault)
        read.clear()
        edited = _terms(search_context)
        assert sorted(read) == sorted(path for path, text in state.items() if text)
        anew = _terms(replace(search_context, terms=TermsCache()))
        assert edited == anew
        assert list(edited.titles) == list(anew.titles)
        assert edited.commonest == anew.commonest


def test_what_was_read_before_the_time_was_over_is_not_read_again(
    search_context: SearchContext, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_terms, "_PORTION", 1)
    context = replace(search_context, terms=TermsCache())
    read: list[str] = []
    counted = file_words._of_file

    def slow(path: str, entries: Sequence[Entry]) -> Any:
        if len(read) == 2:
            raise TimeoutError
        read.append(path)
        return counted(path, entries)

    monkeypatch.setattr(file_words, "_of_file", slow)
    with pytest.raises(TimeoutError):
        _terms(context)
    monkeypatch.setattr(file_words, "_of_file", counted)
    noted: list[str] = []

    def rest(path: str, entries: Sequence[Entry]) -> Any:
        noted.append(path)
        return counted(path, entries)

    monkeypatch.setattr(file_words, "_of_file", rest)
    after = _terms(context)
    assert read
    assert len(read) + len(noted) == len(after.titles)
    assert not {*read} & {*noted}
    assert after == _terms(replace(search_context, terms=TermsCache()))


def test_what_stands_for_a_whole_passage_is_not_counted_again(
    search_context: SearchContext,
) -> None:
    with search_context.store.connect(autocommit=True) as conn:
        rows = conn.execute("SELECT kind FROM entry").fetchall()
    kinds = [str(kind) for (kind,) in rows]
    assert "whole" in kinds
    assert _terms(search_context).entries == len(kinds) - kinds.count("whole")


def _terms(context: SearchContext) -> Terms:
    def read(conn: Connection) -> Terms:
        now = live(conn)
        return context.terms.of(conn, now.id, now.name)

    return context.store.read(read)


def test_a_row_by_name_and_kind_is_called_by_its_name_alone_too() -> None:
    horse = row("| Horse, riding | 75 |", "Mounts", header="| Animal | Cost |")
    assert names_of("Mounts.md", horse)[:2] == ["Horse, riding", "Horse"]
    pony = row("| Pony | 35 |", "Mounts", header="| Animal | Cost |")
    assert names_of("Mounts.md", pony)[:2] == ["Pony", "Mounts"]
