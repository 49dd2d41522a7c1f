"""A folder that is asked for as a whole is listed: its files in order, counted and linked."""

from dataclasses import replace

import pytest

from api.answer.cards import render
from api.answer.cards.folders import folders
from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from api.answer.question import intent
from api.sources.vault_links import folder_link
from retrieval.models import NO_TERMS
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES

GUILDS = {
    f"6. Guilds/{kind}/Rank {rank}/{name}.md": f"# {name}\n\nA {kind} of rank {rank}.\n"
    for kind, rank, name in [
        ("Weavers", 1, "Ada"), ("Weavers", 1, "Bo"), ("Weavers", 1, "Cy"),
        ("Weavers", 2, "Di"), ("Weavers", 2, "Ed"), ("Weavers", 2, "Flo"),
        ("Dyers", 1, "Gus"), ("Dyers", 1, "Hal"), ("Dyers", 1, "Ivo"),
    ]
}  # fmt: skip
TERMS = terms_of({**FILES, **GUILDS})


def asked_for(asked: str) -> list[Folder]:
    return list(folders.asked_for(asked, intent.read(asked, TERMS), TERMS))


@pytest.mark.parametrize(
    ("asked", "path", "titles"),
    [
        ("list all ships", "1. Ships", ["Crew", "Flags", "Mutiny"]),
        ("please list the ships", "1. Ships", ["Crew", "Flags", "Mutiny"]),
        ("Which ships are there?", "1. Ships", ["Crew", "Flags", "Mutiny"]),
        ("all 1st rank weavers", "6. Guilds/Weavers/Rank 1", ["Ada", "Bo", "Cy"]),
        ("all the second rank weavers", "6. Guilds/Weavers/Rank 2", ["Di", "Ed", "Flo"]),
        ("list all rank 2 weavers", "6. Guilds/Weavers/Rank 2", ["Di", "Ed", "Flo"]),
        ("list all dyers", "6. Guilds/Dyers", ["Gus", "Hal", "Ivo"]),
    ],
)
def test_the_folder_that_says_all_that_is_asked_is_listed(
    asked: str, path: str, titles: list[str]
) -> None:
    (found,) = asked_for(asked)
    assert (found.path, found.count) == (path, len(titles))
    assert [one.title for one in found.files] == titles


def test_a_folder_may_be_asked_for_by_an_alias() -> None:
    terms = replace(TERMS, abbreviations={"spinner": ("weaver",), "dyer": ("tanner",)})
    for asked, path in (
        ("all 2nd rank spinners", "6. Guilds/Weavers/Rank 2"),
        ("list all dyers", "6. Guilds/Dyers"),
    ):
        found = folders.asked_for(asked, intent.read(asked, terms), terms)
        assert [one.path for one in found] == [path]


def test_a_folder_may_be_asked_for_by_what_a_file_calls_itself() -> None:
    terms = replace(TERMS, aliases={"loomer": ("Loomer", "Weaver"), "ada": ("Ada", "Countess")})
    for asked, paths in (
        ("all 2nd rank loomers", ["6. Guilds/Weavers/Rank 2"]),
        ("all 2nd rank adas", []),  # no folder is called as she is
    ):
        found = folders.asked_for(asked, intent.read(asked, terms), terms)
        assert [one.path for one in found] == paths


def test_a_file_of_the_folder_s_name_is_the_list_with_an_alias_too() -> None:
    files = {**GUILDS, "Weavers.md": "# Weavers\n\nThere are six.\n"}
    terms = replace(terms_of(files), abbreviations={"spinner": ("weaver",)})
    for asked in ("list all weavers", "list all spinners"):
        assert not folders.asked_for(asked, intent.read(asked, terms), terms)


@pytest.mark.parametrize(
    "asked",
    [
        "What does a ship carry?",  # one answer is wanted
        "list all dragons",  # no folder is called so
        "list all ships that sink",  # the folder does not say which
        "which ships are not listed?",  # some of them, and the folder does not say which
        "list all ships except the ships",
        "all second hand weavers",
        "all weavers over rank 1",
        "all weavers up to rank 2",
        "list all weavers but rank 1",
        "list all beasts",  # two files are no list
        "list all",
    ],
)
def test_what_no_folder_is_called_lists_none(asked: str) -> None:
    assert asked_for(asked) == []


def test_two_folders_that_fit_equally_are_both_listed() -> None:
    assert [one.path for one in asked_for("list all rank 1")] == [
        "6. Guilds/Dyers/Rank 1",
        "6. Guilds/Weavers/Rank 1",
    ]


def test_files_stand_in_reading_order_and_the_first_of_many_are_shown() -> None:
    many = {f"Beasts/{n}. Beast {n}.md": f"Beast {n}" for n in range(1, MOST + 6)}
    terms = replace(NO_TERMS, titles=dict(sorted(many.items())))
    (found,) = folders.asked_for("list all beasts", intent.read("list all beasts", terms), terms)
    assert (found.count, len(found.files)) == (MOST + 5, MOST)
    assert [one.title for one in found.files[:3]] == ["Beast 1", "Beast 2", "Beast 3"]
    said = render.folder(found)
    assert said.startswith(f"**Beasts/**: {MOST + 5} files, the first {MOST}\n\nBeast 1 · Beast 2")
    assert said.endswith(f"Beast {MOST} · …")


def test_a_short_folder_is_written_whole_and_its_names_are_text() -> None:
    found = Folder(
        "a*b*", (ListedFile("a*b*/1.md", "<b>One</b>"), ListedFile("a*b*/2.md", "Two")), 2
    )
    assert render.folder(found) == "**a\\*b\\*/**: 2 files\n\n\\<b>One\\</b> · Two"


def test_the_address_of_a_folder_keeps_its_characters() -> None:
    assert folder_link("4. Magic & More/Ä") == "/vault/?folder=4.+Magic+%26+More%2F%C3%84#folder"


@pytest.mark.parametrize(
    ("asked", "paths"),
    [
        ("list all pages in the ships folder", ["1. Ships"]),
        ("which files are in dyers", ["6. Guilds/Dyers"]),
        ("list all documents of the harbour master", []),
        ("list all outdated pages in the ships folder", []),
    ],
)
def test_the_pages_of_a_folder_are_its_files(asked: str, paths: list[str]) -> None:
    assert [one.path for one in asked_for(asked)] == paths
