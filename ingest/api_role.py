"""The API's own role of the database: made and granted by ingest, which owns the tables."""

from contextlib import suppress
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from retrieval.errors import ConfigurationError
from retrieval.index.hnsw import Say
from retrieval.index.store import Connection
from retrieval.settings import Settings

# All tables of the migrations, which the API reads; what else is in the schema is not ours.
TABLES = (
    "chunk", "chunk_bits", "corpus", "entry", "feedback", "file", "generation", "given_answer",
    "migration", "posting", "rate_window", "telemetry", "word",
)  # fmt: skip
# What the API writes, as _GRANT says; all else it reads.
_WRITES = {
    ("feedback", "INSERT"), ("feedback", "UPDATE"),
    ("rate_window", "INSERT"), ("rate_window", "UPDATE"), ("rate_window", "DELETE"),
    ("telemetry", "INSERT"), ("telemetry", "DELETE"),
    ("given_answer", "INSERT"), ("given_answer", "UPDATE"), ("given_answer", "DELETE"),
}  # fmt: skip
_NEEDED = {*_WRITES, *((table, "SELECT") for table in TABLES)}
_GRANT = """
    GRANT SELECT ON {tables} TO {role};
    GRANT INSERT, UPDATE ON feedback TO {role};
    GRANT INSERT, UPDATE, DELETE ON rate_window, given_answer TO {role};
    GRANT INSERT, DELETE ON telemetry TO {role};
"""
_REVOKE = "REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON {tables} FROM {role}"
# Of the database's owner alone: what else everybody may do, on PostgreSQL 14 and on all.
_CLOSE = """
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC;
"""
# Whether a role has a right to a table, and to a column of it at least.
_RIGHTS = """
    SELECT name, what, has_table_privilege(%(role)s, name, what),
        CASE WHEN what IN ('INSERT', 'UPDATE') THEN has_any_column_privilege(%(role)s, name, what)
        ELSE has_table_privilege(%(role)s, name, what) END
    FROM unnest(%(tables)s::text[]) AS ours (name),
        unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS rights (what)
"""
_ROLE = """
    SELECT rolsuper OR rolcreaterole, rolcanlogin, pg_has_role(role.oid, current_user, 'MEMBER')
        OR EXISTS (
            SELECT FROM unnest(%(tables)s::text[]) AS ours (name)
            JOIN pg_class ON pg_class.oid = name::regclass
            WHERE pg_has_role(role.oid, relowner, 'MEMBER')
        )
    FROM pg_roles AS role WHERE rolname = %(role)s
"""
_MAY_CREATE = """
    SELECT has_database_privilege(%(role)s, current_database(), 'TEMPORARY')
        OR has_schema_privilege(%(role)s, 'public', 'CREATE')
"""


