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
     '"[[fences#Height|the old rule]]"', "./fences.md", "/statutes/fences.md"],
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
