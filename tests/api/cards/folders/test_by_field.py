"""A field chooses the files of a folder: what is asked is met within one field, or denied by it."""

from collections.abc import Collection

import pytest

from api.answer.cards.folders import by_field, by_query, collected
from api.answer.cards.folders.folders import Folder
from api.answer.question.intent import Reading
from tests.support.index.indexed_text import reader_of, terms_of

FILES = {
    "huts/Alder.md": "# Alder\n**Stove:** none\n**Beds:** 4\n**Fee members:** free\n"
    "**Fee guests:** not let\n**Smoke-free:** yes\n**Lent to:** everyone\n**Shore:** east\n"
    "**Open:** Monday to Friday\n**Warden:** Ada Poe\n",
    "huts/Birch.md": "# Birch\n**Stove:** –\n**Beds:** 12\n**Fee members:** 3 euros a night\n"
    "**Fee guests:** 9 euros a night\n**Smoke-free:** no\n**Lent to:** clubs, not schools\n"
    "**Shore:** west\n**Open:** daily\n**Warden:** Ada Poe\n",
    "huts/Cedar.md": "# Cedar\n**Stove:** iron\n**Beds:** 20\n**Fee members:** free\n"
    "**Fee guests:** 14 euros a night\n**Smoke-free:** yes, since May\n**Lent to:** schools\n"
    "**Shore:** east only\n**Open:** Sunday\n**Warden:** Max Lund\n**Sizes:** 3–8\n",
    "nags/Ada.md": "# Ada\n**Bit:** snaffle\n",
    "nags/Bob.md": "# Bob\n**Bit:** none\n",
    "huts/Booking.md": "# Booking\n\nWho books pays at once. The sauna is dear.\n",
    "boats/Dory.md": "# Dory\n\n**Stove:** iron\n",
}
TERMS = terms_of(FILES)
read = reader_of(FILES)


def told(found: Collection[Folder]) -> list[str]:
    lines = [(one.title, one.entry.quote) for folder in found for one in folder.files if one.entry]
    return [f"{title}: {quote.replace('**', '')}" for title, quote in lines]


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("huts with a stove", ["Cedar: Stove: iron"]),
        ("huts without a stove", ["Alder: Stove: none", "Birch: Stove: –"]),
        (
            "which huts are free for members",
            ["Alder: Fee members: free", "Cedar: Fee members: free"],
        ),
        ("which huts are not smoke free", ["Birch: Smoke-free: no"]),
        ("huts guests cannot rent", ["Alder: Fee guests: not let"]),
        ("huts not on the east shore", ["Birch: Shore: west"]),
        ("huts on the east shore only", ["Cedar: Shore: east only"]),
        ("which huts can schools use", ["Alder: Lent to: everyone", "Cedar: Lent to: schools"]),
        ("which huts are not lent to schools", ["Birch: Lent to: clubs, not schools"]),
        (
            "which huts cost nothing for members",
            ["Alder: Fee members: free", "Cedar: Fee members: free"],
        ),
        ("huts that need schools", ["Cedar: Lent to: schools"]),  # not everyone
        ("huts ada looks after", ["Alder: Warden: Ada Poe", "Birch: Warden: Ada Poe"]),
    ],
)
def test_the_files_are_listed_whose_field_says_it(asked: str, lines: list[str]) -> None:
    assert told(by_field.chosen(asked, TERMS, read)) == lines


def test_where_values_are_not_compared_by_words_the_field_of_each_file_is_shown() -> None:
    opened = ["Alder: Open: Monday to Friday", "Birch: Open: daily", "Cedar: Open: Sunday"]
    assert told(by_field.chosen("which huts are open on sunday", TERMS, read)) == opened
    assert told(by_field.chosen("huts not open on sunday", TERMS, read)) == opened
    without = told(by_field.chosen("huts without max", TERMS, read))
    assert [one[-3:] for one in without] == ["Poe", "Poe", "und"]


@pytest.mark.parametrize(
    "asked",
    [
        "huts without a sauna",  # no field says it
        "huts with a stove for members",  # no one field says both
        "huts without a stove or not on the shore",
        "huts that are not for guests without a stove",
        "huts in size 5",  # which falls into ranges
        "huts that any guest may rent",
        "who keeps the huts without a stove",
        "boats without a stove",
        "which nags bite",  # a bit is for their mouth
    ],
)
def test_no_file_is_chosen_where_a_word_is_not_understood(asked: str) -> None:
    assert by_field.chosen(asked, TERMS, read) == ()


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("huts under 10 euros for guests", ["Birch: Fee guests: 9 euros a night"]),
        ("huts for more than 10 people", ["Birch: Beds: 12", "Cedar: Beds: 20"]),
        ("huts for 15 people", ["Cedar: Beds: 20"]),
        (
            "huts under 3 euros for members",
            ["Alder: Fee members: free", "Cedar: Fee members: free"],
        ),
        ("huts under 10 euros", []),  # whose fee?
    ],
)
def test_an_amount_chooses_by_the_one_field_that_is_called_so(asked: str, lines: list[str]) -> None:
    assert told(by_query.chosen(asked, TERMS, read, dict)) == lines


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("huts free for guests", []),  # members have one free, and guests a fee
        ("smoke free huts on the east shore", ["Alder", "Cedar"]),  # two fields that are named
    ],
)
def test_words_are_met_in_one_field_or_in_named_ones(asked: str, names: list[str]) -> None:
    found = collected.asked_for(asked, Reading("which"), TERMS, read)
    assert [one.title for folder in found for one in folder.files] == names
