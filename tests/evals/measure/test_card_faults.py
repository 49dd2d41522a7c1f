"""Faults of cards: real cards have none, and each way of breaking one is named."""

from dataclasses import replace
from typing import Any

import pytest

from api.answer.card_reply import CardReply, card_reply
from api.answer.cards.blocks import Part
from api.answer.cards.card import Card, Piece
from evals.measure.card_faults import card_faults
from retrieval.context import SearchContext
from tests.conftest import RULES
from tests.support.index.ingested import IndexFiles

TABLE, SECTION = "Weapons.md", "Torches.md"
ROWS = "".join(f"| Thing {n} | {n} |\n" for n in range(1, 13))
FILES = {
    TABLE: f"# Weapons\n\n| Weapon | Cost (gp) |\n|---|---|\n{ROWS}| Battle axe | 70 |\n",
    SECTION: (
        "# Torches\n\nA torch burns for one hour.\nIt lights 30’ around its bearer.\n\n"
        "However, a torch goes out at once in water.\n"
    ),
    "Troll.md": "# Troll\n\n| Armour Class | 5 |\n|---|---|\n| Hit Dice | 6+3 |\n| Morale | 10 |\n",
    "Oils.md": RULES["2. Arms/Hazards.md"],
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.fixture(scope="module")
def torch(context: SearchContext) -> CardReply:
    return card_reply(context, "How long does a torch burn?")


@pytest.fixture(scope="module")
def axe(context: SearchContext) -> CardReply:
    return card_reply(context, "What does a battle axe cost?")


def faults(reply: CardReply, card: Card | None = None) -> list[str]:
    """What is wrong with a reply, whose first card is another one."""
    return list(card_faults(replace(reply, cards=(card,)) if card else reply, FILES))


def section(first: int, last: int) -> tuple[Piece, ...]:
    return (Piece("section", None, (Part(first, last),)),)


def test_what_is_shown_of_a_vault_has_no_fault(
    context: SearchContext, torch: CardReply, axe: CardReply
) -> None:
    asked = ["How many hit dice has a troll?", "How deep is a fall?", "List the weapons",
             "Torch and troll: what is the difference?"]  # fmt: skip
    for reply in (torch, axe, *(card_reply(context, question) for question in asked)):
        assert reply.cards
        assert faults(reply) == []


THIRD, FOURTH = FILES[SECTION].split("\n")[2:4]


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ({"lines": {3: THIRD.replace("one", "two")}}, "3): line 3 is not that of the file"),
        ({"lines": {99: "A torch burns."}}, "99): line 99 is not that of the file"),
        ({"lines": {3: THIRD}, "pieces": section(3, 3)}, "3): line 3 ends within a paragraph"),
        ({"lines": {4: FOURTH}, "pieces": section(4, 4)}, "4): line 4 begins within a paragraph"),
        ({"pieces": section(3, 4)}, "lines without their words ['However'"),
        ({"path": "gone.md"}, "is not that of the file"),
        ({"folded": True}, "the first card is folded"),
    ],
)
def test_a_broken_card_is_named(torch: CardReply, broken: dict[str, Any], fault: str) -> None:
    (found,) = faults(torch, replace(torch.cards[0], **broken))
    assert fault in found


def test_a_part_of_a_single_line_is_none(torch: CardReply) -> None:
    card = torch.cards[0]
    part = replace(card, lines={3: "A torch burns"}, pieces=section(3, 3))
    found = faults(torch, replace(part, chunk=replace(card.chunk, piece=1)))
    assert not any("is not that of the file" in fault for fault in found)


def test_a_table_without_its_header_is_a_fault(axe: CardReply) -> None:
    first = axe.cards[0]
    (piece,) = first.pieces
    assert piece.form == "table"
    assert piece.lead
    rows = {n: line for n, line in first.lines.items() if n > piece.lead.last_line}
    broken = replace(first, lines=rows, pieces=(replace(piece, lead=None),))
    assert faults(axe, broken) == [f"card 1 ({TABLE}:{min(rows)}): a table without its header"]


def test_a_folded_second_card_is_none_and_no_card_of_what_was_found_is_one(
    torch: CardReply,
) -> None:
    first = torch.cards[0]
    assert faults(replace(torch, cards=(first, replace(first, folded=True)))) == []
    assert faults(replace(torch, cards=())) == ["no card of what was found"]
    assert faults(replace(torch, cards=(), certainty="refused")) == []
    assert faults(replace(torch, cards=(), found=None)) == []


def test_each_card_is_named_with_its_fault(torch: CardReply, axe: CardReply) -> None:
    broken = replace(axe.cards[0], lines={3: "| Weapon | Price |"})
    found = faults(replace(torch, cards=(torch.cards[0], broken)))
    assert found == [f"card 2 ({TABLE}:3): line 3 is not that of the file"]
