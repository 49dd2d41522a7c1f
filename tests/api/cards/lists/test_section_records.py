"""Sections with the same fields are chosen by them as the rows of a table are."""

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards import render
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

FILES = {
    "Equipment.md": (
        "# Equipment for hire\n\nMembers pay half.\n\n"
        "## Racket\n\n- Price: 3.00 per slot\n- Deposit: none\n- Weight: 0.3 kg\n\n"
        "## Projector\n\n- Price: 25.00 a day\n- Deposit: 100 euros\n- Weight: 4.2 kg\n\n"
        "## Table\n\n- Price: 4.00 a day\n- Deposit: none\n- Weight: 14 kg\n\n"
        "## Bicycle\n\n- Price: 9.00 a day\n- Deposit: 40 euros\n- Weight: 16 kg\n\n"
        "## Key\n\n- Price: 1.00\n"
    ),
    "Walls.md": (
        "# Walls\n\n## Depot\n\n| Feature | |\n|---|---|\n| Height | 14 m |\n| Setter | Mina |\n\n"
        "## Prow\n\n| Feature | |\n|---|---|\n| Height | 17 m |\n| Setter | Jonas |\n\n"
        "## Cave\n\n| Feature | |\n|---|---|\n| Height | 4 m |\n| Setter | Jonas |\n"
    ),
    "Fire.md": "# Fire\n\nNobody may light a fire.\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("which equipment needs no deposit", ["Racket", "Table"]),  # of the key nothing is said
        ("which equipment has a deposit", ["Projector", "Bicycle"]),
        ("equipment lighter than 5 kg", ["Racket", "Projector"]),
        ("which walls does jonas set", ["Prow", "Cave"]),
        ("walls over 10 metres", ["Depot", "Prow"]),
        ("which equipment is red", []),
        ("list all equipment", []),  # none is chosen
    ],
)
def test_a_field_chooses_sections(context: SearchContext, asked: str, shown: list[str]) -> None:
    card = card_reply(context, asked).cards[0]
    headings = [one.title for one in card.pieces if one.form == "fields" and one.title]
    called = [card.lines[part.first_line].strip("# ") for part in headings if card.said]
    assert called == shown
    assert bool(card.said) == bool(shown)


def test_each_section_shows_the_line_that_says_so(context: SearchContext) -> None:
    card = card_reply(context, "which equipment needs no deposit").cards[0]
    assert "**2 of 5 items found by *no deposit*:**" in render.markdown([card])
    assert render.text(card).split("\n\n")[:4] == [
        "**Racket**", "- Deposit: none", "**Table**", "- Deposit: none",
    ]  # fmt: skip
    assert [card.lines[part.first_line] for part in card.marked] == ["- Deposit: none"] * 2
