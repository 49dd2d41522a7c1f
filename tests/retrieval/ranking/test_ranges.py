"""Which row is for a number of the question, and which range may hold it."""

import pytest

from retrieval.models import NO_TERMS
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.ranges import called, in_range, named
from retrieval.search import search
from tests.support.index.ingested import IndexFiles
from tests.support.made.made_entries import entry, row


def words(question: str) -> QuestionWords:
    return QuestionWords.of(question, NO_TERMS)


@pytest.mark.parametrize(
    ("label", "numbers"),
    [
        ("4–6", {4, 5, 6}),
        ("Level 4-6", {4, 5, 6}),
        ("7", {7}),
        ("3rd", {3}),
        ("up to 3", {0, 1, 2, 3}),
        ("8 or more", {8, 9}),
        ("under 2", {0, 1}),
        ("5+", {5}),  # of hit dice it is no "5 or more"
        ("2 to 4+", {2, 3, 4}),
        ("20-2", set()),  # no range
        ("Troll", set()),
        ("1, 2 and 3", set()),
        ("", set()),
    ],
)
def test_the_numbers_of_a_row_are_those_of_its_first_cell(label: str, numbers: set[int]) -> None:
    one = row(f"| {label} | 99 |")
    assert {n for n in range(10) if named(one, words(f"and {n}?").values, frozenset())} == numbers


def test_the_second_cell_counts_where_its_column_is_asked_for() -> None:
    sword = row("| Sword | 10 gp | 1d8 |", "Arms", header="| Weapon | Cost | Harm |")
    assert named(sword, words("level 10").values, words("level 10 guard").words) == set()
    assert named(sword, words("a cost of 10").values, words("a cost of 10").words) == {10}


@pytest.mark.parametrize(
    ("asked", "line", "header"),
    [
        ("30 minutes late refund", "| 20–39 min | 50% |", "| Delay | Refund |"),
        ("fare for a child of 8", "| 6-14 | 3.50 |", "| Age | Fare |"),
        ("postage for 300 g", "| 250-500 g | 4.20 |", "| Weight | Postage |"),
        ("treasure for a 5", "| 4-6 | 2 gems or 3 coins |", "| Roll | Treasure |"),
        ("30 minutes late", "| 20–39 min | half |", "| Delay | Refund | Paid after 30 min |"),
        ("a party for 10 children", "| Gull | 7 to 12 | 2 |", "| Size | Number of children | £ |"),
        ("10 years without a claim", "| 5 | 8–11 | 50 |", "| Cl | Years without claim | % |"),
    ],
)
def test_the_cell_that_a_row_is_for_is_chosen_by_the_unit(
    asked: str, line: str, header: str
) -> None:
    question = words(asked)
    found = named(row(line, header=header), question.values, question.words)
    assert found == {question.values[0].number}


def test_a_number_of_the_column_s_unit_is_meant_before_others() -> None:
    header = "| Cleric level | Ghoul | Wight |"
    both = words("a beast of 2 hd against a cleric of level 1")
    for label, numbers in (("1", {1}), ("2", set())):
        one = row(f"| {label} | 7 | 9 |", header=header)
        assert named(one, both.values, both.words) == numbers
    deep = row("| 58 | ring |", header="| d% (levels 4-6) | Kind |")
    rolled = words("on level 6 the roll is 58")
    assert named(deep, rolled.values, rolled.words) == {58}
    alone = words("a beast of 2 hd")
    assert named(row("| 2 | 7 | 9 |", header=header), alone.values, alone.words) == {2}


def test_a_number_that_a_column_is_called_by_is_no_rows() -> None:
    group = row("| Group (up to 5) | 13 | 17 |", header="| Ticket | 1 zone | 2 zones |")
    for_two = words("ticket for 2 zones")
    assert named(group, for_two.values, for_two.words) == set()
    persons = words("ticket for 2 persons")
    assert named(group, persons.values, persons.words) == {2}


def test_a_number_of_another_unit_is_not_meant() -> None:
    heavy = row("| 5-10 kg | 9 |", header="| Weight | Euros |")
    assert named(heavy, words("8 kg").values, frozenset()) == {8}
    assert named(heavy, words("8").values, frozenset()) == {8}
    assert named(heavy, words("8 days").values, frozenset()) == set()
    assert named(entry("Weight is 5-10 kg."), words("8 kg").values, frozenset()) == set()


@pytest.mark.parametrize(
    ("asked", "label", "column", "is_named"),
    [
        ("after three weeks", "21", "Day", True),
        ("after three weeks", "3", "Day", False),  # three days
        ("after three weeks", "3", "Week", True),
        ("on day 21", "3", "Weeks", True),
        ("on day 20", "3", "Weeks", False),
        ("two months late", "60", "Days late", True),
        ("after 2 years", "24 months", "Notice", True),
        ("after 90 minutes", "1.5 hours", "Length", False),  # no whole hours
        ("at level 3", "3", "Day", True),  # a level is no measure
        ("at 6 hours", "6", "Time of day", True),
        ("after 1 hour", "60", "d100", False),  # which has no unit
    ],
)
def test_an_amount_is_the_same_in_other_units(
    asked: str, label: str, column: str, *, is_named: bool
) -> None:
    one = row(f"| {label} | It ends |", header=f"| {column} | What happens |")
    assert bool(named(one, words(asked).values, words(asked).words)) is is_named


