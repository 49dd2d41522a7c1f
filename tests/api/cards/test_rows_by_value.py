"""The rows that have most of something, or an amount that fits, in the table that was found.

The texts are of no vault that anything was fitted on.
"""

import pytest

from api.answer.cards.rows_by_value import rows_by_value
from retrieval.ranking.lines import QuestionWords
from tests.support.index.indexed_text import indexed_file, terms_of

TEXT = (
    "# Sick bay\n\n## How long in the ward\n\n| Illness | Days | Ends when |\n|---|---|---|\n"
    "| Mites | 7 | two baths |\n| Ringworm | 28–60 | two cultures |\n| Cough | 10 | no cough |\n"
    "\n## Post\n\n| Service | Days | Price | Open to |\n|---|---|---|---|\n"
    "| Letter | 5–21 | £2 | all |\n| Parcel | 10 | £4 | all |\n| Courier | 2 | £9 | staff |\n"
    "| Sea mail | up to 60 | £3 | all |\n"
    "\n## Fees\n\n| Kind | Low season | High season |\n|---|---|---|\n"
    "| Hen | £8 | £9 |\n| Grey parrot | £50 | £95 |\n| Rabbit | £40 | £65 |\n| Green parrot | £60 "
    "| £70 |\n"
)
FILE = indexed_file(TEXT, "clinic/Sick bay.md")
TERMS = terms_of({"clinic/Sick bay.md": TEXT})


def most(question: str, begins: str) -> list[str] | None:
    best = next(one for one in FILE.entries if one.quote.startswith(f"| {begins}"))
    found = rows_by_value(FILE, best, QuestionWords.of(question, TERMS))
    return None if found is None else [one.quote.split(" | ")[0].strip("| ") for one in found]


@pytest.mark.parametrize(
    ("question", "begins", "names"),
    [
        ("which illness keeps an animal longest", "Mites", ["Ringworm"]),
        ("which illness keeps an animal shortest", "Mites", ["Mites"]),
        ("what is the most expensive thing to adopt in high season", "Hen", ["Grey parrot"]),
        ("what is the cheapest parrot in low season", "Hen", ["Grey parrot"]),  # of the parrots
        ("what is the cheapest animal", "Hen", []),  # of which season?
        ("which is the best illness", "Mites", []),  # of what?
        ("longest stay with ringworm", "Mites", None),  # one row is named
        ("how long does ringworm last", "Mites", None),
        ("which illness has the most days", "Mites", ["Ringworm"]),
        ("where do they mostly sleep, and the most often", "Mites", None),  # no column
        ("which animals can i have for less than £45 in low season", "Hen", ["Hen", "Rabbit"]),
        ("what parrots are over £55 in low season", "Hen", ["Green parrot"]),
        ("which animals cost over £500", "Hen", []),
        ("what do i get for £45 in low season", "Hen", None),  # that is a price
        ("do you take more than £45 in the low season", "Hen", None),  # none are asked for
        ("which animals are there with no fee over £45", "Hen", None),  # denied
        ("which stays are longer than 9 days", "Mites", ["Ringworm", "Cough"]),
        ("what is the cheapest green parrot in high season", "Hen", None),  # one row is named
        ("which parrots cost less than £40 in low season", "Hen", []),
        ("which service takes longest", "Parcel", ["Sea mail"]),  # by the end of a range
        ("which service takes the shortest time", "Parcel", ["Courier"]),
        ("which services cost over £3 and take under 5 days", "Parcel", None),  # two limits
        ("what is the second cheapest service", "Parcel", []),
        ("which service is not the cheapest", "Parcel", None),
        ("which services under £5 are open to staff", "Parcel", []),
        ("what is the best time for a parcel", "Parcel", None),
        ("what is the cheapest high season animal", "Hen", ["Hen"]),
    ],
)
def test_the_rows_are_told_by_their_column(
    question: str, begins: str, names: list[str] | None
) -> None:
    assert most(question, begins) == names
