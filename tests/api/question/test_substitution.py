"""A follow-up that names another thing of the same kind asks the question before of that one."""

import pytest

from api.answer.question.substitution import (
    asked_of_another,
    in_full,
    in_its_place,
    of_another_number,
)
from tests.support.index.indexed_text import terms_of

TERMS = terms_of(
    {
        "1. Classes/Dwarf.md": "# Dwarf\n\nA dwarf sees in the dark.\n",
        "1. Classes/Elf.md": "# Elf\n\nAn elf sees in the dark.\n",
        "2. Plans.md": "# Plans\n\n| Plan | Price |\n|---|---|\n| Team | 9 |\n| Business | 16 |\n",
        "3. Monsters/Kraken.md": "# Kraken\n\nIt swims.\n",
    }
)


@pytest.mark.parametrize(
    ("typed", "before", "asked"),
    [
        (
            "what about dwarves?",
            "what hit die does an elf roll",
            "what hit die does a dwarf roll",
        ),
        ("and the Elf?", "can a Dwarf sing", "can an Elf sing"),
        ("what about business", "price of the team plan", "price of the business plan"),
        ("what about the kraken", "can an elf sing", None),  # of another kind
        ("and its price", "what does the team plan hold", None),  # of the same thing
        ("what about elves in the rain", "can a dwarf sing", None),  # more is asked
        ("elves", "can a dwarf sing", "can an elf sing"),
        ("price", "what does the team plan hold", None),  # of the same thing
        ("what about elves", "can an elf sing", None),
        ("and for an elf?", "what is a room for a dwarf", "what is a room for an elf"),
        ("and the elf?", "can a dwarf hit a dwarfish dwarf", "can an elf hit a dwarfish elf"),
    ],
)
def test_the_thing_takes_the_place_of_one_of_its_kind(
    typed: str, before: str, asked: str | None
) -> None:
    assert asked_of_another(typed, before, TERMS) == asked


@pytest.mark.parametrize(
    ("typed", "before", "asked"),
    [
        ("and on Fleet?", "how many probes on Crate", "how many probes on Fleet"),
        ("for a week", "what is paid for a day in May?", "what is paid for a week in May?"),
        (
            "and from abroad",
            "may I call from work if I am ill",
            "may I call from abroad if I am ill",
        ),
        ("and on Fleet?", "how many probes are there", None),  # nothing stands "on" something
        ("and for whom?", "who pays for lunch", None),  # asks by itself
        ("and with it?", "can I swim with a coat", None),  # points back
        ("and at sea", "at night at home, who is paid", None),  # in whose place?
    ],
)
def test_a_phrase_takes_the_place_of_the_one_with_its_preposition(
    typed: str, before: str, asked: str | None
) -> None:
    assert in_its_place(typed, before) == asked


def test_a_part_takes_the_place_of_its_like_and_not_of_the_whole() -> None:
    rings = "# Rings\n\nWorn.\n\n## Regeneration\n\nHeals.\n\n## Telekinesis\n\nMoves things.\n"
    terms = terms_of({"Rings.md": rings, "Ring Mail.md": "# Ring Mail\n\n## Ring\n\nOf steel.\n"})
    before = "what does a ring of regeneration do"
    assert (
        asked_of_another("and telekinesis?", before, terms) == "what does a ring of telekinesis do"
    )


def test_each_question_of_a_conversation_is_asked_in_full() -> None:
    typed = ["can a dwarf sing?", "and the elf?", "and a dwarf?", "is a kraken dumb?", "and it?"]
    full = ["can a dwarf sing?", "can an elf sing?", "can a dwarf sing?", *typed[3:]]
    assert in_full(typed, TERMS) == full


def test_a_thing_may_be_like_the_first_that_was_asked_about() -> None:
    terms = terms_of(
        {
            "Torch.md": "# Torch\n\nIt burns.\n\n## Lantern\n\nIt burns longer.\n",
            "Candle.md": "# Candle\n\nIt burns, too.\n",
        }
    )
    typed = ["how long does a torch burn?", "and a lantern?", "and a candle?"]
    assert in_full(typed, terms)[1:] == [
        "how long does a lantern burn?",
        "how long does a candle burn?",
    ]


@pytest.mark.parametrize(
    ("typed", "before", "asked"),
    [
        ("and grade 2?", "which ships have grade 3", "which ships have grade 2"),
        ("what about grade 12", "ships of grade 3 in May", "ships of grade 12 in May"),
        ("and speed 4", "which ships have grade 3", None),  # of another field
        ("and grade 2", "ships of grade 1 or grade 3", None),  # in whose place?
        ("and 2 more", "which ships have grade 3", None),
    ],
)
def test_a_number_takes_the_place_of_the_one_of_its_field(
    typed: str, before: str, asked: str | None
) -> None:
    assert of_another_number(typed, before) == asked


def test_one_is_no_part_of_what_a_row_is_called() -> None:
    asked = in_full(["price of the team plan", "and of the business one"], TERMS)[-1]
    assert asked == "price of the business plan"
