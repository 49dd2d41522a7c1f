"""Files of a folder that a question chooses by comparing their fields, as rows of a table."""

from collections.abc import Collection

import pytest

from api.answer.card_reply import card_reply
from api.answer.cards.folders import by_query, file_table
from api.answer.cards.folders.folders import Folder
from retrieval.context import SearchContext
from retrieval.metadata.schema import Metadata
from tests.support.index.indexed_text import reader_of, terms_of
from tests.support.index.ingested import IndexFiles

FILES = {
    "beasts/Imp.md": "# Imp\n\n| HD | 2 (9hp) |\n|---|---|\n| MV | 60'; fly 180' |\n"
    "| Points | 20 |\n"
    "| Hoard | none; it eats gold |\n\n- **Fiend:** usual traits.\n",
    "beasts/Ghast.md": "# Ghast\n\n- **HD:** 4** (18hp)\n- **MV:** 90'\n- **Points:** 175\n"
    "- **Hoard:** E\n- **Fiend:** usual traits.\n",
    "beasts/Yeti.md": "# Yeti\n\n**HD** 5+1, **MV** 120'\n**Points** 1,300<br>\n**Hoard:** none\n",
    "beasts/Ogre.md": "# Ogre\n\n| | Hill | **Sea** |\n|---|---|---|\n| HD | 4+1 | 9 |\n"
    "| MV | 90' | 60'; swim 150' |\n| Points | 125 | 900 |\n\n"
    "Hoard: C\n\n**Not fiend:** a brute.\n",
    "beasts/Worm.md": "# Worm\n\n| Kind | HD | MV | Points |\n|---|---|---|---|\n"
    "| Small | 6 | 30' | 275 |\n| Great | 15* | 30' | 1,900 |\n\n"
    "- **Fiend:** only the great one.\n",
    "beasts/How to read.md": "# How to read\n\n| HD | Hit dice, 1 to 20 |\n|---|---|\n"
    "| MV | Feet a turn, up to 480 |\n| Points | Points, 5 and more |\n",
    "beasts/Ranks.md": "# Ranks\n\n**HD:** the dice\n**MV:** the pace\n**Points:** points\n\n"
    "| Rank | HD | MV | Points |\n|---|---|---|---|\n| 1 | 1 | 500' | 5 |\n"
    "| 2 | 99 | 5' | 9,000 |\n",
    "spells/low/level 2/Glow.md": "# Glow\n\n**Range:** 60'\n**Duration:** 6 turns\n",
    "spells/low/level 2/Blink.md": "# Blink\n\n- Range: touch\n- Duration: 2 rounds\n",
    "spells/low/level 2/Call.md": "# Call\n\n- **Range:** 240 feet\n- Duration: permanent\n",
    "spells/low/level 2/Ward.md": "# Ward\n\n| Range | 240' |\n|---|---|\n| Duration | 1 turn |\n",
    "spells/low/level 1/Mend.md": "# Mend\n\n**Range:** 500'\n**Duration:** 1 turn\n",
}
TERMS = terms_of(FILES)
STATED: dict[str, Metadata] = {
    "beasts/Yeti.md": {"tags": ("fiend", "cold"), "aliases": ("snow fiend",)},
    "beasts/Ogre.md": {"alignment": "wild", "aliases": ("fiend",)},
}
read = reader_of(FILES)


def chosen(asked: str) -> tuple[Folder, ...]:
    return by_query.chosen(asked, TERMS, read, lambda: STATED)


def titles(found: Collection[Folder]) -> list[str]:
    return [file.title for folder in found for file in folder.files]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("which beast has the most hit dice", ["Worm"]),  # what HD stands for
        ("which beast has the most HD", ["Worm"]),
        ("what is the fastest beast", ["Imp"]),  # of several amounts the highest
        ("beasts worth more than 1000 points", ["Worm", "Yeti"]),
        ("which beasts are worth under 150 points", ["Imp", "Ogre"]),
        ("fiends with more than 3 HD", ["Ghast", "Worm", "Worm", "Yeti"]),  # by label and by tag
        ("wild beasts with more than 3 HD", ["Ogre"]),
        ("which fiend has the most HD", ["Worm"]),
        ("beasts with no hoard", ["Imp", "Yeti"]),
        ("beasts with more than 3 HD that sing", []),  # not understood
        ("the biggest beast", []),  # no field of a size
        ("which beast gives the fewest points", ["Imp"]),
        ("second level spells with a range of 60 feet", ["Glow"]),
        ("2nd level spells that reach further than 100 feet", ["Call", "Ward"]),
        ("which spell of level 2 has the longest range", ["Call", "Ward"]),
        ("what is the longest range spell", ["Mend"]),
        ("spells of level 2 with the shortest range", []),  # a touch is less than any
        ("which spell lasts the longest", []),  # turns, rounds and no end
        ("longest rope", []),
        ("why is the imp the fastest beast", []),
        ("the two fastest beasts", []),  # of the second it says nothing
        ("beasts with 4+ HD", ["Ghast", "Ogre", "Worm", "Worm", "Yeti"]),
        ("beasts with more than 3 HD and less than 9 points", []),
        ("the slowest spell of level 2", []),  # a range is no time
    ],
)
def test_the_fields_of_files_are_compared(asked: str, names: list[str]) -> None:
    assert titles(chosen(asked)) == names


