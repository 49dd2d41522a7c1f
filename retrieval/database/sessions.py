"""What a connection must have set before a search may use it, set and read back.

PostgreSQL takes any value for a setting of an extension that it has not loaded yet, and drops a
wrong one with a warning that nobody reads. So a value is never taken for set: it is read back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from retrieval.errors import ConfigurationError

Connection = psycopg.Connection[Any]

EF_SEARCH = 1_000  # candidates of one scan, the most; near copies of files need them (E106)


@dataclass(frozen=True, slots=True)
class _Setting:
    """A setting of pgvector: what we set where nobody did, and what else may stand there."""

    name: str
    ours: str
    least: int | None  # None: ours alone
    most: int

    def allows(self, value: str) -> bool:
        """Whether a search finds what it must with this value."""
        if self.least is None:
            return value == self.ours
        return value.isdecimal() and self.least <= int(value) <= self.most

    @property
    def wanted(self) -> str:
        """What may stand there, in words."""
        return self.ours if self.least is None else f"{self.least:,} to {self.most:,}"


# Without the iterative scan an index gives `ef_search` rows at most, fewer after deletions, and
# none says so; the relaxed order is none.
_VECTOR = (
    _Setting("hnsw.iterative_scan", "strict_order", None, 0),
    _Setting("hnsw.ef_search", str(EF_SEARCH), 100, 1_000),
    _Setting("hnsw.max_scan_tuples", "100000", 20_000, 2**31 - 1),
)


def is_pooled(conn: Connection) -> bool:
    """Tell whether a pooler stands between: it names another process than the one that answers."""
    return conn.execute("SELECT pg_backend_pid()").fetchone() != (conn.info.backend_pid,)


def configure(conn: Connection, limits: Mapping[str, int], *, local: bool = False) -> None:
    """Set what search needs on this connection, and `limits` (milliseconds by setting's name).

    With `local` it is set for the transaction that `conn` is in, else for the session, and `conn`
    is in none.

    A setting of pgvector that the operator gave (in DATABASE_URL's options, or for the role or the
    database) stays where it is good enough. Raises ConfigurationError naming the setting and its
    value where it is not, or where a value reads back otherwise.
    """
    given = _given(conn)
    for setting in _VECTOR:
        value = given.get(setting.name)
        if value is not None and not setting.allows(value):
            raise ConfigurationError(
                f"connections to the database have {setting.name} = {value!r}, by the options of "
                f"DATABASE_URL, the role or the database; leave it out, or set {setting.wanted}"
            )
    names = _settable(conn)
    wanted = {s.name: given.get(s.name, s.ours) for s in _VECTOR if s.name in names}
    wanted |= {name: str(value) for name, value in limits.items()}
    conn.execute(
        "SELECT set_config(s.name, s.value, %s) FROM unnest(%s::text[], %s::text[]) "
        "AS s(name, value)",
        [local, list(wanted), list(wanted.values())],
    )
    _read_back(conn, wanted)


def _given(conn: Connection) -> dict[str, str]:
    """Return the values that somebody set, by name; of a library not yet loaded whatever it is."""
    rows = conn.execute(
        "SELECT wanted.name, current_setting(wanted.name, true) "
        "FROM unnest(%s::text[]) AS wanted(name) "
        "LEFT JOIN pg_settings AS s ON s.name = wanted.name "
        "WHERE s.source IS DISTINCT FROM 'default'",
        [[setting.name for setting in _VECTOR]],
    )
    return {name: value for name, value in rows if value is not None}


def _settable(conn: Connection) -> set[str]:
    """Return which settings of pgvector there are; all of them where it is not installed yet.

    They become real at its first use, which this is: LOAD is for superusers. Before 0.8 there is
    no iterative scan; nearest.py then searches exactly.
    """
    names = [setting.name for setting in _VECTOR]
    if conn.execute("SELECT to_regtype('vector') IS NULL").fetchone() == (True,):
        return set(names)
    conn.execute("SELECT '[1]'::vector")
    rows = conn.execute("SELECT name FROM pg_settings WHERE name = ANY(%s)", [names])
    return {name for (name,) in rows}


def _read_back(conn: Connection, wanted: Mapping[str, str]) -> None:
    rows = conn.execute(
        "SELECT wanted.name, coalesce(s.setting, current_setting(wanted.name, true)) "
        "FROM unnest(%s::text[]) AS wanted(name) "
        "LEFT JOIN pg_settings AS s ON s.name = wanted.name",
        [list(wanted)],
    )
    for name, value in rows:
        if value != wanted[name]:
            raise ConfigurationError(
                f"{name} was set to {wanted[name]} on a connection and reads back as {value!r}; "
                "what stands between this program and the database (a pooler?) must keep settings"
            )
