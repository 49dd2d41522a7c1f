"""A list that is asked for as a whole is counted and shown whole; of a very long one the first."""

from dataclasses import replace

import pytest

from api.answer.cards import card_selection, render
from api.answer.cards.card import Card
from api.answer.cards.lists import listing
from api.answer.question import intent
from retrieval.context import SearchContext
from retrieval.models import Chunk, Evidence, Hit, SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.search import search
from retrieval.search_trace import Timings
from retrieval.text.question_phrases import without_command
from tests.support.index.indexed_text import indexed_file, terms_of
from tests.support.index.ingested import IndexFiles
from tests.support.vaults.made_vault import FILES

NOTHING = SearchResult("", (), (), "off", "off", 0.0, "1.1", Timings(0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


def listed(found: SearchResult) -> list[Card]:
    return listing.cards(found, QuestionWords.of(without_command(found.question), found.terms))


def first(context: SearchContext, asked: str) -> Card:
    found = search(context, asked)
    return card_selection.choose(found, (), intent.read(asked, found.terms))[0]


def lines(path: str, beginning: str) -> list[str]:
    return [line for line in FILES[path].split("\n") if line.startswith(beginning)]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("list all sailors", True),
        ("which sailors are there?", True),
        ("list all winged sailors", False),
        ("list all sailors of the moon", False),
    ],
)
def test_a_list_is_counted_where_it_says_all_that_is_asked(
    context: SearchContext, asked: str, said: bool
) -> None:
    card = first(context, asked)
    assert card.path == "1. Ships/1. Crew.md"
    assert [card.says_all, bool(card.counted)] == [said] * 2
    assert card.parts == (9, 9)  # whole all the same


@pytest.mark.parametrize(
    "asked",
    ["List all sailors", "list all the sailors and their wages", "Which sailors are there?"],
)
def test_a_table_is_shown_whole_and_counted(context: SearchContext, asked: str) -> None:
    card = first(context, asked)
    assert (card.path, card.form, card.counted, card.left_out) == (
        "1. Ships/1. Crew.md",
        "table",
        9,
        0,
    )
    assert render.text(card).split("\n") == lines("1. Ships/1. Crew.md", "|")
    assert "**9 rows:**\n\n| Sailor | Wage (gp) | Berth |" in render.markdown([card])


@pytest.mark.parametrize("asked", ["Which sailors berth aft?", "list sailors that berth aft"])
def test_rows_are_chosen_by_the_words_that_the_table_s_name_lacks(
    context: SearchContext, asked: str
) -> None:
    card = first(context, asked)
    assert (card.counted, card.left_out, card.said) == (5, 4, ("aft",))
    assert render.text(card).split("\n")[2:] == [
        *(line for line in lines("1. Ships/1. Crew.md", "| ") if "| aft" in line),
        "",
        "… 4 more rows",
    ]
    assert "**5 of 9 rows found by *aft*:**" in render.markdown([card])


@pytest.mark.parametrize("asked", ["Which sailors don't get aft?", "Which sailors get 90 gp aft?"])
def test_no_row_is_left_out_by_what_is_denied_or_a_number(
    context: SearchContext, asked: str
) -> None:
    found = search(context, asked)
    cards = card_selection.choose(found, (), intent.read(asked, found.terms))
    assert not any(card.said for card in cards)


def test_a_value_that_is_denied_leaves_the_rows_with_another(context: SearchContext) -> None:
    card = first(context, "Which sailors are not aft?")
    assert (card.counted, card.said) == (4, ("not", "aft"))


def test_rows_are_chosen_by_a_number_that_is_a_whole_cell(index_files: IndexFiles) -> None:
    rows = "".join(
        f"| {row} |\n" for row in ("late | 403", "lost | 404", "shut | 403", "wet | 4030")
    )
    page = f"# Errors\n\nAn error ends a voyage.\n\n| Error | Number |\n|---|---|\n{rows}"
    rules = index_files({"Errors.md": page}, rag_threshold=-9.0)
    card = first(rules, "which errors are a 403")
    assert render.text(card).split("\n")[2:4] == ["| late | 403 |", "| shut | 403 |"]
    assert (card.counted, card.said) == (2, ("403",))
    assert first(rules, "which errors are above 403").counted is None


def test_a_list_that_says_all_that_is_asked_comes_before_a_line_of_its_file(
    context: SearchContext,
) -> None:
    assert first(context, "what can sailors do for their wages").counted == 9


def test_a_field_of_a_thing_stands_above_a_list_nearby(context: SearchContext) -> None:
    card = first(context, "list all the treasures selkies have")
    assert (card.path, card.form) == ("2. Beasts/Selkie.md", "fields")
    assert render.text(card) == "- **Treasure:** a pearl\n\n… 4 more fields"


def test_a_list_is_shown_whole_behind_its_lead_in(context: SearchContext) -> None:
    card = first(context, "List all the things that a ship must carry when it leaves the harbour")
    assert (card.form, card.counted) == ("list", 3)
    text = render.markdown([card])
    assert "**3 items:**\n\nBefore it leaves the harbour, a ship must carry:\n\n- fresh" in text
    assert "- a chest of tools with\n  - a caulking iron\n  - two hammers\n- one spare" in text


