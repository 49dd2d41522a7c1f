"""What a file calls itself in its front matter names it to who asks, whatever its text says."""

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from tests.support.index.ingested import IndexFiles

FILES = {
    "Monsters/Vampire.md": (
        "---\naliases: [Nosferatu, Night Walker]\n---\n# Vampire\n\n- **Hit Dice:** 8\n"
        "- **Armour class:** 2\n\nA vampire has no shadow.\n"
    ),
    "Monsters/Ghoul.md": (
        "---\naliases: Crypt Thing\n---\n# Ghoul\n\n- **Hit Dice:** 2\n- **Armour class:** 6\n\n"
        "Ghouls walk at night and eat what they find in a grave.\n"
    ),
    "Town/Lodging.md": "---\naliases: [Inns]\n---\n# Lodging\n\nA bed in an inn costs 5 sp.\n",
    "Town/Guard.md": "# Guard\n\nThe guard walks the wall at night. A walker is stopped.\n",
}


@pytest.fixture(scope="module")
def named(index_files: IndexFiles) -> SearchContext:
    return index_files(FILES)


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("nosferatu", "Monsters/Vampire.md"),
        ("what is a night walker", "Monsters/Vampire.md"),
        ("how many hit dice has a nosferatu?", "Monsters/Vampire.md"),
        ("crypt thing", "Monsters/Ghoul.md"),
        ("the armour class of a crypt thing", "Monsters/Ghoul.md"),
        ("inn", "Town/Lodging.md"),
    ],
)
def test_an_alias_finds_its_file(named: SearchContext, asked: str, path: str) -> None:
    reply = card_reply(named, asked)
    assert reply.certainty != "refused"
    assert reply.corrections == ()  # it is no slip of another word
    assert reply.cards[0].path == path


def test_an_alias_of_a_file_that_does_not_exist_for_who_asks_names_nothing(
    named: SearchContext,
) -> None:
    reply = card_reply(named.restricted({"path": {"prefix": "Town/"}}), "nosferatu")
    assert reply.found is not None
    assert reply.found.question == "nosferatu"


def test_a_word_that_the_rules_often_say_stays_what_they_say(index_files: IndexFiles) -> None:
    files = {
        "Arms.md": "---\naliases: [Load]\n---\n# Arms\n\nA sword costs 10 gp.\n",
        "Carrying.md": "# Carrying\n\nA mule bears a load of 20 stone. A load over 20 stone slows "
        "it. No load may be thrown off.\n",
    }
    reply = card_reply(index_files(files), "how heavy a load does a mule bear?")
    assert reply.found is not None
    assert reply.found.question == "how heavy a load does a mule bear?"
    assert reply.cards[0].path == "Carrying.md"
