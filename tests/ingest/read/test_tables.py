"""A table's lines as rows that can stand alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.read.tables import read


def rows(table: str) -> list[str]:
    return [row.text for row in read(table.strip().split("\n")).rows]


def test_a_row_names_its_values_by_their_columns() -> None:
    table = "| Weapon | Cost (gp) | Damage |\n|---|:-:|--:|\n| Battle axe | 7 | **1d8** |"
    assert rows(table) == ["Battle axe: Cost (gp) 7; Damage 1d8"]
    (row,) = read(table.split("\n")).rows
    assert row.line == 2


def test_outer_pipes_are_optional() -> None:
    assert rows("Weapon | Cost\n---|---\nDagger | 3\nMace | 5") == [
        "Dagger: Cost 3",
        "Mace: Cost 5",
    ]


def test_a_label_that_is_only_a_number_gets_its_columns_name() -> None:
    assert rows("| Level | Hit dice |\n|---|---|\n| 7 | 7d8 |\n|  | 8d8 |") == [
        "Level 7: Hit dice 7d8",
        "Level: Hit dice 8d8",
    ]


def test_a_header_of_two_rows_is_joined_column_by_column() -> None:
    table = """
| Level | Saves |  | Slots |  |
|---|---|---|---|---|
|  | Death | Wands | 1 | 2 |
| 1 | 12 | 13 | – | 1 |
"""
    assert rows(table) == ["Level 1: Saves Death 12; Saves Wands 13; Slots 1 –; Slots 2 1"]
    assert read(table.strip().split("\n")).header_lines == 3


def test_a_row_of_bold_cells_below_a_header_with_gaps_is_its_second() -> None:
    table = """
|  | Coins |  | Gems |
|---|---|---|---|
| **Type** | **cp** | **sp** | **Worth** |
| *In a lair* |  |  |  |
| **A** | 25% | 30% | 9 |
"""
    assert rows(table) == [
        "In a lair",
        "In a lair, Type A: Coins cp 25%; Coins sp 30%; Gems Worth 9",
    ]
    assert read(table.strip().split("\n")).header_lines == 3
    total = "| Item |  | Price |\n|---|---|---|\n| **Total** | **3** | **10** |\n| Rope | 1 | 2 |"
    assert read(total.split("\n")).header_lines == 2  # figures are no names
    plain = table.replace("**", "")
    assert read(plain.strip().split("\n")).header_lines == 2  # a row may be called so
    named = table.replace("|  | Coins |  |", "| Hoard | Coins | More |")
    assert read(named.strip().split("\n")).header_lines == 2  # nothing is left to be named


def test_a_label_of_one_letter_gets_its_columns_name() -> None:
    assert rows("| Zone | Fare |\n|---|---|\n| B | 9 |\n| Sea | 12 |") == [
        "Zone B: Fare 9",
        "Sea: Fare 12",
    ]


def test_data_in_the_header_row_of_two_columns_is_a_row() -> None:
    table = read(["| Hit Dice | 1d8 |", "|---|---|", "| Armor | Any |"])
    assert [(row.line, row.text) for row in table.rows] == [(0, "Hit Dice: 1d8"), (2, "Armor: Any")]
    assert table.header_lines == 2


def test_an_empty_header_names_nothing() -> None:
    assert rows("|  |  |  |\n|---|---|---|\n| AC | 9 | none |") == ["AC: 9; none"]


def test_a_row_that_repeats_the_header_is_no_row_and_an_empty_one_neither() -> None:
    table = "| A | B | C |\n|---|---|---|\n| x | 1 | 2 |\n| A | B | C |\n|  |  |  |\n| y | 3 | 4 |"
    assert [(row.line, row.text) for row in read(table.split("\n")).rows] == [
        (2, "A x: B 1; C 2"),
        (5, "A y: B 3; C 4"),
    ]


def test_a_lone_short_cell_groups_the_rows_below_and_a_lone_note_does_not() -> None:
    table = """