def test_of_over_forty_rows_the_first_are_shown_and_all_counted(context: SearchContext) -> None:
    card = first(context, "List all signal flags")
    assert (card.path, card.counted, card.left_out) == ("1. Ships/2. Flags.md", 45, 35)
    assert render.text(card).split("\n")[2:12] == lines("1. Ships/2. Flags.md", "| Flag")[:10]
    assert render.text(card).endswith("\n\n… 35 more rows")
    assert "**45 rows, the first 10:**" in render.markdown([card])


@pytest.mark.parametrize("rows", [listing.MOST, listing.MOST + 1])
def test_a_list_of_forty_is_whole_and_of_one_more_is_not(
    index_files: IndexFiles, rows: int
) -> None:
    names = "".join(f"- the {number}th rope\n" for number in range(1, rows + 1))
    rules = index_files({"Ropes.md": f"# Ropes\n\n{names}"}, rag_threshold=-9.0)
    card = first(rules, "List all ropes")
    whole = rows == listing.MOST
    assert (card.counted, card.left_out) == (rows, 0 if whole else rows - 10)
    assert len(card.lines) == (rows if whole else 10)


def test_a_file_s_sections_are_a_list_by_their_headings(index_files: IndexFiles) -> None:
    names = ["Boarding", "Ramming", "Burning", "Fleeing"]
    body = "".join(f"## {name}\n\nThe master of the ship decides on it.\n\n" for name in names)
    files = {"Manoeuvres.md": f"# Manoeuvres\n\n{body}", "Oil.md": "# Oil\n\nOil burns.\n"}
    rules = index_files(files, rag_threshold=-9.0)
    card = first(rules, "List all manoeuvres")
    assert (card.path, card.counted) == ("Manoeuvres.md", 4)
    assert list(card.lines.values()) == [f"## {name}" for name in names]


def test_a_list_is_marked_whole_and_is_the_file_s_own(context: SearchContext) -> None:
    for asked in ("List all sailors", "List all signal flags", "What must a ship carry? List all"):
        for card in listed(search(context, asked)):
            own = FILES[card.path].split("\n")
            assert all(own[number - 1] == line for number, line in card.lines.items())
            assert {card.pieces[0].parts} == {card.marked}
            assert not card.folded


def test_at_most_two_lists_are_chosen_and_none_twice(context: SearchContext) -> None:
    for asked in ("List all sailors", "List all flags", "list everything of a ship"):
        found = listed(search(context, asked))
        assert len({(card.path, card.first_line) for card in found}) == len(found) <= 2


def test_no_list_is_made_of_what_has_two_parts_or_of_nothing(index_files: IndexFiles) -> None:
    files = {"Oars.md": "# Oars\n\n- the long oar\n- the short oar\n"}
    rules = index_files(files, rag_threshold=-9.0)
    assert listed(search(rules, "List all oars")) == []
    card = first(rules, "List all oars")
    assert (card.counted, card.folded) == (None, False)
    assert render.text(card) == "- the long oar\n- the short oar"


def test_a_plain_question_counts_nothing(context: SearchContext) -> None:
    assert first(context, "What is the wage of a helmsman?").counted is None


@pytest.mark.parametrize(
    ("asked", "first_cell"),
    [
        ("weapon qualities, list em all", "Slow"),
        ("the d6 list of weapons", "1"),
        ("list all weapons", "Bow"),
    ],
)
def test_of_a_file_s_tables_the_one_whose_heading_or_die_is_asked_for_is_first(
    asked: str, first_cell: str
) -> None:
    source = (
        "# Weapons\n\n| Weapon | Qualities |\n|---|---|\n| Bow | slow |\n| Axe | - |\n"
        "| Mace | - |\n| Pike | - |\n\n## Qualities\n\n| Quality | Effect |\n|---|---|\n"
        "| Slow | Acts last. |\n| Blunt | No edge. |\n| Brace | Set it. |\n\n## At random\n\n"
        "| 1d6 | Find |\n|---|---|\n| 1 | Bow |\n| 2 | Axe |\n| 3-6 | none |\n"
    )
    file = indexed_file(source)
    terms = terms_of({file.path: source})
    evidence = tuple(Evidence(entry, 0.5) for entry in file.entries)
    hit = Hit(Chunk(file.path, "Weapons", 1, 30, source), 1.0, evidence)
    found = replace(NOTHING, question=asked, hits=(hit,), files={file.path: file}, terms=terms)
    card = listed(found)[0]
    assert render.text(card).split("\n")[2].startswith(f"| {first_cell} |")


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("list all manoeuvres", ["- Boarding", "- Ramming (optional)", "- Fleeing (optional)"]),
        ("kinds of boarding", ["- By night", "- By rope", "- By ram"]),
    ],
)
def test_headings_are_lists_within_a_section_too(asked: str, shown: list[str]) -> None:
    inside = "".join(f"### By {name}\n\nIt is loud.\n\n" for name in ("night", "rope", "ram"))
    source = (
        f"# Manoeuvres\n\n## Boarding\n\nAll hands.\n\n{inside}## Ramming (optional)\n\nAll oars."
        "\n\n## Fleeing (optional)\n\nAll sails.\n"
    )
    file = indexed_file(source)
    evidence = tuple(Evidence(entry, 0.5) for entry in file.entries)
    hit = Hit(Chunk(file.path, "Manoeuvres", 1, 30, source), 1.0, evidence)
    terms = terms_of({file.path: source})
    found = replace(NOTHING, question=asked, hits=(hit,), files={file.path: file}, terms=terms)
    assert render.text(listed(found)[0]).split("\n") == shown
