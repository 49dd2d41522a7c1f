"""No text of a user or a file can become SQL: every statement of the programs is a constant."""

import ast
from pathlib import Path

import pytest

from tests.support.source.promises_table import Runs
from tests.support.source.sql_source import Modules, statements

ROOT = Path(__file__).parents[2]
PACKAGES = ["api", "evals", "ingest", "retrieval"]
ALLOWED = {"(_FOLDER / migration.name).read_bytes()": "the migrations, files of the package"}

SAFE = """
from typing import LiteralString
from psycopg import sql
_NAMES = "path, text"
_ALL = f"SELECT {_NAMES} FROM chunk WHERE {{which}}"
_ONE = _ALL.format(which="id = %s")
def asked(conn, name, value, which: LiteralString):
    conn.execute(_ONE, [value])
    conn.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
    statement = sql.SQL("SELECT {}")
    conn.execute(statement.format(value))
    conn.execute(which)
def caller(conn):
    asked(conn, 1, 2, "SELECT 1")
"""
UNSAFE = {
    "an f-string": 'conn.execute(f"SELECT {value}")',
    "%": 'conn.execute("SELECT %s" % value)',
    "+": 'conn.execute("SELECT " + value)',
    "format": 'conn.execute("SELECT {}".format(value))',
    "join": 'conn.execute(" ".join(["SELECT", value]))',
    "an identifier in plain text": 'conn.execute("SELECT {}".format(sql.Identifier(value)))',
    "a variable": 'query = f"SELECT {value}"\n    conn.execute(query)',
    "one of two values": 'query = "SELECT 1"\n    query = value\n    conn.execute(query)',
    "a parameter": "conn.execute(value)",
    "SQL of a value": "conn.execute(sql.SQL(value))",
    "SQL of an f-string": 'made = sql.SQL(f"{value}")',
    "a copy": 'conn.cursor().copy(f"COPY {value} FROM STDIN")',
    "many": "conn.cursor().executemany(value, [])",
    "a loop": "for query in value:\n        conn.execute(query)",
    "an f-string of an identifier": 'conn.execute(f"DROP TABLE {sql.Identifier(value)}")',
    "an attribute": "conn.execute(value.query)",
    "unpacked": "query, rest = value\n    conn.execute(query)",
}


def of(source: str) -> list[bool]:
    return [safe for *_, safe in statements(Modules({"made": ast.parse(source)}))]


def test_what_is_made_of_constants_is_safe() -> None:
    assert of(SAFE) == [True] * 6


@pytest.mark.parametrize("kind", UNSAFE)
def test_what_is_made_of_a_value_is_found(kind: str) -> None:
    source = f"from psycopg import sql\ndef asked(conn, value):\n    {UNSAFE[kind]}\n"
    assert not all(of(source))


def test_a_literal_parameter_that_gets_a_value_is_found() -> None:
    assert not all(of(SAFE.replace('asked(conn, 1, 2, "SELECT 1")', "asked(conn, 1, 2, conn.x)")))


@pytest.mark.proves("row 21", "promise 9")
def test_every_statement_of_the_programs_is_a_constant(runs: Runs) -> None:
    found = statements(Modules.read(ROOT, PACKAGES))
    odd = [f"{where}: {source}" for where, source, safe in found if not safe]
    unknown = [line for line in odd if line.partition(": ")[2] not in ALLOWED]
    assert unknown == [], "give values as parameters, names by psycopg.sql.Identifier"
    assert len(odd) == len(ALLOWED)  # an exception that is no more is taken off the list
    assert len(found) > 50  # it does look
    runs(len(found))
