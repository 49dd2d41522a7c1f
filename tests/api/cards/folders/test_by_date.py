"""The files of a date that is asked for, by their front matter; other questions list none."""

import pytest

from api.answer.cards.folders import by_date
from retrieval.metadata.schema import Metadata
from tests.support.index.indexed_text import terms_of

STATED: dict[str, Metadata] = {
    "mill/Wheel.md": {"date": "2019-03-06", "owner": "Miller"},
    "mill/Sacks.md": {"date": "2021-11-30", "updated": "2023-06-01"},
    "mill/Fees.md": {"date": "2023-01-15"},
    "Doors.md": {"updated": "2023-06-01", "tags": ("keys", "2018-01-01")},
    "Yard.md": {"date": "soon"},
    "policies/Fines.md": {"date": "2022-01-01"},
    "policies/Noise.md": {"date": "2022-05-01"},
}
NAMES = ("Wheel", "Sacks", "Fees", "Doors", "Yard", "Fines", "Noise")
FILES = {path: f"# {name}\n\nAsk the miller.\n" for path, name in zip(STATED, NAMES, strict=True)}
TERMS = terms_of(FILES)


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ("what is the oldest page in the handbook, going by the date?", ["Wheel (2019-03-06)"]),
        ("which page has not been touched for the longest time", ["Wheel (2019-03-06)"]),
        ("latest page", ["Doors (2023-06-01)", "Sacks (2023-06-01)"]),
        ("which two pages were updated on the same day",
         ["Doors (2023-06-01)", "Sacks (2023-06-01)"]),
        ("pages written before 2022", ["Wheel (2019-03-06)"]),
        ("which rules are from before march 2022", ["Wheel (2019-03-06)", "Fines (2022-01-01)"]),
        ("pages updated since the start of february 2023",
         ["Doors (2023-06-01)", "Sacks (2023-06-01)"]),
        ("files from 2023 or later",
         ["Fees (2023-01-15)", "Doors (2023-06-01)", "Sacks (2023-06-01)"]),
        ("files from the end of 2019 or earlier", ["Wheel (2019-03-06)"]),
        ("pages newer than 2022", ["Fees (2023-01-15)", "Doors (2023-06-01)",
                                   "Sacks (2023-06-01)"]),
        ("pages dated in june 2023", ["Doors (2023-06-01)", "Sacks (2023-06-01)"]),
        ("pages up to 2019", ["Wheel (2019-03-06)"]),
        ("pages older than 2011", []),
        ("the oldest page about sacks", []),  # more is asked
        ("the oldest mill", []),  # no file
        ("the oldest page before 2023", []),
        ("are there pages of the same day", ["Doors (2023-06-01)", "Sacks (2023-06-01)"]),
        ("which pages are there", []),
        ("which rules are not older than 2022", []),  # denied
        ("which pages were not updated since 2022", []),
        ("do the rules of 2019 still hold", []),
        ("pages from 2019 to 2023", []),  # two years
        ("which chapter is the longest", []),  # no date
        ("which marketing 2023 pages are there", []),  # no month
        ("the oldest policy", ["Fines (2022-01-01)"]),  # of its folder
    ],
)  # fmt: skip
def test_only_a_date_lists_files(asked: str, titles: list[str]) -> None:
    found = by_date.chosen(asked, TERMS, lambda: STATED)
    assert [one.title for folder in found for one in folder.files] == titles


def test_the_list_says_what_chose_it() -> None:
    (folder,) = by_date.chosen("pages written before 2022", TERMS, lambda: STATED)
    assert (folder.path, folder.count, folder.words) == ("", 1, ("date:", "before 2022"))


def test_of_a_folder_that_is_called_so_its_files_alone_are_listed() -> None:
    (folder,) = by_date.chosen("the newest policy", TERMS, lambda: STATED)
    assert (folder.path, [one.title for one in folder.files]) == (
        "policies",
        ["Noise (2022-05-01)"],
    )


def test_one_file_with_a_date_is_no_list() -> None:
    assert by_date.chosen("newest page", TERMS, lambda: {"Yard.md": {"date": "2020-01-01"}}) == ()