def test_a_range_holds_the_same_in_other_units() -> None:
    late = row("| 15-30 | A reminder |", header="| Days late | What happens |")
    for asked, holds in (("3 weeks late", True), ("5 weeks late", False), ("20 weeks late", False)):
        assert in_range(late, words(asked).values, words(asked).words) is holds


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("what do 8 kg cost?", True),
        ("a weight of 8?", True),
        ("and 8?", True),
        ("8 days?", False),
        ("20 kg?", False),
    ],
)
def test_a_range_holds_a_number_that_may_be_of_its_unit(question: str, holds: bool) -> None:
    heavy = row("| 5-10 kg | 9 |", header="| Weight | Euros |")
    assert in_range(heavy, words(question).values, words(question).words) is holds
    open_end = row("| 5+ kg | 9 |", header="| Weight | Euros |")
    assert in_range(open_end, words(question).values, words(question).words) is (
        holds or "20" in question
    )
    assert not in_range(row("| 8 kg | 9 |"), words(question).values, words(question).words)


def test_a_number_that_the_heading_says_is_not_the_rows() -> None:
    orc = row("| 2 | Orc |", "Wandering > Dungeon Level 2", header="| d12 | Monster |")
    for question in ("monsters on level 2", "level 2 of the dungeon"):
        assert named(orc, words(question).values, frozenset()) == set()
    assert named(orc, words("monster for a roll of 2").values, frozenset()) == {2}


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("average of treasure type G", {("typ", "G")}),
        ("what is in zone b?", {("zon", "B")}),
        ("route S2 on sunday", {("rout", "S2")}),
        ("level 2 or rank 12", set()),  # numbers
        ("is a troll in it", set()),
        ("the fee of class A", {("class", "A")}),
        ("what is in type a?", {("typ", "A")}),
        ("treasure type i", {("typ", "I")}),
        ("what level I get", set()),
        ("go to it", set()),
    ],
)
def test_a_code_is_a_sign_behind_what_it_is_a_kind_of(
    question: str, codes: set[tuple[str, str]]
) -> None:
    assert set(words(question).codes) == codes


def test_a_row_is_called_by_a_code_of_its_columns_or_headings_kind() -> None:
    zone = row("| **B** | 9 EUR |", "Fares", header="| Zone | Fare |")
    assert called("a.md", zone, [("zon", "B")]) == {"B"}
    assert called("2. Zones.md", row("| B | 9 |"), [("zon", "B")]) == {"B"}
    assert called("a.md", zone, [("class", "B"), ("zon", "C")]) == set()
    assert called("a.md", entry("B is a zone."), [("zon", "B")]) == set()


@pytest.mark.parametrize(
    ("asked", "header", "is_lacking"),
    [
        ("xp for level 5", "| Class | Level 2 | Level 3 | Level 9 |", True),
        ("xp for level 3", "| Class | Level 2 | Level 3 | Level 9 |", False),
        ("xp for level 12", "| Class | Level 2 | Level 3 | Each level above 3 |", False),
        ("xp for level 5", "| Class | Levels 2-3 | Levels 4-6 |", False),
        ("xp for 5 scribes", "| Class | Level 2 | Level 3 | Level 9 |", False),
        ("xp for level 5", "| Class | Level 2 | Gold |", False),
        ("xp of a scribe", "| Class | Level 2 | Level 3 | Level 9 |", False),
    ],
)
def test_a_table_by_other_numbers_lacks_the_one_that_is_asked(
    asked: str, header: str, is_lacking: bool
) -> None:
    one = row("| Scribe | 9 | 18 | 36 |", header=header)
    assert words(asked).lacks_column(one) is is_lacking
    assert not words(asked).lacks_column(entry("Scribes of level 2 or 3 read."))


CLASSES = {
    "Levels.md": (
        "# Marks for a level\n\n## Marks a scribe, or a diver, needs for a level\n\n"
        "| Class | Level 2 | Level 3 | Level 9 |\n|---|---|---|---|\n"
        "| Scribe | 900 | 1,800 | 36,000 |\n| Diver | 700 | 1,500 | 30,000 |\n"
    ),
    "Inkers.md": (
        "# Scribe\n\n| Level | Sum | Ink |\n|---|---|---|\n| 4 | 3,600 | 2 |\n"
        "| 5 | 7,200 | 3 |\n| 6 | 14,000 | 3 |\n"
    ),
}


def test_a_table_with_the_number_goes_before_one_that_lacks_it(index_files: IndexFiles) -> None:
    context = index_files(CLASSES, rag_threshold=-9.0)
    question = "marks a scribe needs for level {}"
    firsts = [search(context, question.format(n)).hits[0].chunk.path for n in (3, 5)]
    assert firsts == ["Levels.md", "Inkers.md"]
    assert search(context, question.format(5)).certainty == "answered"
