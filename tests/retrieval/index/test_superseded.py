"""Files that supersede another one, named as people name a file."""

import pytest

from api.answer.card_reply import card_reply
from ingest import pipeline
from retrieval.index import indexed_file, store, superseded
from tests.support.index.ingested import IndexFiles

OLD = "# Fences\n\nA fence between two plots is up to 80 cm high.\n"
NEW = "# Corrections\n\n- **Fences between plots**: up to 1 m high (before: 80 cm).\n"
QUESTION = "how high is a fence between plots"


def vault(name: str) -> dict[str, str]:
    return {
        "statutes/fences.md": OLD,
        "statutes/corrections.md": f"---\nsupersedes: {name}\n---\n{NEW}",
        "shed/saws.md": "# Saws\n\nA saw is lent for a day.\n",
    }


@pytest.mark.parametrize(
    "name",
    ["statutes/fences.md", "statutes/fences", "fences.md", "fences", '"[[fences]]"',
     '"[[fences#Height|the old rule]]"', "./fences.md", "/statutes/fences.md", "fences.md (part)",
     "fences.md (Height, the limit only)", "'fences.md#height'", "'[fences](fences.md)'",
     "shed/saws.md (part), statutes/fences.md (part)", "saws and fences",
     "'[fences](fences.md) and [saws](../shed/saws.md)'",
     "fences.md (height, length; posts), saws.md"],
)  # fmt: skip
def test_a_superseded_file_is_named_as_a_writer_names_it(
    index_files: IndexFiles, name: str
) -> None:
    context = index_files(vault(name), rag_threshold=-9.0)
    first = card_reply(context, QUESTION).cards[0]
    assert first.path == "statutes/corrections.md"
    with context.store.connect() as conn:
        assert superseded.unknown(conn, store.live(conn).id) == []


def test_a_file_of_another_folder_is_meant_where_one_alone_is_called_so(
    index_files: IndexFiles,
) -> None:
    files = vault("saws") | {"shed/a/bolts.md": "# Bolts\n", "shed/b/bolts.md": "# Bolts\n"}
    files["shed/bolts-new.md"] = "---\nsupersedes: [bolts, gone]\n---\n# New\n\nNone.\n"
    context = index_files(files)
    with context.store.connect() as conn:
        live = store.live(conn).id
        notes = indexed_file.notes(conn, live, files)
    assert notes["statutes/corrections.md"].supersedes == ("shed/saws.md",)
    assert notes["shed/bolts-new.md"].supersedes == ("bolts", "gone")
    said = pipeline.run(context, context.settings.vault).notes
    assert [one.split(",")[0] for one in said] == [
        "shed/bolts-new.md: `supersedes` names 'bolts'",
        "shed/bolts-new.md: `supersedes` names 'gone'",
    ]


@pytest.mark.parametrize(
    "front", ["status: errata\nsupersedes: The Long Tow 0.7", "status: errata"]
)
def test_errata_that_name_no_file_are_of_every_file(index_files: IndexFiles, front: str) -> None:
    files = {
        "Beasts/Static Wight.md": "# Static Wight\n\n- **Grit:** 14\n- **Armour:** 2\n",
        "Errata.md": (
            f"---\n{front}\n---\n# Errata\n\n## Static Wight\n\nGrit is 16.\n\n"
            "## Rope\n\nIt frays.\n"
        ),
        "Stims.md": "# Stims\n\nYou may take no more than two stims in a day.\n",
    }
    context = index_files(files, rag_threshold=-9.0)
    first = card_reply(context, "how much grit does a static wight have").cards[0]
    assert (first.path, first.badges) == ("Errata.md", ("errata",))
    assert card_reply(context, "how many stims in a day").cards[0].path == "Stims.md"


def test_a_file_is_not_meant_by_its_own_name(index_files: IndexFiles) -> None:
    files = {
        "rules/combat.md": "# Combat\n\nA round is 10 seconds.\n",
        "house/combat.md": "---\nsupersedes: combat\n---\n# Combat\n\nA round is 6 seconds.\n",
        "house/links.md": "---\nsupersedes: [[combat]]\n---\n# Links\n\nNone.\n",
    }
    context = index_files(files)
    with context.store.connect() as conn:
        notes = indexed_file.notes(conn, store.live(conn).id, files)
    assert notes["house/combat.md"].supersedes == ("rules/combat.md",)
    assert notes["house/links.md"].supersedes == ("house/combat.md",)  # the file beside it


def test_a_name_with_brackets_or_a_sign_of_its_own_is_meant_first(index_files: IndexFiles) -> None:
    files = {
        "fees.md": "# Fees\n\nOld.\n", "fees (2023).md": "# Fees\n\nOlder.\n",
        "C# rules.md": "# C\n\nTabs.\n", "dogs.md": "# Dogs\n\nNone.\n",
        "new.md": "---\nsupersedes: [fees (2023), 'C# rules.md']\n---\n# New\n\nAll new.\n",
        "newer.md": "---\nsupersedes: fees (2023), dogs\n---\n# Newer\n\nAll newer.\n",
    }  # fmt: skip
    context = index_files(files)
    with context.store.connect() as conn:
        notes = indexed_file.notes(conn, store.live(conn).id, files)
    assert notes["new.md"].supersedes == ("fees (2023).md", "C# rules.md")
    assert notes["newer.md"].supersedes == ("fees (2023).md", "dogs.md")
