"""Programs that are stale or torn on purpose, for evals.stale to notice.

python -m tests.support.faults.stale_programs FAULT runs what the fault is of, the API or one
ingest, with it.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from api.__main__ import main as serve
from evals.faults.replace import Replacement, applied
from ingest.__main__ import main as ingest
from retrieval.context import SearchContext
from retrieval.index.store import Connection
from retrieval.models import SearchResult


@dataclass(frozen=True, slots=True)
class StaleFault:
    """A plausible way to show what is gone; `of_api` says which program has it."""

    swaps: tuple[Replacement, ...]
    of_api: bool


def _cached(search: Any) -> Any:
    """Keep a question's passages for ever, as a cache does whose key lacks the generation."""
    known: dict[str, SearchResult] = {}

    def remembered(context: SearchContext, question: str, **options: Any) -> SearchResult:
        if question not in known:
            known[question] = search(context, question, **options)
        return known[question]

    return remembered


def _pinned(once: Any) -> Any:
    """Read for ever in the transaction of the first question that found an index."""
    pinned: list[Connection] = []

    def read(self: Any, work: Callable[[Connection], Any], give_up: float) -> Any:
        if not pinned:
            conn: Connection = psycopg.connect(self._url)
            conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            if conn.execute("SELECT to_regclass('generation')").fetchone() == (None,):
                conn.close()
                return once(self, work, give_up)
            pinned.append(conn)
        return work(pinned[0])

    return read


def _kept(apply: Any) -> Any:
    """Write what is new and leave what was removed from the vault."""

    def wrong(*args: Any, **options: Any) -> Any:
        return apply(*args, **{**options, "removed": ()})

    return wrong


def _torn(apply: Any) -> Any:
    """Commit the removal of old rows before the new ones are written."""

    def wrong(conn: Connection, generation_id: int, *, removed: Any, written: Any) -> Any:
        old = tuple(file.note.path for file in written)
        apply(conn, generation_id, removed=(*removed, *old), written=())
        conn.execute("COMMIT")
        conn.execute("SELECT pg_sleep(1)")
        conn.execute("BEGIN")
        return apply(conn, generation_id, removed=(), written=written)

    return wrong


FAULTS = {
    "caching": StaleFault((Replacement("api.answer.card_reply.search", _cached),), of_api=True),
    "pinned": StaleFault(
        (Replacement("retrieval.database.pool.Store._once", _pinned),), of_api=True
    ),
    "removed files kept": StaleFault(
        (Replacement("retrieval.index.writer.apply", _kept),), of_api=False
    ),
    "two transactions": StaleFault(
        (Replacement("retrieval.index.writer.apply", _torn),), of_api=False
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program of a fault and return its exit status."""
    (name,) = sys.argv[1:] if argv is None else argv
    fault = FAULTS[name]
    with applied(*fault.swaps):
        return serve([]) if fault.of_api else ingest([])


if __name__ == "__main__":
    sys.exit(main())
