"""Whether the process lives, and whether it can answer."""

from api.sources import stale_files
from api.state import Opened
from retrieval.index import generations, store


async def livez() -> dict[str, str]:
    """Say that the process runs; it needs no database and no model."""
    return {"status": "alive"}


def readyz(opened: Opened) -> dict[str, str]:
    """Say that questions can be answered, and by what; else 503 with the part that is missing.

    Files that the index does not hold as they are now are named, and no 503: questions are answered
    from the index, and one edit must not take all APIs out of service until the next ingest.
    """
    context = opened.rules

    def held(conn: store.Connection) -> tuple[store.Generation, dict[str, str]]:
        now = store.live(conn)
        return now, generations.file_hashes(conn, now.id)

    generation, indexed = context.store.read(held)
    context.check(generation)
    return {
        "status": "ready",
        "generation": generation.name,
        "embedding": context.embedder.files.name,
        "rerank": context.reranker.name if context.reranker else "off",
        "answers": "model" if opened.model else "quotes",
        "files": stale_files.state(context.settings.vault, indexed),
    }
