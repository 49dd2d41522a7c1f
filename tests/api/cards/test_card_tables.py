"""What cards show of tables: the rows that answer, under their header, and nothing twice."""

from dataclasses import replace

import pytest

from api.answer.cards import render
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles
from tests.support.made.made_cards import VAULT, chosen, first, written


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def test_a_lead_in_that_ends_the_paragraph_above_is_said_once(context: SearchContext) -> None:
    shown = first(context, "What does a stowaway who is found at sea owe the master?")
    assert shown.count("A stowaway who is found at sea owes the master of the ship:") == 1


def test_further_cards_show_no_more_rows_of_a_table_that_is_shown(context: SearchContext) -> None:
    shown = chosen(context, "What is the wage of a helmsman?")
    of_table = [card for card in shown if card.best.kind == "row" and "Crew" in card.path]
    assert len(of_table) == 1


def test_of_two_things_each_is_shown_and_rows_of_one_table_stand_together(
    context: SearchContext,
) -> None:
    beasts = chosen(context, "What is the armour class of the kraken and the selkie?")
    assert [card.heading for card in beasts[:2]] == ["Kraken", "Selkie"]
    assert [card.folded for card in beasts] == [False, False, *[True] * (len(beasts) - 2)]
    rows = render.text(chosen(context, "What is the wage of a pilot and a surgeon?")[0])
    assert [one in rows for one in ("| Pilot |", "| Surgeon |")] == [True, True]


def test_of_two_rows_that_are_compared_both_are_marked(context: SearchContext) -> None:
    for asked in ("compare pilot and surgeon wages", "wage of a pilot vs a surgeon"):
        card = chosen(context, asked)[0]
        rows = [card.lines[number] for part in card.marked for number in part.numbers]
        assert sorted(row.split(" | ")[0] for row in rows) == ["| Pilot", "| Surgeon"]


def test_rows_that_are_called_alike_are_all_marked(index_files: IndexFiles) -> None:
    text = (
        "# Safety\n\n| Thing | Where | Checked |\n|---|---|---|\n"
        "| First-aid box, large | Desk | monthly |\n| First-aid box, small | Kitchen | yearly |\n"
        "| Stretcher | Store | yearly |\n"
    )
    context = index_files({"Safety.md": text}, rag_threshold=-9.0)
    for asked, rows in {
        "Where are the first aid boxes?": [5, 6],
        "where is the small box": [6],
    }.items():
        marked = chosen(context, asked)[0].marked
        assert [part.first_line for part in marked] == rows


def test_a_row_that_is_named_is_shown_alone_under_its_header(context: SearchContext) -> None:
    header, delimiter, *rows, _, more = first(context, "What is the wage of a helmsman?").split(
        "\n"
    )
    assert (header, delimiter) == ("| Sailor | Wage (gp) | Berth |", "|---|---:|---|")
    assert (rows, more) == (["| Helmsman | 45 | aft |"], "… 8 more rows")


def test_of_a_long_section_the_lines_that_answer_are_shown(context: SearchContext) -> None:
    card = chosen(context, "What does a surgeon earn?")[0]
    assert "| Surgeon | 80 | aft |" in render.text(card)
    assert "| Cook |" not in render.text(card)


def test_a_folded_row_names_its_columns(context: SearchContext) -> None:
    cook = next(
        card
        for card in chosen(context, "Which sailor works in the galley?")
        if "| Cook |" in card.best.quote
    )
    folded = replace(cook, folded=True, next_best=None)
    assert render.text(folded) == "Cook · Wage (gp): 25 · Berth: galley"
    assert written([folded]) == (
        "**[1] Crew > Wages** (1. Ships/1. Crew.md:11): Cook · Wage (gp): 25 · Berth: galley"
    )


def test_a_table_is_whole_where_no_row_says_more_of_the_question_than_its_heading(
    index_files: IndexFiles,
) -> None:
    def table(level: int, names: str) -> str:
        rows = "".join(f"| {n} | {name} | 1d4 |\n" for n, name in enumerate(names.split(), 1))
        return f"## Dungeon Level {level}\n\n| d8 | Monster | Number |\n|---|---|---|\n{rows}\n"

    names = "Goblin Kobold Bat Rat Wolf Ooze Zombie Ghoul Orc Gnoll Stirge"
    text = (
        "# Encounters\n\nRoll each hour.\n\n" + table(1, names) + table(2, names.replace("a", "o"))
    )
    asked = index_files({"Encounters.md": text})
    whole = first(asked, "What comes by on dungeon level 2?")
    assert whole.count("\n| ") == 11
    assert "| 2 | Kobold | 1d4 |" in whole
    one = first(asked, "How many wolf come on dungeon level 1?")
    assert "| 5 | Wolf | 1d4 |" in one
    assert "more rows" in one


HALL = {
    "Elm Hall.md": (
        "# Elm Hall\n\n**Floor:** first floor\n**Seats:** 60 in rows, 32 at tables\n"
        "**Hire:** 12 marks for clubs and charities\n**Things:** screen, stove and a piano\n"
        "**Kitchen:** yes, tea and cold food only\n**Lift:** yes\n"
        "**Alcohol:** wine with a permit of the warden\n**Key:** from the front desk\n\n"
        "The piano is tuned twice a year.\n"
    )
}


def test_a_stat_block_of_which_no_field_is_named_is_shown_whole(index_files: IndexFiles) -> None:
    card = chosen(index_files(HALL, rag_threshold=-9.0), "may i drink wine in the elm hall")[0]
    assert set(range(3, 11)) <= card.lines.keys()
    assert [part.first_line for part in card.marked] == [9]
