"""Files of a folder for somebody of an age, or by an amount of money or weight without a verb."""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles


def course(name: str, age: str, price: str, weight: str) -> str:
    return f"# {name}\n\n**Age:** {age}\n**Price:** {price}\n**Weight:** {weight}\n\nBring shoes.\n"


FILES = {
    "courses/lead.md": course("Lead", "16 and over", "£125", "12 kg"),
    "courses/first.md": course("First steps", "8 and over", "£35", "2 kg"),
    "courses/top.md": course("Top rope", "14 and over", "£79", "9 kg"),
    "courses/kids.md": course("Small kids", "4 to 7", "£20", "1 kg"),
    "fire.md": "# Fire\n\nNobody may light a fire.\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


def test_files_that_are_not_called_so_are_listed_by_their_field(index_files: IndexFiles) -> None:
    sheet = "# {}\n\n**Introduction needed:** {}\n**Fuel:** {}\n\nKeep it dry.\n"
    files = {
        "shed/tiller.md": sheet.format("Tiller", "yes", "petrol"),
        "shed/mower.md": sheet.format("Mower", "no", "electric"),
        "shed/cutter.md": sheet.format("Cutter", "yes", "petrol"),
        "shed/rules.md": "# Borrowing\n\nMachines are borrowed for a day.\n",
        "hall/rules.md": "# Hall\n\nNobody may light a fire.\n",
    }
    context = index_files(files, rag_threshold=-9.0)
    for asked in ("which machines need an introduction", "machines that run on petrol"):
        (folder,) = card_reply(context, asked).folders
        assert [file.path for file in folder.files] == ["shed/cutter.md", "shed/tiller.md"]
    assert card_reply(context, "which boats need an introduction").folders == ()


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("which courses can a 14 year old do", ["courses/first.md", "courses/top.md"]),
        ("courses for a 6 year old", ["courses/kids.md"]),
        (
            "which courses can a 9 year old not do",
            ["courses/kids.md", "courses/lead.md", "courses/top.md"],
        ),
        ("which courses can a 14 year old do on a boat", []),  # more is asked
        ("which courses can a 3 year old do", []),
        ("courses under £80", ["courses/first.md", "courses/kids.md", "courses/top.md"]),
        ("courses for less than £30", ["courses/kids.md"]),
        ("courses under 10 kilos", ["courses/first.md", "courses/kids.md", "courses/top.md"]),
    ],
)
def test_what_fits_is_listed_with_its_line(
    context: SearchContext, asked: str, listed: list[str]
) -> None:
    reply = card_reply(context, asked)
    files = [file for folder in reply.folders for file in folder.files]
    assert sorted(file.path for file in files) == listed
    assert all(file.entry for file in files)
