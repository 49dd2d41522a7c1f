"""The tables that the API writes: what is wrong with one is said in words of ours."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from retrieval.errors import ConfigurationError, IndexMissingError
from retrieval.index.store import Connection


@contextmanager
def made_by_ingest(what: str) -> Iterator[None]:
    """Raise IndexMissingError where the table of `what` is not there yet."""
    try:
        yield
    except psycopg.errors.UndefinedTable as error:
        raise IndexMissingError(
            f"the database has no table for {what} yet; run: python -m ingest"
        ) from error


@contextmanager
def writing(
    conn: Connection, what: str, purpose: str, grant: str, *, before: str = "as the tables' owner"
) -> Iterator[psycopg.Cursor]:
    """Yield a cursor for one transaction, no statement of which takes more than 5 s.

    Raises IndexMissingError as `made_by_ingest` does, and ConfigurationError, which names the
    `grant` that is missing for the `purpose`, where the connection's role may not write.
    """
    try:
        with made_by_ingest(what), conn.transaction(), conn.cursor() as cur:
            cur.execute("SET LOCAL statement_timeout = '5s'")
            yield cur
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction) as error:
        user = conn.info.user
        raise ConfigurationError(
            f"the database's role {user!r} may not {purpose}; {before} run: GRANT {grant} TO {user}"
        ) from error
