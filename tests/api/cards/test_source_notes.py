"""What a file's front matter says of its standing: kept in the index, and obeyed by search."""

from pathlib import Path

from ingest import pipeline
from ingest.chunking import document
from ingest.read import markdown
from ingest.read.vault import SourceFile
from retrieval.context import SearchContext
from retrieval.index import indexed_file, store
from retrieval.models import SourceNote
from retrieval.search import search
from tests.conftest import write_vault

OLD = "---\nstatus: Superseded\nedition: 1st\n---\n# Passwords\n\nA password has 8 characters.\n"
NEW = "---\nsupersedes: [old/Rules 2024.md]\n---\n# Secrets\n\nA password has 12 characters.\n"
FILES = {"old/Rules 2024.md": OLD, "Secrets.md": NEW, "Doors.md": "# Doors\n\nA door is shut.\n"}


def test_the_index_holds_what_the_front_matter_says(empty: SearchContext, tmp_path: Path) -> None:
    write_vault(tmp_path / "v", FILES)
    pipeline.run(empty, tmp_path / "v")
    live = empty.store.read(store.live)
    notes = empty.store.read(lambda conn: indexed_file.notes(conn, live.id, [*FILES, "none.md"]))
    assert notes == {
        "old/Rules 2024.md": SourceNote("old/Rules 2024.md", "Superseded", "1st"),
        "Secrets.md": SourceNote("Secrets.md", supersedes=("old/Rules 2024.md",)),
    }


def test_an_edited_front_matter_is_read_anew(empty: SearchContext, tmp_path: Path) -> None:
    write_vault(tmp_path / "v", FILES)
    pipeline.run(empty, tmp_path / "v")
    write_vault(tmp_path / "v", {"old/Rules 2024.md": OLD.replace("Superseded", "current")})
    pipeline.run(empty, tmp_path / "v")
    live = empty.store.read(store.live)
    notes = empty.store.read(lambda conn: indexed_file.notes(conn, live.id, list(FILES)))
    assert notes["old/Rules 2024.md"].status == "current"


def test_a_superseded_file_is_found_behind_the_one_that_holds(
    empty: SearchContext, tmp_path: Path
) -> None:
    write_vault(tmp_path / "v", FILES)
    pipeline.run(empty, tmp_path / "v")
    found = search(empty, "How many characters has a password?")
    paths = [hit.chunk.path for hit in found.hits]
    assert paths.index("Secrets.md") < paths.index("old/Rules 2024.md")
    assert set(found.notes) == {"Secrets.md", "old/Rules 2024.md"}
    asked = search(empty, "How many characters has a password under the 2024 rules, A password?")
    assert asked.hits[0].chunk.path == "old/Rules 2024.md"


def test_the_header_alone_is_read_as_the_whole_file_reads_it() -> None:
    for text in (OLD, NEW, "# None\n", "---\nno end\n", "--- \nstatus: odd\n---\ntext", ""):
        file = SourceFile("a.md", text, "0" * 64, 0)
        header = markdown.parse(text).header
        assert markdown.header(text) == header
        assert document.note(file).path == "a.md"
