"""Search as you type over the vault: what is called so first, with misspelt words corrected."""

import pytest

from api.page.heading_search import Headings, find
from api.page.vault import folders
from api.state import AppState
from retrieval.text.reading_order import reading_order
from tests.support.index.ingested import IndexFiles

VAULT = {
    "1. Dangers/Hazards.md": (
        "# Hazards\n\nWhat the world does.\n\n## Falling\n\n"
        "A fall deals **1d6** for each ten feet.\n\n"
        "### Falling objects\n\n- Duration: at once\n\nA rock deals 2d6.\n\n"
        "## Damage of falling\n\nSee [[Weapons|the weapons]].\n"
    ),
    "1. Dangers/Feather Falling.md": "# Feather Falling\n\n## Range\n\nIt works on one creature.\n",
    "2. Arms/Weapons.md": (
        "# Weapons\n\n## Blades\n\n| Weapon | Cost |\n|---|---|\n| Sword | 10 |\n"
        "| Plate mail, old | 70 |\n| Plate mail | 60 |\n\n"
        "## Back-stab\n\nWhoever wears no plate mail strikes from behind.\n"
    ),
    "3. Magic/Missile.md": "# Magic Missile\n\nA dart of light. It does not miss.\n",
    "3. Magic/Deep.md": "# Deep\n\n## One\n\n### Two\n\nNothing but a missile here.\n",
    "README.md": "# Lamp\n\nA small game of falling lamps.\n",
}


@pytest.fixture(scope="module")
def oracle(index_files: IndexFiles) -> AppState:
    """What an API opens over the vault above."""
    return AppState(index_files(VAULT), None)


def found(oracle: AppState, typed: str) -> list[str]:
    """The headings, each with its file's name."""
    return [f"{one.path.split('/')[-1]}: {one.heading}" for one in find(oracle, typed).headings]


def test_who_is_called_so_comes_first_then_who_begins_so_then_who_has_the_words(
    oracle: AppState,
) -> None:
    assert found(oracle, "falling") == [
        "Hazards.md: Hazards > Falling",
        "Hazards.md: Hazards > Falling > Falling objects",
        "Feather Falling.md: Feather Falling",
        "Hazards.md: Hazards > Damage of falling",
        "Feather Falling.md: Feather Falling > Range",
        "README.md: Lamp",
    ]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        (
            "objects fall",
            "Hazards.md: Hazards > Falling > Falling objects",
        ),  # in any order, by stem
        ("falling obj", "Hazards.md: Hazards > Falling > Falling objects"),
        ("the damage of a fall", "Hazards.md: Hazards > Damage of falling"),
        ("backstab", "Weapons.md: Weapons > Back-stab"),
        ("back stab", "Weapons.md: Weapons > Back-stab"),
        ("plate mail", "Weapons.md: Weapons > Blades"),  # a row that is called so
        ("arms sword", "Weapons.md: Weapons > Blades"),
        ("deep", "Deep.md: Deep"),  # a heading without lines of its own
        ("MAGIC  missile", "Missile.md: Magic Missile"),
    ],
)
def test_the_first_is_what_was_meant(oracle: AppState, typed: str, first: str) -> None:
    assert found(oracle, typed)[0] == first


@pytest.mark.parametrize(
    ("typed", "searched", "first"),
    [
        ("magic misile", "missile", "Missile.md: Magic Missile"),
        ("faling", "falling", "Hazards.md: Hazards > Falling"),
        ("wepaons", "weapons", "Weapons.md: Weapons"),
    ],
)
def test_a_misspelt_word_is_corrected_and_shown(
    oracle: AppState, typed: str, searched: str, first: str
) -> None:
    assert [one.searched for one in find(oracle, typed).corrections] == [searched]
    assert found(oracle, typed)[0] == first


@pytest.mark.parametrize("typed", ["fal", "missi", "haz", "weap", "1d6", "xyzzy", ""])
def test_the_beginning_of_a_word_and_what_is_near_to_none_is_not_corrected(
    oracle: AppState, typed: str
) -> None:
    assert find(oracle, typed).corrections == []


def snippet(replied: Headings) -> str:
    """The first section's line."""
    return replied.headings[0].snippet


def test_under_each_stands_a_line_of_the_section_itself(oracle: AppState) -> None:
    assert snippet(find(oracle, "falling")) == "A fall deals 1d6 for each ten feet."
    assert snippet(find(oracle, "falling objects")) == "A rock deals 2d6."  # rather than a field
    assert snippet(find(oracle, "damage of falling")) == "See the weapons."
    assert snippet(find(oracle, "plate mail")) == "Plate mail · 60"
    assert snippet(find(oracle, "deep")) == ""
    hit = find(oracle, "plate mail").headings[0]
    lines = VAULT[hit.path].split("\n")
    assert lines[hit.first_line - 1] == "| Plate mail | 60 |"


def test_no_more_than_half_of_the_words_may_be_missing(oracle: AppState) -> None:
    assert "Weapons.md: Weapons > Blades" in found(oracle, "sword dragon")
    assert found(oracle, "sword dragon wyvern") == []


def test_two_folders_that_differ_in_case_are_each_shown_once_and_whole() -> None:
    files = ("Magic/a.md", "magic/b.md", "Magic/c.md", "magic/D.md", "Magic/d.md", "MAGIC.md")
    shown = folders(sorted(files, key=reading_order))
    assert [(one.name, [file.name for file in one.files]) for one in shown] == [
        ("", ["MAGIC"]),
        ("Magic", ["a", "c", "d"]),
        ("magic", ["b", "D"]),
    ]
