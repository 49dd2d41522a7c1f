"""Which of two statements overrides the other."""

from dataclasses import replace

import pytest

from retrieval.models import EVERY_FILE, Entry, IndexedFile, SourceNote
from retrieval.ranking import conflicts, precedence
from retrieval.ranking.conflicts import Conflict
from retrieval.ranking.statements import Statement, statement

BASE = SourceNote("3. Arms/2. Weapons.md")
ERRATA = SourceNote("9. Errata.md", "errata", "2nd", ("3. Arms/2. Weapons.md", "Other.md"))
HOUSE = SourceNote("9. House.md", "house rule", "", ("3. Arms/2. Weapons.md",))
CHOICE = SourceNote("9. Variant.md", "optional", "", ("3. Arms/2. Weapons.md",))
OLD = SourceNote("old.md", "Superseded")
ASKED = frozenset({"crossbow", "damag"})


def said(note: SourceNote, *words: str) -> Statement:
    return Statement(note, frozenset(words[:1]), frozenset(words))


def test_a_file_is_overridden_by_its_path() -> None:
    assert conflicts.overrides(ERRATA, BASE)
    assert conflicts.overrides(HOUSE, BASE)
    assert not conflicts.overrides(BASE, ERRATA)
    assert not conflicts.overrides(ERRATA, SourceNote("Weapons.md"))
    assert not conflicts.overrides(SourceNote("a.md", supersedes=("a.md",)), SourceNote("a.md"))


def test_a_house_rule_overrides_an_erratum_to_the_same_file() -> None:
    house = SourceNote("9. House.md", "house rule", "", ("Other.md",))
    assert conflicts.overrides(house, ERRATA)
    assert not conflicts.overrides(ERRATA, house)
    assert not conflicts.overrides(HOUSE, SourceNote("x.md", "errata", "", ("Other.md",)))


def test_a_conflict_is_about_one_subject_that_was_asked_for() -> None:
    row = said(BASE, "crossbow", "damag", "1d6")
    correction = said(ERRATA, "file", "crossbow", "damag", "1d8")
    other = said(ERRATA, "file", "lance", "damag", "1d8")
    assert conflicts.conflicts([row, correction], ASKED) == [Conflict(1, 0, binding=True)]
    assert conflicts.conflicts([row, other], ASKED) == []
    assert conflicts.conflicts([row, correction], frozenset({"sling"})) == []


def test_a_number_alone_is_no_subject() -> None:
    thief = SourceNote("2. Classes/7. Thief.md")
    errata = SourceNote("9. Errata.md", "errata", "2nd", (thief.path,))
    asked = frozenset({"thief", "level", "5", "xp"})
    row = Statement(thief, frozenset({"5"}), frozenset({"thief", "5", "xp"}), is_row=True)
    scrolls = said(errata, "scroll", "thief", "error", "level", "10", "5")  # 5 % of errors
    printed = said(errata, "correct", "thief", "level", "5", "xp", "9700")
    assert conflicts.conflicts([row, scrolls], asked) == []
    assert conflicts.conflicts([row, printed], asked) == [Conflict(1, 0, binding=True)]


def test_prose_that_says_most_of_what_was_asked_needs_no_word_of_its_heading() -> None:
    asked = frozenset({"damag", "fall", "feet"})
    printed = Statement(BASE, frozenset({"hazard"}), frozenset({"hazard", "fall", "1d6", "damag"}))
    erratum = said(ERRATA, "correct", "fall", "damag", "2d6")
    assert conflicts.conflicts([printed, erratum], asked) == [Conflict(1, 0, binding=True)]
    assert conflicts.conflicts([printed, said(ERRATA, "correct", "damag", "cold")], asked) == []
    bows = frozenset({"gold", "coin", "short", "bow", "cost"})
    short = Statement(
        BASE, frozenset({"missil"}), frozenset({"short", "bow", "cost", "gold", "coin"})
    )
    long = said(ERRATA, "correct", "long", "bow", "cost", "gold", "coin")
    assert conflicts.conflicts([short, long], bows) == []  # another bow
    row = replace(printed, is_row=True)  # its neighbours say the same words of other subjects
    assert conflicts.conflicts([row, erratum], asked) == []


@pytest.mark.parametrize(
    ("notes", "order"),
    [
        ([BASE, ERRATA], [1, 0]),
        ([ERRATA, BASE], [0, 1]),
        ([BASE, CHOICE], [0, 1]),  # binds only those who have chosen it
        ([BASE, SourceNote("free.md"), HOUSE], [2, 0, 1]),
        ([OLD, BASE], [1, 0]),
    ],
)
def test_what_binds_comes_before_what_it_overrides(
    notes: list[SourceNote], order: list[int]
) -> None:
    statements = [said(note, "crossbow") for note in notes]
    found = conflicts.conflicts(statements, ASKED)
    gone = [note.is_gone for note in notes]
    assert precedence.arranged(len(notes), found, gone) == order


def test_of_one_file_s_corrections_a_row_is_first_for_it_says_what_holds() -> None:
    prose = said(ERRATA, "crossbow")
    statements = [said(BASE, "crossbow"), prose, replace(prose, is_row=True)]
    found = conflicts.conflicts(statements, ASKED)
    assert precedence.arranged(len(statements), found) == [2, 1, 0]


