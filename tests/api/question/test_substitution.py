"""A follow-up that names another thing of the same kind asks the question before of that one."""

import pytest

from api.answer.question.substitution import asked_of_another
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
            "what hit die does an dwarves roll",
        ),
        ("and the Elf?", "can a Dwarf sing", "can a Elf sing"),
        ("what about business", "price of the team plan", "price of the business plan"),
        ("what about the kraken", "can an elf sing", None),  # of another kind
        ("and its price", "what does the team plan hold", None),  # of the same thing
        ("what about elves in the rain", "can a dwarf sing", None),  # more is asked
        ("elves", "can a dwarf sing", None),  # a question of its own
        ("what about elves", "can an elf sing", None),
    ],
)
def test_the_thing_takes_the_place_of_one_of_its_kind(
    typed: str, before: str, asked: str | None
) -> None:
    assert asked_of_another(typed, before, TERMS) == asked
