"""What an index holds and finds, for tests that change it."""

from ingest.pipeline import Report
from retrieval import generations
from retrieval.rulebook import Rulebook
from retrieval.search import search
from retrieval.store import live

TABLES = ("generation", "file", "chunk", "entry", "posting")


def found(
    rules: Rulebook, question: str, *, top_k: int | None = None, generation_id: int | None = None
) -> list[str]:
    """The paths of the passages found for a question."""
    return [
        hit.chunk.path
        for hit in search(rules, question, top_k=top_k, generation_id=generation_id).hits
    ]


def counts(rules: Rulebook) -> dict[str, int]:
    """How many rows each table holds."""
    with rules.store.connect(autocommit=True) as conn:
        return {name: len(conn.execute(f"SELECT 1 FROM {name}").fetchall()) for name in TABLES}


def content(rules: Rulebook) -> list[tuple[object, ...]]:
    """All that an index holds of its files, without row numbers."""
    with rules.store.connect(autocommit=True) as conn:
        return conn.execute(
            "SELECT f.path, f.sha256, c.first_line, c.piece, c.text, c.length, e.ordinal, e.quote, "
            "e.text_sha256, e.embedding::text FROM file AS f "
            "LEFT JOIN chunk AS c USING (generation_id, path) "
            "LEFT JOIN entry AS e ON e.chunk_id = c.id ORDER BY 1, 3, 4, 7"
        ).fetchall()


def revision(rules: Rulebook) -> str:
    return rules.store.read(lambda conn: live(conn).name)


def generation(rules: Rulebook, report: Report) -> tuple[int, int]:
    with rules.store.connect(autocommit=True) as conn:
        return generations.size(conn, report.generation_id)
