"""The API needs a role that may read and nothing else; docs/operations.md says how to make one."""

import dataclasses
import secrets
from collections.abc import Iterator
from functools import partial

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from api.main import create_app
from api.state import AppState, open_app_state
from ingest import pipeline
from retrieval import rates
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault
from tests.support.index.index_state import counts, same_models
from tests.support.servers.serving import events, serving
from tests.support.source.promises_table import Runs

QUESTION = {"question": "How long does a torch burn?"}
TORCHES = "1. Light/Torches.md"
# By the owner of the tables, once, before or after an ingest.
GRANTS = (
    "CREATE ROLE {reader} LOGIN PASSWORD {password}",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO {reader}",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",  # PostgreSQL 14; later ones have it so
    "REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC",
)
WRITE_FEEDBACK = "GRANT INSERT, UPDATE ON feedback"
FORBIDDEN = [
    "INSERT INTO feedback VALUES ('x', 'up', '', NULL, '1.1', 'answered', 'off')",
    "DROP TABLE chunk",
    "DROP TABLE generation CASCADE",
    "TRUNCATE entry",
    "DELETE FROM entry",
    "DELETE FROM file",
    "UPDATE generation SET state = 'previous'",
    "INSERT INTO file (generation_id, path, sha256) VALUES (1, 'x.md', '')",
    "ALTER TABLE chunk DISABLE TRIGGER ALL",
    "CREATE TABLE mine ()",
    "CREATE TEMPORARY TABLE mine ()",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE ROLE mine SUPERUSER",
    "ALTER TABLE chunk OWNER TO CURRENT_USER",
    "SELECT nextval(pg_get_serial_sequence('chunk', 'id'))",
    "SELECT * FROM chunk FOR UPDATE",
    "COPY chunk TO PROGRAM 'cat > /tmp/rules-oracle-stolen'",
    "COPY chunk FROM PROGRAM 'id'",
    "COPY chunk TO '/tmp/rules-oracle-stolen'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT lo_export(lo_from_bytea(0, ''), '/tmp/rules-oracle-stolen')",
    "SELECT rolpassword FROM pg_authid",
    "ALTER SYSTEM SET fsync = off",
]


@pytest.fixture
def reader(database: str) -> Iterator[str]:
    """The URL of the database for a role that may only read."""
    name, password = f"reader_{secrets.token_hex(4)}", secrets.token_hex(8)
    with psycopg.connect(database, autocommit=True) as conn:
        values = {
            "reader": sql.Identifier(name),
            "password": sql.Literal(password),
            "database": sql.Identifier(conn.info.dbname),
        }
        for grant in GRANTS:
            conn.execute(sql.SQL(grant).format(**values))
        yield make_conninfo(database, user=name, password=password)
        conn.execute(sql.SQL("DROP OWNED BY {reader} CASCADE").format(**values))
        conn.execute(sql.SQL("DROP ROLE {reader}").format(**values))


@pytest.mark.proves("row 21")
def test_the_api_needs_no_more_than_to_read(
    settings: Settings, reader: str, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    reading = Settings.model_validate(
        {**settings.model_dump(), "database_url": reader, "rag_threshold": -9.0}
    )
    with open_app_state(reading) as oracle, serving(reading, create_app(oracle)) as client:
        owner = dataclasses.replace(oracle.rules, store=Store(database))
        pipeline.run(owner, settings.vault)
        assert client.get("/readyz").status_code == 200
        answer = client.post("/ask", json=QUESTION).json()
        assert answer["citations"][0]["path"] == TORCHES
        assert events(client, {**QUESTION, "stream": True})[-1][0] == "final_answer"
        assert client.post("/search", json={**QUESTION, "explain": True}).status_code == 200
        assert client.get(f"/vault/{TORCHES}").status_code == 200
        write_vault(settings.vault, {TORCHES: RULES[TORCHES].replace("one hour", "two hours")})
        pipeline.run(owner, settings.vault, rebuild=True)
        answer = client.post("/ask", json=QUESTION).json()
        assert "two hours" in answer["passages"][0]["text"]
        rating = {"request_id": answer["request_id"], "rating": "up"}
        refused = client.post("/feedback", json=rating)
        assert (refused.status_code, "reader_" in refused.text) == (500, False)
        said = next(one for one in caplog.messages if one.startswith("feedback: "))
        grant = said.rpartition("run: ")[2]  # the log is the operator's
        assert grant.split(" TO ")[0] == WRITE_FEEDBACK
        with psycopg.connect(database) as conn:
            conn.execute(grant.encode())
            for table in ("given_answer", "telemetry"):
                conn.execute(grant.replace("feedback", table).replace("ON", ", DELETE ON").encode())
        rating["request_id"] = client.post("/ask", json=QUESTION).json()["request_id"]
        assert client.post("/feedback", json=rating).status_code == 204


def test_a_role_that_may_count_counts_and_one_that_may_not_is_told_the_grant(
    search_context: SearchContext, reader: str, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    limited = {"database_url": SecretStr(reader), "rate_limit_address": rates.read("2/m")}
    reading = search_context.settings.model_copy(update=limited)
    with same_models(search_context, reading) as rules:
        app = create_app(AppState(rules, None))
        with serving(reading, app) as client:
            refused = client.post("/search", json=QUESTION)
            assert (refused.status_code, "reader_" in refused.text) == (500, False)
            said = next(one for one in caplog.messages if one.startswith("limits: "))
            grant = said.rpartition("run: ")[2]
            assert grant.split(" TO ")[0] == "GRANT SELECT, INSERT, UPDATE, DELETE ON rate_window"
            with psycopg.connect(database) as conn:
                conn.execute(grant.encode())
            asked = [client.post("/search", json=QUESTION).status_code for _ in range(3)]
            assert asked == [200, 200, 429]


@pytest.mark.proves("row 21", "promise 9")
def test_a_role_that_reads_can_do_nothing_else(
    search_context: SearchContext, reader: str, runs: Runs
) -> None:
    before = counts(search_context)
    with psycopg.connect(reader, autocommit=True) as conn:
        assert conn.execute("SELECT count(*) FROM chunk").fetchone() == (before["chunk"],)
        assert conn.execute(
            "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication FROM pg_roles "
            "WHERE rolname = current_user"
        ).fetchone() == (False,)
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement)
            runs(1)
    for statement in ("DELETE FROM entry", "DROP TABLE chunk", "CREATE TABLE mine ()"):
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):  # as the owner, too
            search_context.store.read(partial(psycopg.Connection.execute, query=statement))
    assert counts(search_context) == before
