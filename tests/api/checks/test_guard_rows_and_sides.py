"""Rows and sections that are named, and names that open a sentence."""

import pytest

from api.checks.guard.findings import check
from api.checks.passage_lines import Source, lines

WARDS = Source(
    "lodge/Wards.md",
    "Wards",
    "",
    "| Ward | Reach (feet) | Toll |\n|---|---|---|\n| Ember | 15 | 40 gp |\n"
    "| Frost | 25 | free |\n| Thorn | 35 | 70 gp |\n| Moss | 45 | free |\n| Salt | 55 | - |\n\n"
    "| Hound | Grey |\n|---|---|\n| Hide | 7 |\n| Pack | large |\n",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What do they cost?", "The Frost ward costs 70 gp [1]."),
        ("What does the Frost ward cost?", "The toll is 40 gp [1]."),
        ("What do they cost?", "The last ward is Frost [1]. There the toll is 40 gp [1]."),
    ],
    ids=["statement", "question", "before"],
)
def test_a_number_of_another_row_than_the_one_named_is_welded(question: str, answer: str) -> None:
    found = [one for one in check(answer, (WARDS,), question) if one.kind == "welded"]
    assert len(found) == 1
    assert 'names the row "| Frost | 25 | free |"' in found[0].message


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("And Frost?", "Frost is free, while Ember costs 40 gp [1]."),
        ("Frost with ten feet?", "Frost reaches 25 feet, and 10 more make 35 feet in all [1]."),
        ("What hits?", "In a pack, too, a hound is hit on a 7 [1]."),
        ("Frost or Moss?", "The dearest toll is 70 gp [1]."),
        ("With Salt?", "The dearest toll is 70 gp [1]."),
    ],
    ids=["own row named", "calculated", "two columns", "two rows named", "nothing in its cell"],
)
def test_a_number_of_its_own_row_or_of_a_sum_passes_beside_another(
    question: str, answer: str
) -> None:
    assert check(answer, (WARDS,), question) == ()


RANKS = Source(
    "lodge/Ranks.md",
    "Ranks",
    "",
    "| Rank | XP | Bonus XP |\n|---|---|---|\n| Scout | 120 | 15 |\n| Warden | 300 | 45 |\n",
)


def test_an_ordinary_word_before_a_name_in_capitals_opens_the_sentence() -> None:
    assert check("Extra XP of a scout: 15 [1].", (RANKS,), "What does a scout get?") == ()


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Extra QF of a scout: 15 [1].", "QF"),
        ("Hollow Spire gives a scout 15 [1].", "Hollow Spire"),
        ("Old Hollow XP of a scout: 15 [1].", "Old Hollow XP"),
        ("A scout gets 15 as Hollow XP [1].", "Hollow XP"),
    ],
    ids=["capitals", "two words", "three words", "within the sentence"],
)
def test_a_name_that_no_passage_has_is_named(answer: str, name: str) -> None:
    found = check(answer, (RANKS,), "What does a scout get?")
    assert [one.text for one in found if one.kind == "name"] == [name]


BREWS = (
    Source("brews/Potions.md", "Swiftness", "", "The drinker moves 60 feet for 20 minutes."),
    Source("brews/Potions.md", "Stone Skin", "", "The drinker wards 4 blows for 45 minutes."),
)


@pytest.mark.parametrize(
    "answer",
    [
        "Nobody takes Stone Skin for that [2]. The drinker moves 60 feet for 20 minutes [1].",
        "# Stone Skin or not\n\nThe drinker moves 60 feet for 20 minutes [1].",
    ],
    ids=["sentence before", "heading"],
)
def test_a_section_named_only_before_a_statement_is_not_its_own(answer: str) -> None:
    assert check(answer, BREWS, "How fast is the drinker?") == ()


def test_a_section_named_in_the_statement_itself_is_not_that_of_its_number() -> None:
    answer = "By Stone Skin the drinker moves 60 feet [1][2]."
    found = [one for one in check(answer, BREWS, "How fast?") if one.kind == "case"]
    assert [one.text for one in found] == ["60 feet"]
    assert "Stone Skin" in found[0].message


SHOP = Source("lodge/Shop.md", "Shop", "", "A guest of rank 2 pays 9 coins for a bed.")


def test_a_count_of_the_question_is_no_claim_of_the_answer() -> None:
    answer = "With 30 coins you can pay a bed of 9 coins [1]."
    assert check(answer, (SHOP,), "I hold 30 coins, can I pay a bed?") == ()


def test_a_rank_of_the_question_is_no_count_of_the_answer() -> None:
    found = check("A bed is 5 coins [1].", (SHOP,), "What is a bed at rank 5?")
    assert [(one.kind, one.text) for one in found] == [("number", "5")]


SAVES = "| Class | Saving throws | | |\n|---|---|---|---|\n| | Death | Wands | Poison |"
ROWS = "| Fighter | 12 | 13 | 14 |\n| Cleric | 11 | 12 | 16 |"


@pytest.mark.parametrize(("context", "text"), [("", f"{SAVES}\n{ROWS}"), (SAVES, ROWS)])
def test_a_table_that_is_cut_keeps_both_lines_of_its_header(context: str, text: str) -> None:
    saves = Source("Saves.md", "Saves", context, text)
    asked = "What is the save?"
    assert check("A fighter's save against wands is 13 [1].", (saves,), asked) == ()
    found = check("A fighter's save against wands is 14 [1].", (saves,), asked)
    assert [one.kind for one in found] == ["welded"]


ARMS = "Weapon | Damage | Price\n---|---|---"
SOLD = "Axe | 1d6 | 7 gp\nSword | 1d8 | 10 gp"


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("", f"{ARMS}\n{SOLD}"),
        (ARMS, SOLD),
        ("", f"Sold here:\n{ARMS}\n{SOLD}\n\nNo bows | slings."),
        ("", "> Sold here:\n>\n> | Weapon | Damage | Price |\n> |---|---|---|\n"
             "> | Axe | 1d6 | 7 gp |\n> | Sword | 1d8 | 10 gp |"),
        ("", "".join(f"> {row}\n" for row in f"{ARMS}\n{SOLD}".split("\n"))),
        ("> Weapon | Damage | Price\n> ---|---|---", "> Axe | 1d6 | 7 gp\n> Sword | 1d8 | 10 gp"),
    ],
    ids=["no bars", "cut", "below a line", "quoted", "quoted without bars", "quoted and cut"],
)  # fmt: skip
def test_a_table_without_bars_on_its_sides_or_in_a_quote_is_read_by_rows(
    context: str, text: str
) -> None:
    arms = Source("Arms.md", "Arms", context, text)
    assert check("An axe costs 7 gp [1].", (arms,), "How much?") == ()
    found = check("An axe costs 10 gp [1].", (arms,), "How much?")
    assert [one.kind for one in found] == ["welded"]
    rows = [line for line in lines(arms, 1) if line.kind == "row" and line.cells[-1].column]
    assert [(line.key, line.cells[2].column) for line in rows] == [
        ("Axe", "Price"), ("Sword", "Price")
    ]  # fmt: skip
    assert all(text[line.start :].startswith(line.quote) for line in rows)
