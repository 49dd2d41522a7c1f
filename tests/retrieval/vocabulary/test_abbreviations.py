"""Abbreviations that a vault explains itself: read off one line, in time with its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.models import Entry
from retrieval.text.legends import abbreviated
from retrieval.text.words import alias_key
from retrieval.vocabulary.file_terms import of_entries
from retrieval.vocabulary.terms import in_vault_words
from tests.support.faults import growth


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Hit Dice (HD)", [("hd", "hit dice")]),
        ("| ML | Morale |", [("ml", "morale")]),
        ("**AL:** Alignment", [("al", "alignment")]),
        ("- **ML** – Morale", [("ml", "morale")]),
        ("ML, Morale", [("ml", "morale")]),
        ("AC: Armour Class of the wearer", [("ac", "armour class")]),
        ("Non-Player Character (NPC)", [("npc", "non player character")]),
        ("The worth is told in gold pieces (GP).", [("gp", "gold pieces")]),
        ("Dungeon's Master (DM)", [("dm", "dungeon's master")]),
    ],
)
def test_what_a_line_explains_is_found_in_lower_case(
    line: str, expected: list[tuple[str, str]]
) -> None:
    assert list(abbreviated(line)) == expected


def test_a_line_may_explain_several() -> None:
    line = "A monster has Hit Dice (HD) and an Armour Class (AC)."
    assert list(abbreviated(line)) == [("hd", "hit dice"), ("ac", "armour class")]


@pytest.mark.parametrize(
    "line",
    [
        "A torch burns for one hour.",
        "",
        "Torch (see Light)",
        "Hit Points (HD)",  # other letters
        "Hit Points or Dice (HD)",  # the words are no neighbours
        "gold pieces (gp)",  # as a word in brackets is written
        "The Hit Dice (hd6)",
        "| HD | 4+1 |",  # a value
        "XP: Experience points",  # does not begin with its letter
        "DC: The difficulty",
        "In (IN)",  # as long as the word
        "Gold (GOLD)",
        "Morale is told as ML: Morale",  # not at the line's beginning
    ],
)
def test_what_is_none_is_not_taken_for_one(line: str) -> None:
    assert list(abbreviated(line)) == []


def test_an_abbreviation_of_one_word_has_its_letters_in_their_order() -> None:
    assert list(abbreviated("Saves (SV)")) == [("sv", "saves")]
    assert list(abbreviated("Saves (SVA)")) == []


@given(st.text(alphabet="aA bBhHdD()*:|,-–'_", max_size=60))
def test_each_begins_with_the_letter_of_what_it_stands_for(line: str) -> None:
    for short, full in abbreviated(line):
        assert 2 <= len(short) <= 5
        assert short[0] == full[0]
        assert (short, full) == (short.lower(), full.lower())
        assert len(full) > len(short)
        words = full.split(" ")
        assert len(words) in {1, len(short)}


@pytest.mark.parametrize(
    "unit",
    [
        "a ", "word ", "A", "Ab ", "(AB) ", "a (AB", "a (AB) ", "*", "|", " ", "* ", "--", "a_",
        "aa' ", "AB: ", "AB:| ", f"{'x' * 31} ", "W" * 40, "a b c d (", "(",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ends", [("", ""), ("AB: ", " (AB)")])
def test_reading_takes_time_in_proportion_to_the_length(unit: str, ends: tuple[str, str]) -> None:
    def read(count: int) -> None:
        list(abbreviated(ends[0] + unit * count + ends[1]))

    assert growth.ratio(read, 500) < 3


ALIASES = {
    "pc": ("player character",),
    "per diem": ("meals a day",),
    "mfa": ("two-factor", "second factor"),
    "IT": ("computers",),
    "ac": ("armour class",),
    "p1": ("SEV1",),
    "grapple": ("wrestle",),
    "knock out": ("subdue",),
    "mode": ("way",),
    "random encounter": ("wandering monsters",),
    "listen check": ("listening",),
}


def entry(words: str) -> Entry:
    return Entry("sentences", "Rules", 1, 1, words, "", "", words)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does a PC take?", "What does a player character take?"),
        ("pcs, and the PC's dog", "player characters, and the player character's dog"),
        ("what per  diem?", "what meals a day?"),
        ("is MFA on", "is two-factor (second factor) on"),
        ("is it IT's", "is it computers's"),
        ("what PER-DIEMs?", "what meals a days?"),
        ("AC of a PC", "AC of a player character"),  # the rules write AC themselves
        ("EPC, PCX and PC1", "EPC, PCX and PC1"),  # parts of other words
        ("P1/PC", "SEV1/player character"),
        ("How does grappling work, once he grapples?", "How does wrestle work, once he wrestles?"),
        ("he was grappled", "he was wrestle"),
        ("knocking out is not knock outs", "knocking out is not subdues"),
        ("how to Knock Someone out, or knock it out?", "how to subdue Someone, or subdue it?"),
        ("knock twice out loud", "knock twice out loud"),
        ("random encounters, listen checks", "wandering monsters, listening"),
        ("the random encounter's end", "the wandering monsters's end"),
        ("moding", "moding"),  # of a short one another word may be made
        ("no alias here", "no alias here"),
    ],
)
def test_an_alias_that_the_rules_do_not_write_is_replaced(question: str, expected: str) -> None:
    terms = of_entries([("a.md", entry("AC 5"))] * 3, ALIASES)
    assert in_vault_words(question, terms) == expected


def test_another_form_of_an_alias_that_the_rules_write_stays() -> None:
    terms = of_entries([("a.md", entry("A grappling hook"))] * 3, ALIASES)
    asked = "a grappling hook for one who grapples"
    assert in_vault_words(asked, terms) == "a grappling hook for one who wrestles"


def test_an_alias_that_the_rules_write_stands_for_its_meaning_where_words_are_compared() -> None:
    terms = of_entries([("a.md", entry("AC 5"))], ALIASES)
    assert terms.in_full(["ac", "pc"]) == {"armor", "class", "player", "character"}
    assert "diem" not in terms.abbreviations


def test_an_alias_of_an_everyday_word_keeps_its_capitals() -> None:
    assert [alias_key(word) for word in ("IT", "US", "PC", "Per  Diem")] == [
        "IT", "US", "pc", "per diem",
    ]  # fmt: skip


@given(st.text(alphabet="pPcCs '1-", max_size=40))
def test_without_aliases_a_question_stays_as_it_is(question: str) -> None:
    assert in_vault_words(question, of_entries([])) == question
