"""What is asked of each file of a folder is collected over them, with the line that says it."""

import pytest

from api.answer.cards import render
from api.answer.cards.folders import by_query, collected
from api.answer.cards.folders.folders import Folder
from api.answer.question import intent
from tests.support.index.indexed_text import reader_of, terms_of

FILES = {
    "1. Monsters/1. Reading Entries.md": "# Reading Entries\n\nEach has its numbers.\n",
    "1. Monsters/2. Strides.md": "# Strides\n\n| Stride | Tracks |\n|---|---|\n"
    "| 1-9 feet | small |\n"
    "| 10 feet or more | large |\n",
    "1. Monsters/Troll.md": "# Troll\n\n- **Regeneration:** 3 hp a round.\n- It fears fire.\n"
    "- **Speed:** 40 feet.\n",
    "1. Monsters/Hydra.md": "# Hydra\n\nIts heads regenerate at night.\n",
    "1. Monsters/Ogre.md": "# Ogre\n\nAn ogre does not regenerate. It eats sheep.\n",
    "1. Monsters/Ghoul.md": "# Ghoul\n\n- **Immunity:** sleep; not immune to fire.\n",
    "1. Monsters/Golem.md": "# Golem\n\nImmune to sleep and fire.\n\n| Kind | Speed |\n|---|---|\n"
    "| Clay | 20 feet |\n| Iron | 60 feet |\n",
    "1. Monsters/Djinn.md": "# Djinn\n\nConcentration is not needed.\n\n| | Young | Old |\n"
    "|---|---|---|\n| Speed | 10 feet | 90 feet |\n",
    "1. Monsters/Imp.md": "# Imp\n\nAs far as imps are concerned, they need no sleep but food.\n\n"
    "**Speed:** 300 yards.\n",
    "1. Monsters/Elk.md": "# Elk\n\n- **Fear:** 7\n- **Stride:** 9 feet\n",
    "1. Monsters/Yak.md": "# Yak\n\n| Fear | 7 |\n|---|---|\n| Stride | 9 feet |\n",
    "1. Monsters/Emu.md": "# Emu\n\n- **Fear:** 2-7\n- **Stride:** 9 yards\n",
    "1. Monsters/Cat.md": "# Cat\n\n- **Bites:** no\n- **Good with cats:** yes\n",
    "1. Monsters/Dog.md": "# Dog\n\n- **Bites:** yes\n- **Good with cats:** no\n",
    "1. Monsters/Owl.md": "# Owl\n\n| Bites | yes |\n|---|---|\n| Good with cats | yes |\n",
    "1. Monsters/Rat.md": "# Rat\n\n**Bites:** yes **Good with cats:** no\n",
    "2. Spells/Priest Spells/Level 1/Bless.md": "# Bless\n\nA prayer gives +1.\n",
    "2. Spells/Priest Spells/Level 1/Light.md": "# Light\n\nIt can be reversed.\n",
    "2. Spells/Reversible Spells.md": "# Reversible Spells\n\nLight and no other.\n",
    "3. Potions.md": "# Potions\n\nTrolls regenerate by some.\n",
}
TERMS = terms_of(FILES)
read = reader_of(FILES)


def found(asked: str) -> list[Folder]:
    by_amount = by_query.chosen(asked, TERMS, read, dict)
    return list(by_amount or collected.asked_for(asked, intent.read(asked, TERMS), TERMS, read))


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ("which monsters regenerate", ["Troll", "Hydra"]),  # called so, says it; one denies it
        ("monsters that are immune to sleep", ["Ghoul", "Golem"]),
        ("monsters with a speed of 40 feet or more", ["Djinn", "Golem", "Imp", "Troll"]),
        ("monsters with a speed under 30 feet", ["Djinn", "Golem"]),
        ("monsters with a speed over 80 feet", ["Djinn", "Imp"]),  # of 300 yards
        ("which monsters are good with cats", ["Cat", "Owl"]),  # a field says no of others
        ("monsters with a stride over 8 feet", ["Elk", "Emu", "Yak"]),  # no row looked up by it
        ("monsters with fear 7", ["Elk", "Yak"]),  # a range "2-7" is not 7
        ("which monsters have a stride of 9 feet", ["Elk", "Yak"]),  # that of 9 yards is another
        ("what spells does a priest pray for at level 1", ["Bless", "Light"]),  # all of the folder
    ],
)
def test_the_files_that_say_it_are_listed_the_surest_first(asked: str, titles: list[str]) -> None:
    assert [one.title for folder in found(asked) for one in folder.files] == titles


@pytest.mark.parametrize(
    "asked",
    [
        "which monsters fly",  # no file says so
        "when do monsters regenerate",  # no list
        "which monsters eat sheep",  # one is no list
        "list all monsters that are immune to fire",  # one is, the other says that it is not
        "which monsters need concentration",  # denied, and "concerned" is another word
        "which monsters do not regenerate",  # words do not tell what is left out
        "which monsters have more than 3 hp",  # no field
        "which dragons regenerate",  # no folder is called so
        "how does a monster regenerate",  # no list
        "which spells can be reversed",  # a file of that name has the list
        "list all monsters",  # nothing is asked of them
    ],
)
def test_nothing_is_collected_where_words_do_not_tell_it(asked: str) -> None:
    assert found(asked) == []


def test_each_file_stands_with_its_line_and_the_words_that_found_it() -> None:
    (folder,) = found("which monsters regenerate")
    assert (folder.path, folder.count, folder.words) == ("1. Monsters", 2, ("regenerate",))
    assert render.folder(folder) == (
        "**1. Monsters/**: 2 files found by *regenerate*\n\n"
        "- **Troll** (1. Monsters/Troll.md:3): **Regeneration:** 3 hp a round.\n"
        "- **Hydra** (1. Monsters/Hydra.md:3): Its heads regenerate at night."
    )
