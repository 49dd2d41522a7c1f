"""API_DATABASE_URL: ingest makes the API's role, which may do what the API does and no more."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from pydantic import SecretStr

from api.main import create_app
from api.state import open_app_state
from ingest import api_role, pipeline
from retrieval import rates
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.errors import ConfigurationError
from retrieval.settings import Settings
from retrieval.usage import telemetry
from tests.retrieval.database.test_database_role import FORBIDDEN, QUESTION
from tests.support.index.index_state import same_models
from tests.support.servers.serving import serving

Ingest = Callable[[Settings], list[str]]


@pytest.fixture
def role(database: str) -> Iterator[str]:
    """The URL of the database for a role that nobody has made yet; it is dropped in the end."""
    name = f"api_{secrets.token_hex(4)}"
    yield make_conninfo(database, user=name, password=secrets.token_hex(8))
    with psycopg.connect(database, autocommit=True) as conn:
        for statement in ("DROP OWNED BY {} CASCADE", "DROP ROLE {}"):
            if conn.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone():
                conn.execute(sql.SQL(statement).format(sql.Identifier(name)))


@pytest.fixture
def ingest(loaded: SearchContext) -> Ingest:
    """Ingest by settings, and return what it said meanwhile."""

    def run(settings: Settings, *, rebuild: bool = False) -> list[str]:
        said: list[str] = []
        with same_models(loaded, settings) as rules:
            pipeline.run(rules, settings.vault, rebuild=rebuild, say=said.append)
        return said

    return run


def with_role(settings: Settings, url: str, **values: object) -> Settings:
    """The settings with a role of the API's own."""
    return settings.model_copy(update={"api_database_url": SecretStr(url), **values})


