"""Faults of cards: real cards have none, and each way of breaking one is named."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from api.answer.card_reply import CardReply, card_reply
from api.answer.cards.blocks import Part
from api.answer.cards.card import Card, Piece
from evals.measure.card_faults import card_faults
from retrieval.context import SearchContext
from tests.conftest import RULES, index_of, write_vault

TABLE, SECTION, FIELDS = "Weapons.md", "Torches.md", "Troll.md"
ROWS = "".join(f"| Thing {n} | {n} |\n" for n in range(1, 13))
FILES = {
    TABLE: f"# Weapons\n\n| Weapon | Cost (gp) |\n|---|---|\n{ROWS}| Battle axe | 70 |\n",
    SECTION: (
        "# Torches\n\nA torch burns for one hour.\nIt lights 30’ around its bearer.\n\n"
        "However, a torch goes out at once in water.\n"
    ),
    FIELDS: "# Troll\n\n| Armour Class | 5 |\n|---|---|\n| Hit Dice | 6+3 |\n| Morale | 10 |\n",
    "Oils.md": RULES["2. Arms/Hazards.md"],
}


@pytest.fixture(scope="module")
def context(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchContext]:
    vault = write_vault(tmp_path_factory.mktemp("faults"), FILES)
    with index_of(loaded, server, vault, rag_threshold=-9.0) as rules:
        yield rules


@pytest.fixture(scope="module")
def torch(context: SearchContext) -> CardReply:
    return card_reply(context, "How long does a torch burn?")


@pytest.fixture(scope="module")
def axe(context: SearchContext) -> CardReply:
    return card_reply(context, "What does a battle axe cost?")


def faults(reply: CardReply, card: Card | None = None) -> list[str]:
    """What is wrong with a reply, whose first card is another one."""
    return list(card_faults(replace(reply, cards=(card,)) if card else reply, FILES))


@pytest.mark.parametrize(
    "question",
    [
        "How long does a torch burn?",
        "What does a battle axe cost?",
        "How many hit dice has a troll?",
        "How deep is a fall?",
        "List the weapons",
        "Torch and troll: what is the difference?",
    ],
)
def test_what_is_shown_of_a_vault_has_no_fault(context: SearchContext, question: str) -> None:
    reply = card_reply(context, question)
    assert reply.cards
    assert faults(reply) == []


def test_a_line_that_is_not_the_files_is_a_fault(torch: CardReply) -> None:
    first = torch.cards[0]
    number = first.first_line
    lines = {**first.lines, number: first.lines[number].replace("one hour", "two hours")}
    where = f"card 1 ({SECTION}:{number})"
    expected = [f"{where}: line {number} is not that of the file"]
    assert faults(torch, replace(first, lines=lines)) == expected
    assert faults(torch, replace(first, lines={99: "A torch burns."})) == [
        f"card 1 ({SECTION}:99): line 99 is not that of the file"
    ]


def test_a_card_of_a_file_that_is_gone_is_a_fault(torch: CardReply) -> None:
    gone = replace(torch.cards[0], path="gone.md")
    assert [fault.split(": ", 1)[1] for fault in faults(torch, gone)] == [
        f"line {gone.first_line} is not that of the file"
    ]


def test_a_part_of_a_single_line_is_none(torch: CardReply) -> None:
    lines = {3: "A torch burns"}
    piece = Piece("section", None, (Part(3, 3),))
    card = torch.cards[0]
    part = replace(card, lines=lines, pieces=(piece,), chunk=replace(card.chunk, piece=1))
    found = faults(torch, part)
    assert not any("is not that of the file" in fault for fault in found)


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        (Part(3, 3), "line 3 ends within a paragraph"),
        (Part(4, 4), "line 4 begins within a paragraph"),
    ],
)
def test_a_cut_paragraph_is_a_fault(torch: CardReply, part: Part, fault: str) -> None:
    line = FILES[SECTION].split("\n")[part.first_line - 1]
    piece = Piece("section", None, (part,))
    broken = replace(torch.cards[0], lines={part.first_line: line}, pieces=(piece,))
    assert faults(torch, broken) == [f"card 1 ({SECTION}:{part.first_line}): {fault}"]


def test_a_table_without_its_header_is_a_fault(axe: CardReply) -> None:
    first = axe.cards[0]
    (piece,) = first.pieces
    assert piece.form == "table"
    assert piece.lead
    rows = {n: line for n, line in first.lines.items() if n > piece.lead.last_line}
    broken = replace(first, lines=rows, pieces=(replace(piece, lead=None),))
    (fault,) = faults(axe, broken)
    assert fault == f"card 1 ({TABLE}:{min(rows)}): a table without its header"


def test_lines_that_no_piece_shows_are_a_fault(torch: CardReply) -> None:
    first = torch.cards[0]
    assert 6 in first.lines
    above = Piece("section", None, (Part(3, 4),))
    (fault,) = faults(torch, replace(first, pieces=(above,)))
    assert fault.startswith(f"card 1 ({SECTION}:{first.first_line}): lines without their words [")
    assert "However" in fault


def test_a_folded_first_card_is_a_fault_and_a_folded_second_one_is_none(torch: CardReply) -> None:
    first = torch.cards[0]
    folded = replace(first, folded=True)
    assert faults(torch, folded) == ["the first card is folded"]
    assert faults(replace(torch, cards=(first, folded))) == []


def test_no_card_of_what_was_found_is_a_fault_and_of_a_refusal_it_is_none(torch: CardReply) -> None:
    assert faults(replace(torch, cards=())) == ["no card of what was found"]
    assert faults(replace(torch, cards=(), certainty="refused")) == []
    assert faults(replace(torch, cards=(), found=None)) == []


def test_each_card_is_named_with_its_fault(torch: CardReply, axe: CardReply) -> None:
    broken = replace(axe.cards[0], lines={3: "| Weapon | Price |"})
    found = faults(replace(torch, cards=(torch.cards[0], broken)))
    assert found == [f"card 2 ({TABLE}:3): line 3 is not that of the file"]
