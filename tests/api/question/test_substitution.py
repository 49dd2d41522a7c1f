"""A follow-up that names another thing of the same kind asks the question before of that one."""

import pytest

from api.answer.question.substitution import asked_of_another, in_full
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
        ("elves", "can a dwarf sing", None),  # a question of its own
        ("what about elves", "can an elf sing", None),
        ("and the elf?", "can a dwarf hit a dwarfish dwarf", "can an elf hit a dwarfish elf"),
    ],
)
def test_the_thing_takes_the_place_of_one_of_its_kind(
    typed: str, before: str, asked: str | None
) -> None:
    assert asked_of_another(typed, before, TERMS) == asked


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