def test_ingest_makes_a_role_and_the_api_needs_no_other(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    given = with_role(
        settings, role, rag_threshold=-9.0, rate_limit_address=rates.read("3/m"),
        feedback_stores_questions=True,
    )  # fmt: skip
    name = str(conninfo_to_dict(role)["user"])
    assert ingest(given) == [f"the role {name!r} was made for the API"]
    with open_app_state(given) as oracle, serving(given, create_app(oracle)) as client:
        url = oracle.rules.settings.database_url
        assert url
        assert conninfo_to_dict(url.get_secret_value())["user"] == name
        assert client.get("/readyz").status_code == 200
        asked = client.post("/ask", json=QUESTION)
        assert asked.json()["citations"]
        rating = {"request_id": asked.json()["request_id"], "rating": "down"}
        assert client.post("/feedback", json=rating).status_code == 204
        assert [client.post("/ask", json=QUESTION).status_code for _ in range(2)] == [200, 429]
    with closing(Store(database)) as store, store.connect() as conn:
        assert telemetry.by_day(conn, 1)[0].questions == 2  # and the day's rating
        assert telemetry.by_day(conn, 1)[0].counts["rating"] == {"down": 1}
    with psycopg.connect(role, autocommit=True) as conn:
        for statement in FORBIDDEN[1:]:  # the first writes feedback, which this one may
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(statement)


def test_what_is_granted_already_is_not_written_again_and_what_is_gone_is_granted(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    given = with_role(settings, role)
    ingest(given)
    name = sql.Identifier(str(conninfo_to_dict(role)["user"]))
    with psycopg.connect(database, autocommit=True) as conn:

        def rows() -> list[tuple[object, ...]]:
            return conn.execute("SELECT oid, xmin::text, relacl FROM pg_class").fetchall()

        before = [row for row in rows() if row[2]]
        assert ingest(given) == []
        assert [row for row in rows() if row[2]] == before
        conn.execute(sql.SQL("REVOKE DELETE ON rate_window FROM {}").format(name))
        conn.execute(sql.SQL("REVOKE SELECT ON word FROM {}").format(name))
        conn.execute(sql.SQL("ALTER ROLE {} PASSWORD 'another'").format(name))
        assert ingest(given) == []
    with psycopg.connect(make_conninfo(role, password="another"), autocommit=True) as conn:
        conn.execute("SELECT FROM word")
        conn.execute("DELETE FROM rate_window")


def test_what_is_no_role_of_its_own_is_refused(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    refused = {
        database: "a superuser or the role of DATABASE_URL",
        make_conninfo(role, password=""): "has no password to make it with",
        f"dbname={conninfo_to_dict(database)['dbname']}": "needs a name of a role in it",
    }
    for url, says in refused.items():
        with pytest.raises(ConfigurationError, match=says):
            ingest(with_role(settings, url))


def test_another_database_is_refused_and_another_host_is_said(
    settings: Settings, role: str, ingest: Ingest
) -> None:
    with pytest.raises(ConfigurationError, match="names the database 'another' and DATABASE_URL"):
        ingest(with_role(settings, make_conninfo(role, dbname="another")))
    line, _ = ingest(with_role(settings, make_conninfo(role, host="db.internal", port=5432)))
    assert "names the host 'db.internal:5432' and DATABASE_URL " in line


def test_a_role_that_is_there_is_refused_as_a_member_of_the_owner_and_without_login(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    name = sql.Identifier(str(conninfo_to_dict(role)["user"]))
    refused = {
        "ALTER ROLE {name} CREATEROLE": ("one that makes roles", "ALTER ROLE {name} NOCREATEROLE"),
        "GRANT {owner} TO {name}": ("a member of the role that owns", "REVOKE {owner} FROM {name}"),
        "ALTER ROLE {name} NOLOGIN": ("which may not log in", "ALTER ROLE {name} LOGIN"),
    }
    ingest(with_role(settings, role))
    with psycopg.connect(database, autocommit=True) as conn:
        values = {"name": name, "owner": sql.Identifier(conn.info.user)}
        for statement, (says, undo) in refused.items():
            conn.execute(sql.SQL(statement).format(**values))
            with pytest.raises(ConfigurationError, match=says):
                ingest(with_role(settings, role))
            conn.execute(sql.SQL(undo).format(**values))
    assert ingest(with_role(settings, role)) == []


def test_rights_that_are_too_much_are_taken_away_or_said(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    given = with_role(settings, role)
    ingest(given)
    name = str(conninfo_to_dict(role)["user"])
    with psycopg.connect(database, autocommit=True) as conn:
        for grant in ("DELETE, TRUNCATE ON chunk", "UPDATE (path) ON file", "UPDATE ON telemetry"):
            conn.execute(f"GRANT {grant} TO {name}".encode())
        assert ingest(given) == [
            f"{name!r} may no longer DELETE on chunk, TRUNCATE on chunk, UPDATE on file, "
            "UPDATE on telemetry"
        ]
        assert ingest(given) == []
        conn.execute("GRANT DELETE ON word TO PUBLIC")
        (said,) = ingest(given)
        assert said.startswith(f"{name!r} may DELETE on word, as everybody")
    with psycopg.connect(role, autocommit=True) as conn:
        conn.execute("DELETE FROM rate_window")  # its own rights stay
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("DELETE FROM chunk")


def test_the_tables_of_the_api_are_those_of_the_migrations(
    search_context: SearchContext, database: str
) -> None:
    with psycopg.connect(database) as conn:
        rows = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        assert sorted(name for (name,) in rows) == list(api_role.TABLES)


@contextmanager
def owner(database: str) -> Iterator[str]:
    """The URL for a role that owns the schema alone: it may make no roles."""
    name, password = f"owner_{secrets.token_hex(4)}", secrets.token_hex(8)
    values = {"owner": sql.Identifier(name), "password": sql.Literal(password)}
    with psycopg.connect(database, autocommit=True) as conn:
        for statement in (
            "CREATE EXTENSION IF NOT EXISTS vector",
            "CREATE ROLE {owner} LOGIN PASSWORD {password}",
            "GRANT ALL ON SCHEMA public TO {owner}",
        ):
            conn.execute(sql.SQL(statement).format(**values))
        yield make_conninfo(database, user=name, password=password)
        for statement in ("DROP OWNED BY {owner} CASCADE", "DROP ROLE {owner}"):
            conn.execute(sql.SQL(statement).format(**values))


def test_an_owner_who_may_make_no_roles_grants_to_one_that_is_there(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    parts = conninfo_to_dict(role)
    with owner(database) as url:
        given = with_role(settings, role, database_url=SecretStr(url))
        with pytest.raises(ConfigurationError, match="cannot be made or granted by 'owner_"):
            ingest(given)
        with psycopg.connect(database, autocommit=True) as conn:
            made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            name, password = (str(parts[part]) for part in ("user", "password"))
            conn.execute(made.format(sql.Identifier(name), sql.Literal(password)))
            conn.execute("CREATE TABLE of_others ()")  # the schema may be shared
        (said,) = ingest(given)
        assert "may make tables of its own, as everybody" in said
        with psycopg.connect(role, autocommit=True) as conn:
            assert conn.execute("SELECT count(*) FROM file").fetchone() == (3,)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("DELETE FROM file")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("SELECT FROM of_others")


def test_a_role_is_said_to_be_made_when_it_is(
    settings: Settings, role: str, ingest: Ingest, database: str
) -> None:
    said: list[str] = []
    with owner(database) as url:
        given = with_role(settings, role, database_url=SecretStr(url))
        ingest(given.model_copy(update={"api_database_url": None}))
        with psycopg.connect(database, autocommit=True) as conn:
            name = str(conninfo_to_dict(url)["user"])
            conn.execute(sql.SQL("ALTER ROLE {} CREATEROLE").format(sql.Identifier(name)))
            conn.execute("ALTER TABLE telemetry OWNER TO CURRENT_USER")
        with (
            psycopg.connect(url, autocommit=True) as conn,
            pytest.raises(ConfigurationError, match="permission denied for table telemetry"),
        ):
            api_role.ensure(conn, given, said.append)
    assert said == []
