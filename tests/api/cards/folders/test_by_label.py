"""Files that have a label of their own are listed by it: "what undead are there"."""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

KINDS = ("Bear", "Elk", "Fox", "Hare", "Lynx", "Mole", "Newt")
FILES = {
    **{f"Beasts/{one}.md": f"# {one}\n\n- **Armour:** 7\n\nIt eats at dusk.\n" for one in KINDS},
    **{
        f"Beasts/{one}.md": f"# {one}\n\n- **Armour:** 8\n- **Undead:** no sleep, no breath.\n"
        for one in ("Ghast", "Lich", "Wight")
    },
    "Beasts/Shade.md": "# Shade\n\n- **Armour:** 8\n- **Not undead:** no breath, yet it sleeps.\n",
    "Magic/Turning the Undead.md": "# Turning the Undead\n\nA priest lifts the holy sign.\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES, rag_threshold=-9.0)


@pytest.mark.parametrize(
    "question", ["what undead are there", "list all undead", "list the undead"]
)
def test_files_with_a_label_are_listed_with_its_line(context: SearchContext, question: str) -> None:
    (folder,) = card_reply(context, question).folders
    assert [one.title for one in folder.files] == ["Ghast", "Lich", "Wight"]
    assert all(one.entry and "no breath" in one.entry.quote for one in folder.files)
    assert (folder.path, folder.count) == ("Beasts", 3)


def test_files_with_a_tag_are_listed_as_well(index_files: IndexFiles) -> None:
    files = {
        **FILES,
        "Beasts/Ghoul.md": "---\ntags: [undead, slow]\naliases: [slow]\n---\n# Ghoul\n\nIt digs.\n",
        "Beasts/Wight.md": "---\ntags: [undead]\n---\n# Wight\n\n- **Undead:** no breath.\n",
    }
    (folder,) = card_reply(index_files(files, rag_threshold=-9.0), "what undead are there").folders
    lines = {one.title: one.entry and one.entry.quote for one in folder.files}
    assert lines == {
        "Ghast": "- **Undead:** no sleep, no breath.", "Ghoul": None,
        "Lich": "- **Undead:** no sleep, no breath.", "Wight": "- **Undead:** no breath.",
    }  # fmt: skip


def test_several_of_a_field_are_those_of_every_file(index_files: IndexFiles) -> None:
    text = "# {}\n\n**Keeper:** {}\n\nBring shoes.\n"
    named = {"Oven": "Ada", "Loom": "Ben", "Kiln": "Cy"}
    files = {f"places/{one}.md": text.format(one, keeper) for one, keeper in named.items()}
    context = index_files({**files, "Fire.md": "# Fire\n\nNobody lights a fire.\n"})
    (folder,) = card_reply(context, "list all the keepers").folders
    assert [file.entry.quote for file in folder.files if file.entry] == [
        "**Keeper:** Cy", "**Keeper:** Ben", "**Keeper:** Ada",
    ]  # fmt: skip
    assert folder.words == ("keepers",)
    assert card_reply(context, "list the keeper of the oven").folders == ()


@pytest.mark.parametrize("question", ["what armour is there", "list all armour", "list all sleep"])
def test_a_field_of_each_file_and_a_word_of_their_lines_list_none(
    context: SearchContext, question: str
) -> None:
    assert card_reply(context, question).folders == ()
