"""The rows of a table that an amount chooses: by unit, by column, and none where it cannot say."""

import pytest

from api.answer.cards.blocks import Block, Part, blocks
from api.answer.cards.lists.rows import chosen_rows, table_rows
from retrieval.ranking.lines import QuestionWords
from tests.support.index.indexed_text import indexed_file, terms_of

GEAR = """# Gear

| Item | Cost (gp) | Weight | Lasts | Carriers |
|---|---|---|---|---|
| Rope | 1 | 50 lb | 2 years | 1 |
| Nails | 5 sp | 8 oz | 90 days | 1 |
| Sail | 40 | 200 lb | 10 months | 4 |
| Flag | free | 1 lb | 3 weeks | 1 |
| Anchor | by offer | 900 lb | - | 6-8 |
| Oar | 20 | 9 lb | 5 years | 2 |
"""


@pytest.mark.parametrize(
    ("asked", "rows", "said"),
    [
        ("gear under 20 gp", ["Rope", "Nails", "Flag"], "under 20 gp"),
        ("what can I buy for 20 gp", ["Rope", "Nails", "Flag", "Oar"], "for 20 gp"),
        ("gear for 1 gp or less", ["Rope", "Nails", "Flag"], "for 1 gp or less"),
        ("gear that costs less than 20", ["Rope", "Nails", "Flag"], "less than 20"),
        ("gear between 10 and 40 gp", ["Sail", "Oar"], "between 10 and 40 gp"),
        ("gear that doesn't cost more than 1 gp", ["Rope", "Nails", "Flag"], "not more than 1 gp"),
        ("gear that isn't under 20 gp", ["Sail", "Oar"], "not under 20 gp"),
        ("gear for no more than 1 gp", ["Rope", "Nails", "Flag"], "not more than 1 gp"),
        ("gear cheaper than 1 gp", ["Nails", "Flag"], "cheaper than 1 gp"),
        ("gear that lasts more than 100 days", ["Rope", "Sail", "Oar"], "more than 100 days"),
        ("gear that weighs at most 1 pound", ["Nails", "Flag"], "at most 1 pound"),
        ("gear that needs at least 4 carriers", ["Sail", "Anchor"], "at least 4 carriers"),
        ("gear for twenty gp", ["Rope", "Nails", "Flag", "Oar"], "for 20 gp"),
    ],
)
def test_an_amount_chooses_the_rows_that_fit_it(asked: str, rows: list[str], said: str) -> None:
    found = chosen(asked)
    assert found is not None
    assert names(found) == rows
    assert " ".join(found.said) == said


@pytest.mark.parametrize(
    "asked",
    [
        "gear for 20 crowns",  # of no column
        "gear that costs under 500 gp",  # all that has a price
        "gear under 7 fathoms",
        "gear from 40 gp",  # no range
        "gear that costs more than 900 gp",  # none
    ],
)
def test_an_amount_that_fits_no_column_or_every_row_chooses_none(asked: str) -> None:
    assert chosen(asked) is None


SKILLS = """# Skills

| Level | Climb | Hide | Kind |
|---|---|---|---|
| 1 | 87% | 10% | young thief |
| 2 | 88% | 12% | thief |
| 12 | 98% | 90% | old thief |
"""


@pytest.mark.parametrize(
    ("asked", "row"),
    [("skills at level 2", "| 2 |"), ("skills at level 12", "| 12 |"), ("skills of level 3", "")],
)
def test_a_number_that_is_a_row_s_name_chooses_it(asked: str, row: str) -> None:
    file = indexed_file(SKILLS)
    words = QuestionWords.of(asked, terms_of({file.path: SKILLS}))
    found = chosen_rows.chosen(file, blocks(file)[0], words)
    lines = SKILLS.split("\n")
    shown = [lines[part.first_line - 1][:6] for part in found.parts] if found else [""]
    assert [one.strip()[: len(row)] for one in shown] == [row]


SAVES = """# Saves

Strength (STR) helps none.

| Class | Level | Poison |
|---|---|---|
| Dwarf | 1-3 | 8 |
| Dwarf | 4-6 | 6 |
| Fighter | 1-3 | 12 |
| Fighter | 4-6 | 10 |

## Strength

| STR | To hit |
|---|---|
| 3-8 | -1 |
| 9-12 | none |
| 13-18 | +1 |
"""


