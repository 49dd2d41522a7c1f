"""The files of a status are listed where nothing but that status is asked for."""

import pytest

from api.answer.cards.folders.by_status import of_status
from retrieval.models import SourceNote
from tests.support.index.indexed_text import terms_of

FILES = {
    "1. Sea/Tides.md": "# Tides\n\nThey turn.\n",
    "1. Sea/Fog.md": "# Fog\n\nIt falls.\n",
    "2. Land/Old tolls.md": "# Old tolls\n\nPaid once.\n",
    "2. Land/House Rules of the Inn.md": "# House Rules of the Inn\n\nNo dogs.\n",
    "2. Land/Gates.md": "# Gates\n\nShut at night.\n",
}
TERMS = terms_of(FILES)
STATUS = ("optional", "Optional", "superseded", "house rule")
NOTES = {path: SourceNote(path, status) for path, status in zip(FILES, STATUS, strict=False)}


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ("which rules are optional", ["Fog", "Tides"]),
        ("list all optional rules", ["Fog", "Tides"]),
        ("optional pages?", ["Fog", "Tides"]),
        ("which rules are no longer in force", ["Old tolls"]),
        ("outdated pages", ["Old tolls"]),
        ("which documents don't apply any more", ["Old tolls"]),
        ("our house rules", []),  # a file is called so
        ("which rules must not be optional", []),
        ("optional rules about fog", []),  # more is asked
        ("is fog optional", []),  # of one thing
        ("which rules are secret", []),  # no status of the vault
        ("list all rules", []),
    ],
)
def test_only_a_status_lists_files(asked: str, titles: list[str]) -> None:
    found = of_status(asked, NOTES, TERMS)
    assert [one.title for folder in found for one in folder.files] == titles


def test_the_folder_above_all_of_them_is_named_with_the_status() -> None:
    (folder,) = of_status("which rules are optional", NOTES, TERMS)
    assert (folder.path, folder.count, folder.words) == ("1. Sea", 2, ("status", "Optional"))