def ensure(conn: Connection, settings: Settings, say: Say) -> None:
    """Make the role of API_DATABASE_URL where it is missing, and let it do what the API does.

    What more it was granted on our tables is taken away. Nothing is written where neither is to
    do, or without that setting. `say` takes lines, once all is committed: that a role was made,
    which rights were taken away, which ones it keeps that only others take away, and that the two
    addresses name different hosts. Raises ConfigurationError where it is no role of its own, may
    not log in, is of another database, or cannot be made or granted.
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
    owner = conninfo_to_dict(settings.database_url.get_secret_value())
    said = _other_place(parts, owner, conn.info.dbname)
    try:
        with conn.transaction():
            if not _exists(conn, role):
                _make(conn, role, password)
                said.append(f"the role {role!r} was made for the API")
            said += _set_rights(conn, role)
    except psycopg.errors.InsufficientPrivilege as error:
        raise _cannot(conn, role, str(error.diag.message_primary)) from error
    for line in said:
        say(line)


def _other_place(api: dict[str, Any], owner: dict[str, Any], database: str) -> list[str]:
    """Say where the two addresses name different hosts; refuse another database."""
    named = api.get("dbname") or api["user"]
    if named != database:
        raise ConfigurationError(
            f"API_DATABASE_URL names the database {named!r} and DATABASE_URL {database!r}; the "
            "API is to read the one that ingest writes"
        )
    hosts = [f"{one.get('host') or ''}:{one.get('port') or 5432}" for one in (api, owner)]
    if hosts[0] == hosts[1]:
        return []
    return [
        f"API_DATABASE_URL names the host {hosts[0]!r} and DATABASE_URL {hosts[1]!r}; the role is "
        "seen to at the latter, which has to be the same server"
    ]


def _cannot(conn: Connection, role: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"the role {role!r} of API_DATABASE_URL cannot be made or granted by {conn.info.user!r} "
        f'({why}); docs/operations.md ("The API\'s role") has what to run by hand; or leave '
        "API_DATABASE_URL out"
    )


def _exists(conn: Connection, role: str) -> bool:
    """Whether there is such a role. Raises ConfigurationError where the API cannot be given it."""
    row = conn.execute(_ROLE, {"role": role, "tables": list(TABLES)}).fetchone()
    if row is None:
        return False
    is_mighty, may_log_in, is_owner = row
    if is_mighty or role == conn.info.user:
        raise ConfigurationError(
            f"API_DATABASE_URL names {role!r}, a superuser or the role of DATABASE_URL, or one "
            "that makes roles, from which nothing is kept; name a role that is the API's own, it "
            "is made where it is missing"
        )
    if is_owner:
        raise ConfigurationError(
            f"API_DATABASE_URL names {role!r}, a member of the role that owns the tables, from "
            "which nothing is kept; REVOKE that membership, or name a role that is the API's own"
        )
    if not may_log_in:
        raise ConfigurationError(
            f"API_DATABASE_URL names {role!r}, which may not log in; ALTER ROLE … LOGIN, or name "
            "another role"
        )
    return True


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


def _set_rights(conn: Connection, role: str) -> list[str]:
    """Grant what is missing and revoke what is too much; return what there is to say."""
    missing, excess = _rights(conn, role)
    if excess:
        _change(conn, _REVOKE, role)
    if not (missing or excess):
        return []
    _change(conn, _GRANT, role)
    missing, kept = _rights(conn, role)
    if missing:  # of what one may not grant, PostgreSQL may warn alone
        raise _cannot(conn, role, f"it lacks {_listed(missing)}")
    said = [f"{role!r} may no longer {_listed(excess - kept)}"] if excess - kept else []
    if kept:
        said.append(
            f"{role!r} may {_listed(kept)}, as everybody, by another role or by somebody else's "
            "grant; a superuser revokes that"
        )
    return said + _close(conn, role)


def _rights(conn: Connection, role: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Which rights to our tables a role lacks, and which ones are too much."""
    rows = conn.execute(_RIGHTS, {"role": role, "tables": list(TABLES)}).fetchall()
    has = {(table, right) for table, right, whole, _ in rows if whole}
    touches = {(table, right) for table, right, _, some in rows if some}
    return _NEEDED - has, touches - _NEEDED


def _listed(rights: set[tuple[str, str]]) -> str:
    return ", ".join(f"{right} on {table}" for table, right in sorted(rights))


def _change(conn: Connection, statement: LiteralString, role: str) -> None:
    tables = sql.SQL(", ").join(sql.Identifier(table) for table in TABLES)
    conn.execute(sql.SQL(statement).format(role=sql.Identifier(role), tables=tables))


def _close(conn: Connection, role: str) -> list[str]:
    """Take from everybody what the role is not to do either, where that is ours to take."""
    with suppress(psycopg.errors.InsufficientPrivilege), conn.transaction():
        conn.execute(sql.SQL(_CLOSE).format(database=sql.Identifier(conn.info.dbname)))
    if conn.execute(_MAY_CREATE, {"role": role}).fetchone() != (True,):
        return []
    return [f"{role!r} may make tables of its own, as everybody; the database's owner revokes that"]