@pytest.mark.parametrize(
    ("asked", "table", "shown", "said"),
    [
        ("what saves do fighters have at level 5", 0, ["| Fighter | 4-6 "], "fighters 5"),
        ("saves at level 2", 0, ["| Dwarf | 1-3 ", "| Fighter | 1-3 "], "2"),
        ("what modifiers does strength 16 give", 1, ["| 13-18 "], "16"),
        ("what modifiers does strength 20 give", 1, [], ""),  # in no range
        ("saves of fighters from level 2 to 5", 0, [], ""),  # more than one
    ],
)
def test_a_number_chooses_the_rows_whose_range_holds_it(
    asked: str, table: int, shown: list[str], said: str
) -> None:
    file = indexed_file(SAVES)
    words = QuestionWords.of(asked, terms_of({file.path: SAVES}))
    tables = [one for one in blocks(file) if one.kind == "table"]
    found = chosen_rows.chosen(file, tables[table], words)
    lines = SAVES.split("\n")
    rows = [lines[part.first_line - 1].rsplit("|", 2)[0] for part in found.parts] if found else []
    assert rows == shown
    assert " ".join(found.said if found else ()) == said
    other = chosen_rows.chosen(file, tables[table], words, is_likeliest=False)
    assert other is None  # numbers fall into ranges of many tables


@pytest.mark.parametrize(
    ("asked", "count"),
    [("old skills under 95%", 0), ("young skills under 95%", 1), ("skills under 95%", 2)],
)
def test_of_the_rows_of_an_amount_those_that_say_the_rest(asked: str, count: int) -> None:
    file = indexed_file(SKILLS)
    words = QuestionWords.of(asked, terms_of({file.path: SKILLS}))
    found = chosen_rows.chosen(file, blocks(file)[0], words)
    assert len(found.parts if found else ()) == count  # no old one is under 95%


@pytest.mark.parametrize(
    ("asked", "nearest", "row"),
    [
        ("which gear lasts weeks", "Flag", "Flag"),
        ("which gear lasts weeks", "Oar", "Flag"),  # the column that is named says so
        ("which gear needs weeks", "Oar", ""),  # search found another row nearer
        ("which gear needs weeks", "Flag", "Flag"),
        ("which gear can a rope have", "Rope", ""),  # the section is about ropes
        ("which oars can be used", "Oar", ""),  # the noun alone says nothing of what is asked
        ("which gear has 3 weeks", "Flag", ""),  # a number may be there by chance
        ("which gear lasts 3 weeks", "Oar", "Flag"),  # but in the column that is named
    ],
)
def test_words_choose_a_row_alone_that_is_nearest_too(asked: str, nearest: str, row: str) -> None:
    source = GEAR.replace("# Gear\n", "# Gear\n\nA rope is never lent.\n")
    file = indexed_file(source)
    words = QuestionWords.of(asked, terms_of({file.path: source}))
    best = next(one for one in file.entries if one.quote.startswith(f"| {nearest} "))
    table = next(one for one in blocks(file) if one.kind == "table")
    found = chosen_rows.chosen(file, table, words, nearest=best)
    rows = [file.lines[part.first_line].split(" | ")[0] for part in found.parts] if found else []
    assert rows == ([f"| {row}"] if row else [])


def test_a_word_chooses_among_headings() -> None:
    source = (
        "# Attacks\n\n## Parry (optional)\n\nA.\n\n## Charge\n\nB.\n\n## Sweep (optional)\n\nC.\n"
    )
    file = indexed_file(source)
    parts = tuple(Part(number, number) for number in (3, 7, 11))
    words = QuestionWords.of("the optional attacks", terms_of({file.path: source}))
    found = chosen_rows.chosen(file, Block("headings", "Attacks", None, parts), words)
    assert found == table_rows.Chosen((parts[0], parts[2]), ("optional",))


def chosen(asked: str) -> table_rows.Chosen | None:
    file = indexed_file(GEAR)
    words = QuestionWords.of(asked, terms_of({file.path: GEAR}))
    return chosen_rows.chosen(file, blocks(file)[0], words)


def names(found: table_rows.Chosen) -> list[str]:
    lines = GEAR.split("\n")
    return [lines[part.first_line - 1].split("|")[1].strip() for part in found.parts]


def test_an_amount_chooses_items_of_a_list_only_where_it_is_called_as_what_is_asked() -> None:
    source = "# Hire\n\n## Extras\n\n- Stool: 2 euros\n- Lamp: 9 euros\n"
    file = indexed_file(source, "huts/Hire.md")
    terms = terms_of({"huts/Hire.md": source, "huts/Alder.md": "# Alder\n\nBy the lake.\n"})
    items = next(one for one in blocks(file) if one.kind == "list")
    extras = chosen_rows.chosen(file, items, QuestionWords.of("extras under 5 euros", terms))
    assert extras
    assert len(extras.parts) == 1
    asked = QuestionWords.of("huts under 5 euros", terms)
    assert chosen_rows.chosen(file, items, asked) is None
