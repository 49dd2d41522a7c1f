"""A field that is asked for of a thing that is named counts, whatever else is near the question."""

import pytest

from retrieval.context import SearchContext
from retrieval.index import store
from retrieval.ranking import candidate_lists
from retrieval.search import search
from tests.support.index.ingested import IndexFiles

STATS = (
    "# {}\n\n| AC | {} |\n|---|---|\n| HD | {} |\n| Att | 2 claws |\n| ML | {} |\n| Size | {} |\n"
)
TROLL = STATS.format("Troll", 4, 6, 10, "large") + (
    "\nA troll looks for the morale of its prey, and trolls that lose heart lose their morale.\n\n"
    "- The morale of a troll's foes falls.\n- A troll has no friend.\n- A troll sings of morale.\n"
    "- Whoever meets a troll checks morale.\n"
)
ORC = STATS.format("Orc", 6, 1, 8, "middle") + (
    "\nThe morale of an orc beside a troll is that of the troll.\n"
)
READING = "# Reading\n\n- **ML** – Morale\n- **AC** – Armour Class\n"
FILES = {"troll.md": TROLL, "orc.md": ORC, "reading.md": READING}


def fields(context: SearchContext, asked: str) -> set[tuple[str, str]]:
    encoded = context.embedder.question(asked)
    lists = context.read(
        lambda conn: candidate_lists.collect(
            conn, context, store.chosen(conn, None), asked, encoded
        )
    )
    paths = {item.row_id: item.chunk.path for item in (*lists.dense, *lists.text)}
    return {(paths[row], entry.quote) for row, entry in lists.fields}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("morale of a troll", {("troll.md", "| ML | 10 |")}),
        ("what morale has an orc", {("orc.md", "| ML | 8 |")}),
        ("how big is a troll", {("troll.md", "| Size | large |")}),
        (
            "morale of an orc and a troll",
            {("troll.md", "| ML | 10 |"), ("orc.md", "| ML | 8 |")},
        ),
        ("troll", set()),  # nothing is asked of it
        ("what is morale", set()),  # of nothing
        ("may a troll swim", set()),
    ],
)
def test_fields_that_are_asked_for_are_read_of_what_is_named(
    index_files: IndexFiles, asked: str, expected: set[tuple[str, str]]
) -> None:
    assert fields(index_files(FILES), asked) == expected


def test_a_field_that_no_near_entry_holds_counts_as_asked_for(index_files: IndexFiles) -> None:
    context = index_files(FILES)
    found = search(context, "morale of a troll")
    assert found.hits[0].chunk.path == "troll.md"
    covered = {row.chunk_id.split(":")[0]: row.names_score for row in found.trace}
    assert covered["troll.md"] == pytest.approx(1.0)
