"""How much of a question names and fields cover, and which file has the longer name."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.models import NO_TERMS, Entry, Terms
from retrieval.ranking.lines import (
    WHOLE,
    QuestionWords,
    coverage,
    field_words,
    longer_names,
)
from retrieval.vocabulary.terms import asked_fields
from tests.support.made.made_entries import entry, learnt, row

TROLL, WOLF, LIGHT, LONGER = "Monsters/Troll.md", "Wolf.md", "Light.md", "Continual Light.md"
OF_TROLL = row("| Hit Dice | 6+3 |", "Troll", line=3)
OF_WOLF = row("| Hit Dice | 2+2 |", "Wolf", line=3)
OF_LIGHT = entry("**Duration:** 1 turn per level", "Light", line=3)
OF_LONGER = entry("**Duration:** lasts for ever", "Continual Light", line=3)
EXPLAINED = entry("Hit Dice (HD) say how tough a monster is.", "Monsters")
TERMS = learnt(
    (TROLL, OF_TROLL),
    (WOLF, OF_WOLF),
    (LIGHT, OF_LIGHT),
    (LONGER, OF_LONGER),
    ("Monsters.md", EXPLAINED),
)
ENTRIES = [OF_TROLL, OF_WOLF, OF_LIGHT, OF_LONGER, EXPLAINED]
WORDS = [
    "hit", "dice", "HD", "hd", "of", "a", "troll", "the", "wolf", "light", "continual", "long",
    "how", "duration", "last", "cost", "what", "does", "unheard", "tough", "monster", "6", "?",
]  # fmt: skip


def covered(terms: Terms, question: str, path: str, entries: Sequence[Entry]) -> float:
    return coverage(QuestionWords.of(question, terms), path, entries)


@given(
    st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text(max_size=30),
    st.lists(st.sampled_from(ENTRIES), max_size=5),
    st.sampled_from([TROLL, WOLF, LIGHT, LONGER, ""]),
)
def test_the_coverage_is_between_0_and_1_and_what_is_added(
    question: str, entries: list[Entry], path: str
) -> None:
    found = covered(TERMS, question, path, entries)
    assert 0.0 <= found <= 1.6 + 1e-9
    assert found == max((covered(TERMS, question, path, [one]) for one in entries), default=0.0)


def test_a_thing_called_with_its_kind_counts_more_than_a_field_of_that_name() -> None:
    terms = learnt(
        ("Spells/Level 1/Light.md", OF_LIGHT),
        ("Shadow.md", dark := entry("**Light spell:** it hides", "Shadow", line=5)),
    )
    told = covered(terms, "the light spell", "Spells/Level 1/Light.md", [OF_LIGHT])
    assert told == pytest.approx(1.4)
    assert told > covered(terms, "the light spell", "Shadow.md", [dark])
    # Its kind alone is not named: the title is not all there.
    other = covered(terms, "a spell", "Spells/Level 1/Light.md", [OF_LIGHT])
    assert other == 0.0


def test_a_thing_and_its_field_are_all_of_a_question() -> None:
    asked = "What are the hit dice of a troll?"
    assert covered(TERMS, asked, TROLL, [OF_TROLL]) == pytest.approx(1.0)
    assert covered(TERMS, asked, WOLF, [OF_WOLF]) == 0.0  # the field of another thing
    assert covered(TERMS, asked, LIGHT, [OF_LIGHT]) == 0.0


def test_a_name_alone_covers_its_share() -> None:
    troll, burn = TERMS.weight("troll"), TERMS.weight("burn")
    asked = "Does a troll burn?"
    expected = troll / (troll + burn)
    assert covered(TERMS, asked, TROLL, [OF_TROLL]) == pytest.approx(expected)


def test_a_field_that_is_asked_for_in_other_words_adds_a_fifth() -> None:
    long, light = TERMS.weight("long"), TERMS.weight("light")
    asked = "How long is light?"
    assert "duration" in asked_fields(asked)
    found = covered(TERMS, asked, LIGHT, [OF_LIGHT])
    assert found == pytest.approx(light / (long + light) + 0.2)
    without = covered(TERMS, "Is long light?", LIGHT, [OF_LIGHT])
    assert found - without == pytest.approx(0.2)


def test_an_abbreviation_is_what_the_vault_says_it_is() -> None:
    in_full = covered(TERMS, "hit dice of a troll", TROLL, [OF_TROLL])
    assert covered(TERMS, "HD of a troll", TROLL, [OF_TROLL]) == in_full == pytest.approx(1.0)
    alone = learnt((TROLL, OF_TROLL))  # nothing explains it
    assert covered(alone, "HD of a troll", TROLL, [OF_TROLL]) < 1.0


def test_a_field_may_be_written_short() -> None:
    short = row("| HD | 6+3 |", "Troll")
    terms = learnt((TROLL, short), ("Monsters.md", EXPLAINED))
    assert covered(terms, "hit dice of a troll", TROLL, [short]) == pytest.approx(1.0)


def test_a_name_of_which_the_question_holds_a_part_counts_nothing() -> None:
    assert covered(TERMS, "What is light?", LONGER, [OF_LONGER]) == 0.0
    assert covered(TERMS, "What is continual light?", LONGER, [OF_LONGER]) == pytest.approx(1.0)


def test_nothing_is_called_by_what_it_is_not() -> None:
    denied = entry("**Never flee.** They stop when no enemy stands in sight.", "Wolf")
    assert covered(TERMS, "How do I flee?", WOLF, [denied]) == 0.0
    told = entry("**Flee.** They run.", "Wolf")
    assert covered(TERMS, "How do I flee?", WOLF, [told]) == pytest.approx(1.0)


def test_a_file_or_a_row_may_be_called_by_what_is_not() -> None:
    unpaid = entry("**Length:** 30 days", "Leave without pay")
    terms = learnt(("Leave without pay.md", unpaid))
    asked = "What is the length of leave without pay?"
    assert covered(terms, asked, "Leave without pay.md", [unpaid]) == pytest.approx(1.0)
    sold = row("| K2 Disc (no longer sold) | 5 |", header="| Disc | Price |")
    terms = learnt(("Discs.md", sold))
    found = covered(terms, "price of a K2 disc no longer sold", "Discs.md", [sold])
    assert found > 1.0


@pytest.mark.parametrize("question", ["", "What is the?", "?!"])
def test_a_question_that_says_nothing_is_not_covered(question: str) -> None:
    assert covered(TERMS, question, TROLL, [OF_TROLL]) == 0.0
    assert longer_names(QuestionWords.of(question, TERMS), [TROLL, WOLF]) == frozenset()


def test_nothing_is_covered_by_nothing() -> None:
    assert covered(TERMS, "hit dice of a troll", TROLL, []) == 0.0
    assert covered(NO_TERMS, "hit dice of a troll", TROLL, [OF_TROLL]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("question", "longer"),
    [
        ("How long does Light last?", {LONGER}),
        ("How long does Continual Light last?", set[str]()),
        ("What is continual in Light?", set[str]()),  # part of the longer name is asked for
        ("What are trolls?", set[str]()),
    ],
)
def test_the_longer_name_is_not_what_the_shorter_one_asks_for(
    question: str, longer: set[str]
) -> None:
    paths = [LIGHT, LONGER, "1. Spells/Continual Light.md", WOLF]
    found = longer_names(QuestionWords.of(question, TERMS), paths)
    assert found == (longer | {"1. Spells/Continual Light.md"} if longer else longer)


def test_without_the_shorter_file_the_longer_one_is_as_good() -> None:
    assert (
        longer_names(QuestionWords.of("How long does Light last?", TERMS), [LONGER, WOLF])
        == frozenset()
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How far does it reach?", "range"),
        ("What does an axe COST?", "price"),
        ("How heavy is plate mail?", "weight"),
        ("How fast is a horse?", "speed"),
    ],
)
def test_fields_are_asked_for_in_other_words(question: str, expected: str) -> None:
    entry_of_field = entry(f"**{expected.title()}:** 5", "Thing")
    assert field_words("Thing.md", entry_of_field) & asked_fields(question)


def test_a_column_of_money_tells_what_something_costs() -> None:
    gift = row("| Blessing | 10 |", header="| Service | Gift expected (gp) |")
    asked, terms = "What does a blessing cost?", learnt(("Temple.md", gift))
    found = covered(terms, asked, "Temple.md", [gift])
    aliased = replace(terms, abbreviations={"gp": ("gold", "piec")})
    assert covered(aliased, asked, "Temple.md", [gift]) == pytest.approx(found)
    less = covered(
        terms, asked, "Temple.md", [row("| Blessing | 10 |", header="| Service | Days |")]
    )
    assert found - less == pytest.approx(0.2)


def test_no_field_is_asked_for_where_none_is_meant() -> None:
    assert asked_fields("Who guards the castle gate?") == frozenset()


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("swimming", True),
        ("Drowning", True),
        ("what does jewellery cost", True),
        ("swimming in lakes", False),
        ("gem trade", False),
        ("fire", False),
    ],
)
def test_a_heading_that_joins_names_is_called_by_each(question: str, is_whole: bool) -> None:
    swims = ("Water.md", entry("Whoever sinks holds their breath.", "Swimming and Drowning"))
    gems = ("7. Coins, Gems & Jewellery.md", entry("**Cost:** as the buyer pays.", "Worth"))
    trade = ("Trade.md", entry("The gem trade goes by lakes.", "Trade"))
    giant = ("Giants.md", entry("It throws rocks.", "Giant, Fire"))
    terms = learnt(swims, gems, trade, giant)
    path, one = gems if "jewel" in question else giant if question == "fire" else swims
    assert (covered(terms, question, path, [one]) >= WHOLE) is is_whole