def test_below_what_is_asked_for_as_a_whole_its_corrections_stand() -> None:
    statements = [said(BASE, "crossbow"), said(SourceNote("free.md")), said(ERRATA, "crossbow")]
    found = conflicts.conflicts(statements, ASKED)
    assert precedence.arranged(3, found) == [2, 0, 1]
    assert precedence.arranged(3, found, (), (True, False, False)) == [0, 2, 1]


def test_files_that_override_each_other_keep_their_order() -> None:
    pair = [Conflict(0, 1, binding=True), Conflict(1, 0, binding=True)]
    assert precedence.arranged(3, pair) == [0, 1, 2]


@pytest.mark.parametrize(
    ("heading", "corrects"),
    [
        ("Errata > Reported, but no error", False),
        ("Errata > Not changed, although announced", False),
        ("Errata > Not corrections", False),
        ("Errata > No crossbows", True),
        ("Not corrections > Crossbow", True),  # its own heading counts
    ],
)
def test_what_is_said_to_be_no_error_stands_above_nothing(heading: str, corrects: bool) -> None:
    quote = "Crossbow damage is 1d6."
    denied = Entry("item", heading, 3, 3, quote, "", "", quote)
    row = said(BASE, "crossbow", "damag", "1d6")
    found = conflicts.conflicts([row, statement(denied, ERRATA)], ASKED)
    assert bool(found) is corrects


@pytest.mark.parametrize(
    ("quote", "corrects"),
    [
        ("The crossbow's damage of 1d6 is right as printed.", False),
        ("The damage of 1d6 is unchanged; range and cost stay.", False),
        ("The crossbow's damage is 1d6; a magic crossbow keeps its damage.", True),
        ("A magic crossbow keeps its damage.", False),
        ("The crossbow's owner keeps its damage of 1d8 for a year.", True),
        ("The price is right as printed. A crossbow does damage of 1d8.", True),
        ("Crossbow damage was as printed by mistake, and is 1d8.", True),
    ],
)
def test_a_sentence_that_leaves_its_rule_as_it_is_stands_above_nothing(
    quote: str, corrects: bool
) -> None:
    kept = Entry("sentences", "Errata > Crossbow", 3, 3, quote, "", "", quote)
    row = said(BASE, "crossbow", "damag", "1d6")
    found = conflicts.conflicts([row, statement(kept, ERRATA)], ASKED)
    assert bool(found) is corrects


@pytest.mark.parametrize(
    ("first", "is_met"),
    [
        ("*Standard (Weapons):* each bolt is counted.", True),
        ("`3. Arms/2. Weapons.md`, bolts.", True),
        ("Each bolt is counted.", True),  # of none by name, so of all
        ("*Standard (Other):* each bolt is counted.", False),
    ],
)
def test_a_correction_is_about_the_files_that_it_names_where_it_begins(
    first: str, is_met: bool
) -> None:
    printed = said(BASE, "crossbow", "bolt", "damag")
    opening = Entry("sentences", "House > Bolts", 1, 1, first, "", "", first.lower())
    text = "Here: a crossbow has bolts enough. See Weapons."
    rule = replace(opening, first_line=2, last_line=2, quote=text, words=text.lower())
    other = replace(opening, heading="House > Other", first_line=0, quote="*Standard (Other):* no.")
    made = statement(rule, ERRATA, IndexedFile(ERRATA.path, {}, (other, rule, opening)))
    assert bool(conflicts.conflicts([printed, made], ASKED)) is is_met


def test_a_row_is_about_what_it_says_of_a_file_and_not_about_its_name() -> None:
    quote = "| `3. Arms/2. Weapons.md` | crossbow 1d6 | crossbow **1d8** |"
    row = Entry("row", "Errata", 9, 9, quote, "", "", quote.lower())
    made = statement(row, ERRATA)
    weapons = said(BASE, "weapon", "crossbow")
    assert conflicts.conflicts([weapons, made], frozenset({"weapon"})) == []
    assert conflicts.conflicts([said(BASE, "crossbow"), made], frozenset({"crossbow"})) != []


def test_a_row_that_says_that_a_file_is_right_stands_above_nothing() -> None:
    quote = "| Weapons.md | Crossbow damage 1d6 | is right as printed |"
    row = Entry("row", "Errata", 9, 9, quote, "", "", quote.lower())
    assert conflicts.conflicts([said(BASE, "crossbow"), statement(row, ERRATA)], ASKED) == []


def test_prose_is_corrected_by_what_says_the_number_that_it_takes_the_place_of() -> None:
    asked = frozenset({"long", "master", "answer", "build", "request"})

    def about(note: SourceNote, heading: str, quote: str) -> Statement:
        return statement(Entry("sentences", heading, 3, 3, quote, "", "", quote), note)

    printed = about(BASE, "Sheds", "The master reads it. An answer comes within five weeks.")
    new = about(ERRATA, "Meeting", "Answer of the master: within three weeks (before: five).")
    other = about(
        ERRATA, "Meeting", "Answer of the master to cooks: within three weeks, in five copies."
    )
    assert conflicts.conflicts([printed, new], asked) == [Conflict(1, 0, binding=True)]
    assert conflicts.conflicts([printed, other], asked) == []


def test_errata_of_every_file_correct_no_errata_and_give_way_to_a_house_rule() -> None:
    every = SourceNote("9. Errata.md", "errata", "", (EVERY_FILE,))
    assert conflicts.overrides(every, BASE)
    assert not conflicts.overrides(every, SourceNote("8. Errata.md", "errata"))
    assert not conflicts.overrides(every, HOUSE)
    assert conflicts.overrides(HOUSE, every)
