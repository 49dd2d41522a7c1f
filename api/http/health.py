"""Whether the process lives, and whether it can answer."""

import logging

from anyio import CapacityLimiter, to_thread
from fastapi import HTTPException, Request

from api.keys import authorization
from api.sources import stale_files
from api.state import AppState, Opened
from retrieval.errors import RulesError
from retrieval.index import generations, store

log = logging.getLogger("api")
_threads = CapacityLimiter(2)  # of its own: who asks and who reads may have taken all others


async def livez() -> dict[str, str]:
    """Say that the process runs; it needs no database and no model."""
    return {"status": "alive"}


async def readyz(request: Request, opened: Opened) -> dict[str, str]:
    """Say that questions can be answered, and by what; else 503 with the part that is missing.

    Where keys are asked for, one with the scope metrics is told; others get the status alone.

    Files that the index does not hold as they are now are named, and no 503: questions are answered
    from the index, and one edit must not take all APIs out of service until the next ingest.
    """
    may_know = await authorization.has_scope(request, "metrics")
    try:
        found = await to_thread.run_sync(_ready, opened, limiter=_threads)
    except RulesError as error:
        if may_know:
            raise
        log.warning("not ready: %s: %s", type(error).__name__, error)
        raise HTTPException(503, "not ready; a key with the scope metrics is told why") from error
    return found if may_know else {"status": found["status"]}


def _ready(opened: AppState) -> dict[str, str]:
    context = opened.rules

    def held(conn: store.Connection) -> tuple[store.Generation, dict[str, str]]:
        now = store.live(conn)
        return now, generations.file_hashes(conn, now.id)

    generation, indexed = context.read(held)
    context.check(generation)
    replica = context.replica  # this look, too, was one for it
    is_lost = replica is not None and replica.is_away
    is_degraded = is_lost or (opened.model is not None and opened.model.reach.is_lost)
    return {
        "status": "degraded" if is_degraded else "ready",
        "generation": generation.name,
        "embedding": context.embedder.files.name,
        "rerank": context.reranked_by,
        "answers": "model" if opened.model and not opened.model.reach.is_down else "quotes",
        "files": stale_files.state(context.settings.vault, indexed),
        **({"searches": "primary" if is_lost else "replica"} if replica else {}),
    }