CLASSES = {
    "classes/Knitting.md": "# Knitting\n\n- **Fee:** free\n- **Length:** 2 days\n"
    "- **Step free:** no\n- **Room:** 18 degrees\n- **Weight of kit:** 2 kg\n",
    "classes/Welding.md": "# Welding\n\n- **Fee:** 90 EUR\n- **Length:** 1 hour 30 minutes\n"
    "- **Step free:** yes\n- **Room:** -2 degrees\n- **Weight of kit:** 4 t\n",
    "classes/Carving.md": "# Carving\n\n- **Fee:** 40 EUR (not for members)\n"
    "- **Length:** 3 days\n- **Step free:** yes\n- **Room:** 9 degrees\n"
    "- **Weight of kit:** 3 kg\n- **Deposit:** 5 EUR\n",
    "classes/Choir.md": "# Choir\n\n- **Fee:** 30 EUR\n- **Length:** 2 hours\n"
    "- **Step free:** yes\n- **Room:** 8 degrees\n- **Weight of kit:** 1 kg\n"
    "- **Places:** unlimited\n",
    "classes/Dance.md": "# Dance\n\n- **Fee:** 50 EUR\n- **Length:** 1 hour\n- **Places:** 12\n"
    "- **Deposit:** 9 EUR\n",
    "classes/Yoga.md": "# Yoga\n\n- **Fee:** 20 EUR\n- **Length:** 70 minutes\n- **Places:** 8\n"
    "- **Deposit:** none\n",
}
CLASS_TERMS = terms_of(CLASSES)
read_class = reader_of(CLASSES)


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("classes under 80 minutes", ["Dance", "Yoga"]),  # 90 minutes in two units
        ("classes that are not free", []),
        ("which classes are free", ["Knitting"]),
        ("step free classes under 100 EUR", []),  # no price
        ("classes with a room under 10 degrees", []),  # the sign of another one is not read
        ("classes under 18", []),  # years, or euros?
        ("which class has the heaviest kit", []),  # tonnes are no kilograms
        ("classes for 10 people", ["Choir", "Dance"]),
        ("classes with more than 10 places", ["Choir", "Dance"]),
        ("cheapest class", ["Knitting"]),  # a deposit is no price
    ],
)
def test_what_is_not_understood_lists_nothing(asked: str, names: list[str]) -> None:
    found = by_query.chosen(asked, CLASS_TERMS, read_class, dict)
    assert titles(found) == names


def test_each_file_is_listed_with_the_line_of_its_field() -> None:
    (folder,) = chosen("beasts worth more than 1000 points")
    lines = [(one.path, one.entry.quote) for one in folder.files if one.entry]
    assert lines == [
        ("beasts/Worm.md", "| Great | 15* | 30' | 1,900 |"),
        ("beasts/Yeti.md", "**Points** 1,300<br>"),
    ]
    assert (folder.path, folder.count) == ("beasts", 2)


def test_a_file_of_several_things_is_a_row_for_each() -> None:
    table = file_table.of(["beasts"], TERMS, read)
    assert table
    assert sorted(table.cells(0)) == [
        "Ghast", "Imp", "Ogre: Hill", "Ogre: Sea", "Worm: Great", "Worm: Small", "Yeti",
    ]  # fmt: skip
    assert file_table.of(["spells/low/level 1"], TERMS, read) is None  # one file


def test_a_reply_lists_what_is_chosen(index_files: IndexFiles) -> None:
    tagged = {**FILES, "beasts/Gorgon.md": "---\ntags: [fiend]\n---\n# Gorgon\n\n**HD:** 8\n"}
    context: SearchContext = index_files(tagged, rag_threshold=-9.0)
    reply = card_reply(context, "which fiends have more than 4 HD")
    assert titles(reply.folders) == ["Gorgon", "Worm", "Worm"]
    assert reply.certainty == "answered"
