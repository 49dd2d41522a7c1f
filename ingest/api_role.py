"""The API's own role of the database: made and granted by ingest, which owns the tables."""

from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from retrieval.errors import ConfigurationError
from retrieval.index.hnsw import Say
from retrieval.index.store import Connection
from retrieval.settings import Settings

# What the API writes, as _GRANT says; all else it reads.
_WRITES = (
    ("feedback", "INSERT"), ("feedback", "UPDATE"),
    ("rate_window", "INSERT"), ("rate_window", "UPDATE"), ("rate_window", "DELETE"),
    ("telemetry", "INSERT"), ("telemetry", "DELETE"),
    ("given_answer", "INSERT"), ("given_answer", "UPDATE"), ("given_answer", "DELETE"),
)  # fmt: skip
_GRANT = """
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {role};
    GRANT INSERT, UPDATE ON feedback TO {role};
    GRANT INSERT, UPDATE, DELETE ON rate_window, given_answer TO {role};
    GRANT INSERT, DELETE ON telemetry TO {role};
"""
# Of the database's owner alone: what else everybody may do, on PostgreSQL 14 and on all.
_CLOSE = """
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC;
"""
_MAY_READ_ALL = """
    SELECT coalesce(bool_and(has_table_privilege(%s, oid, 'SELECT')), false)
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
"""
_MAY_WRITE = """
    SELECT bool_and(has_table_privilege(%s, name, what))
    FROM unnest(%s::text[], %s::text[]) AS needed (name, what)
"""

_MAY_CREATE = """
    SELECT has_database_privilege(%(role)s, current_database(), 'TEMPORARY')
        OR has_schema_privilege(%(role)s, 'public', 'CREATE')
"""


def ensure(conn: Connection, settings: Settings, say: Say) -> None:
    """Make the role of API_DATABASE_URL where it is missing, and let it do what the API does.

    Nothing is written where it may do all of that already, or without that setting. `say` takes a
    line where a role was made, or where others keep rights that only the database's owner takes
    away. Raises ConfigurationError where it is no role of its own or cannot be made.
    """
    url = settings.api_database_url
    if url is None:
        return
    parts = conninfo_to_dict(url.get_secret_value())
    role, password = str(parts.get("user") or ""), str(parts.get("password") or "")
    if not (settings.database_url and role):
        raise ConfigurationError(
            "API_DATABASE_URL needs a name of a role in it, and DATABASE_URL beside it: the "
            "owner's, which ingest connects by"
        )
    try:
        with conn.transaction():
            if not _exists(conn, role):
                _make(conn, role, password)
                say(f"the role {role!r} was made for the API")
            if not _is_granted(conn, role):
                _grant(conn, role, say)
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigurationError(
            f"the role {role!r} of API_DATABASE_URL cannot be made or granted by "
            f"{conn.info.user!r} ({error.diag.message_primary}); docs/operations.md has what a "
            "superuser runs; or leave API_DATABASE_URL out"
        ) from error


def _exists(conn: Connection, role: str) -> bool:
    """Whether there is such a role. Raises ConfigurationError where nothing is kept from it."""
    row = conn.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    if row and (row[0] or role == conn.info.user):
        raise ConfigurationError(
            f"API_DATABASE_URL names {role!r}, a superuser or the role of DATABASE_URL, from which "
            "nothing is kept; name a role that is the API's own, it is made where it is missing"
        )
    return row is not None


def _make(conn: Connection, role: str, password: str) -> None:
    if not password:
        raise ConfigurationError(
            f"there is no role {role!r}, and API_DATABASE_URL has no password to make it with"
        )
    # Encrypted here: a statement may end up in the server's log.
    secret = conn.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
    conn.execute(
        sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(
            sql.Identifier(role), sql.Literal(secret.decode())
        )
    )


def _is_granted(conn: Connection, role: str) -> bool:
    if conn.execute(_MAY_READ_ALL, [role]).fetchone() != (True,):
        return False
    tables, rights = zip(*_WRITES, strict=True)
    return conn.execute(_MAY_WRITE, [role, list(tables), list(rights)]).fetchone() == (True,)


def _grant(conn: Connection, role: str, say: Say) -> None:
    database = sql.Identifier(conn.info.dbname)
    conn.execute(sql.SQL(_GRANT).format(role=sql.Identifier(role)))
    with suppress(psycopg.errors.InsufficientPrivilege), conn.transaction():
        conn.execute(sql.SQL(_CLOSE).format(database=database))
    if conn.execute(_MAY_CREATE, {"role": role}).fetchone() == (True,):
        say(f"{role!r} may make tables of its own, as everybody; the database's owner revokes that")