| Item | Cost | Weight |
|---|---|---|
| **Blades** |  |  |
| Dagger | 3 | 1 |
| Blades of silver cost ten times the price given here |  |  |
| Sword | 10 | 6 |
| Bows ||  |
| Short bow | 25 | 3 |
"""
    assert rows(table) == [
        "Blades",
        "Blades, Dagger: Cost 3; Weight 1",
        "Blades of silver cost ten times the price given here",
        "Blades, Sword: Cost 10; Weight 6",
        "Bows",
        "Bows, Short bow: Cost 25; Weight 3",
    ]


def test_an_empty_label_is_the_one_above_where_there_are_three_columns() -> None:
    table = "| Zone | Weight | Price |\n|---|---|---|\n| A | 2 kg | 5 |\n|  | 5 kg | 9 |"
    assert rows(table) == ["Zone A: Weight 2 kg; Price 5", "Zone A: Weight 5 kg; Price 9"]


def test_a_cell_that_looks_like_the_mark_of_a_line_is_kept() -> None:
    table = "| # | Sown | Harvested |\n|---|---|---|\n| 1 | + | 0 |"
    assert rows(table) == ["# 1: Sown +; Harvested 0"]


def test_an_escaped_pipe_parts_no_cells() -> None:
    assert rows(r"| Roll | Result |" + "\n|---|---|\n" + r"| a \| b | c |") == ["a / b: Result c"]


def test_cells_beyond_the_header_are_kept_and_missing_ones_are_not_made_up() -> None:
    assert rows("| A | B |\n|---|---|\n| x | 1 | more | still |\n| y |\n| z | 2 |") == [
        "A x: B 1; more; still",
        "A y",
        "A z: B 2",
    ]


def test_a_table_without_rows_has_none() -> None:
    assert rows("| A | B |\n|---|---|") == []


CELLS = st.text(alphabet="ab1 \\|*-:", max_size=6)


@given(st.lists(st.lists(CELLS, max_size=5).map(lambda c: "|" + "|".join(c) + "|"), max_size=8))
@settings(deadline=None, derandomize=True)
def test_no_word_of_a_row_is_lost(lines: list[str]) -> None:
    source = ["| Name | Value | Note |", "|---|---|---|", *lines]
    table = read(source)
    numbers = [row.line for row in table.rows]
    assert numbers == sorted(set(numbers))
    assert all(table.header_lines <= number < len(source) for number in numbers)
    for row in table.rows:
        words = source[row.line]
        assert row.text.replace("Name", "").count("b") >= words.count("b")
    without = set(range(2, len(source))) - set(numbers)
    assert not any("b" in source[number] for number in without if number >= table.header_lines)


def test_a_header_of_three_rows_is_joined_and_a_later_row_without_a_label_is_none() -> None:
    table = "| Rank | Foes | |\n|---|---|---|\n| | 1 | 2 |\n| | (rat) | (cat) |\n"
    assert rows(table + "| 1 | 7 | 9 |\n| | 8 | 10 |") == [
        "Rank 1: Foes 1 (rat) 7; Foes 2 (cat) 9",
        "Rank 1: Foes 1 (rat) 8; Foes 2 (cat) 10",
    ]
    assert read((table + "| 1 | 7 | 9 |").split("\n")).header_lines == 4


@pytest.mark.parametrize("odd", ["|", "||", "| | |"])
def test_rows_none_of_which_has_a_label_are_data_below_two_headers(odd: str) -> None:
    table = "| Rank | Foes | |\n|---|---|---|\n| | rat | cat |\n| | 7 | 9 |\n| | 8 | 10 |\n"
    assert [row.line for row in read((table + odd).split("\n")).rows][:2] == [3, 4]
    group = "| Rank | Foes | |\n|---|---|---|\n| | rat | cat |\n| | small | |\n| 1 | 7 | 9 |"
    assert rows(group)[0] == "small"
    read((table[: table.index("| | 7")] + odd).split("\n"))


@pytest.mark.parametrize("line", ["|", "||", "", "|---|", "\\|", "x"])
def test_an_odd_row_is_read_and_not_raised(line: str) -> None:
    read(["| A | B |", "|---|---|", line])
