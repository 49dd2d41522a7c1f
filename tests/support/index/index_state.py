"""What an index holds and finds, for tests that change it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from ingest.pipeline import IngestReport
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.index import generations
from retrieval.index.store import live
from retrieval.metadata.scope import MetadataCache
from retrieval.refusal.topic_scores import BaselineCache
from retrieval.search import search
from retrieval.settings import Settings
from retrieval.vocabulary.file_terms import TermsCache
from retrieval.vocabulary.sections import SectionsCache

TABLES = ("generation", "file", "chunk", "entry", "posting", "word", "corpus", "chunk_bits")
_RANKED = (
    "How long does a torch burn?",
    "What does a battle axe cost?",
    "How much damage does a fall deal?",
    "How long can I hold my breath?",
    "dagger",
    "Does water put out a torch?",
    "What is the capital of France?",
)


def found(
    context: SearchContext,
    question: str,
    *,
    top_k: int | None = None,
    generation_id: int | None = None,
) -> list[str]:
    """The paths of the passages found for a question."""
    return [
        hit.chunk.path
        for hit in search(context, question, top_k=top_k, generation_id=generation_id).hits
    ]


def rankings(context: SearchContext) -> list[object]:
    """All that searches find and how that came to be, without how long it took."""
    context = replace(context, threshold=-9.0)  # the fitted one is for other rules
    found = [search(context, question) for question in _RANKED]
    assert all(one.hits for one in found)
    return [(one.generation, one.hits, one.trace, one.late) for one in found]


def counts(context: SearchContext) -> dict[str, int]:
    """How many rows each table holds."""
    with context.store.connect(autocommit=True) as conn:
        return {name: len(conn.execute(f"SELECT 1 FROM {name}").fetchall()) for name in TABLES}


def content(context: SearchContext) -> list[tuple[object, ...]]:
    """All that the live generation holds of its files, without row numbers."""
    with context.store.connect(autocommit=True) as conn:
        return conn.execute(
            "SELECT f.path, f.sha256, c.first_line, c.piece, c.text, c.length, e.ordinal, e.quote, "
            "e.text_sha256, e.embedding::text FROM file AS f "
            "LEFT JOIN chunk AS c USING (generation_id, path) "
            "LEFT JOIN entry AS e ON e.chunk_id = c.id "
            "WHERE f.generation_id = (SELECT id FROM generation WHERE state = 'live') "
            "ORDER BY 1, 3, 4, 7"
        ).fetchall()


def revision(context: SearchContext) -> str:
    return context.store.read(lambda conn: live(conn).name)


def generation(context: SearchContext, report: IngestReport) -> tuple[int, int]:
    with context.store.connect(autocommit=True) as conn:
        return generations.size(conn, report.generation_id)


@contextmanager
def same_models(context: SearchContext, settings: Settings) -> Iterator[SearchContext]:
    """Open another database with the models of `context`, which take seconds to load.

    The threshold is that of `settings`, else of `context`.
    """
    assert settings.database_url
    threshold = context.threshold if settings.rag_threshold is None else settings.rag_threshold
    store = Store(settings.database_url.get_secret_value())
    store.open()
    with closing(store):
        yield replace(
            context,
            settings=settings,
            store=store,
            threshold=threshold,
            baseline=BaselineCache(),
            terms=TermsCache(),
            sections=SectionsCache(),
            metadata=MetadataCache(),
        )


def written(context: SearchContext) -> int:
    """How many rows of this database's tables, the system's too, were ever written.

    Left out are statistics, which the database gathers by itself (their long values too), and what
    all databases of a server share: another test may create one just now.
    """
    with context.store.connect(autocommit=True) as conn:
        row = conn.execute(
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_all_tables "
            "WHERE relid NOT IN (SELECT unnest(ARRAY[oid, reltoastrelid]) FROM pg_class "
            "WHERE relisshared OR oid = 'pg_statistic'::regclass)"
        ).fetchone()
    assert row
    return int(row[0])
