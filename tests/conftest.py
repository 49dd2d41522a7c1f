"""What the tests share: one embedded server for the whole run, one database for each index.

Models are loaded once a run and the small vault is ingested once: `search_context` opens a copy of
that index. A test of the first ingest, of opening or of loading does it itself: `empty`,
`open_rules`.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest import pipeline
from ingest.read import stable_read
from retrieval.context import SearchContext, open_context
from retrieval.database.embedded import server as postgres_server
from retrieval.database.embedded.postgres import serve
from retrieval.settings import Settings, names
from tests.support.index.index_state import same_models
from tests.support.servers.serving import serving

pytest_plugins = [
    # before those that import it: pytest rewrites the asserts of what it loads
    "tests.support.index.embedded",
    "tests.support.index.ingested",
    "tests.support.faults.crashes",
    "tests.support.llm.llm_fixtures",
    "tests.support.index.models_once",
    "tests.support.index.module_store",
    "tests.support.servers.page_fixtures",
    "tests.support.index.plants",
    "tests.support.source.longest_first",
    "tests.support.source.figures",
    "tests.support.source.promises_table",
    "tests.support.index.vault_root",
]

for _name in names():  # whoever runs the tests may have settings of their own
    os.environ.pop(_name, None)
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # as the embedder sets it; some tests import torch first

# Nearly every test ingests what it has just written, and does not wait until it is old enough to be
# trusted after one read. The tests of that wait set it back (test_half_files).
stable_read.YOUNG = 0.0

RULES = {
    "1. Light/Torches.md": (
        "# Torches\n\nA torch burns for one hour. It lights 30’ around its bearer.\n\n"
        "However, a torch goes out at once in water.\n"
    ),
    "2. Arms/Weapons.md": (
        "# Weapons\n\n| Weapon | Cost (gp) | Damage |\n|---|---|---|\n"
        "| Battle axe | 7 | 1d8 |\n| Dagger | 3 | 1d4 |\n"
    ),
    "2. Arms/Hazards.md": (
        "# Hazards\n\n## Falling\n\nA fall deals 1d6 for each 10' fallen.\n\n"
        "## Drowning\n\nWhoever goes under holds breath for as many rounds as CON.\n"
    ),
}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of an embedded PostgreSQL with pgvector that all tests share.

    It does not wait for the disk, which only a crash of the machine would need: dropping a database
    takes 20 ms instead of up to a second. Tests of crashes have servers of their own.
    """
    folder = Path(tempfile.mkdtemp(prefix="rules-"))
    folder.chmod(0o711)  # where the tests run as root, the server runs as somebody else
    try:
        with ExitStack() as stack:
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(postgres_server._SETTINGS, "fsync", "off")
                # Its list of pages alone would take 50 MB of a large machine in each worker.
                patch.setitem(postgres_server._SETTINGS, "shared_buffers", "128MB")
                url = stack.enter_context(serve(folder / "pg"))
            yield url
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def loaded(server: str) -> Iterator[SearchContext]:
    """A search context of an empty database, for its models: they are loaded once for all tests."""
    with new_database(server) as url:
        settings = Settings.model_validate({"database_url": url})
        with open_context(settings) as context:
            yield context


@pytest.fixture(scope="session")
def original(
    server: str, loaded: SearchContext, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The URL of a database with an index of the small vault, for copies: nobody connects to it."""
    vault = write_vault(tmp_path_factory.mktemp("original"), RULES)
    with new_database(server) as url:
        settings = Settings.model_validate({"database_url": url, "vault": vault})
        with same_models(loaded, settings) as rules:
            pipeline.run(rules, vault)
        yield url


@pytest.fixture
def database(server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty database; of a copy of `original` where a test wants it `copied`."""
    copied = "copied" in request.fixturenames
    with new_database(server, request.getfixturevalue("original") if copied else "") as url:
        yield url


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with three small files of rules."""
    return write_vault(tmp_path / "vault", RULES)


@pytest.fixture
def settings(database: str, vault: Path) -> Settings:
    """Settings for the empty database and the small vault; nothing of the environment."""
    return Settings.model_validate({"database_url": database, "vault": vault})


@pytest.fixture
def open_rules() -> Iterator[Callable[[Settings], SearchContext]]:
    """Open a search context by its settings; it is closed at the end of the test."""
    with ExitStack() as stack:
        yield lambda settings: stack.enter_context(open_context(settings))


@pytest.fixture
def empty(loaded: SearchContext, settings: Settings) -> Iterator[SearchContext]:
    """A search context whose database holds nothing yet."""
    with same_models(loaded, settings) as rules:
        yield rules


@pytest.fixture
def copied(database: str) -> None:
    """Make the database one with an index of the small vault."""


@pytest.fixture
def search_context(
    loaded: SearchContext, settings: Settings, copied: None
) -> Iterator[SearchContext]:
    """A search context whose index, in a database of its own, holds the small vault."""
    with same_models(loaded, settings) as rules:
        yield rules


@pytest.fixture
def environment(
    copied: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A working directory without .env, the small vault's index in the environment."""
    set_environment(monkeypatch, settings, tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def indexed(
    server: str, original: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings of an index of the small vault that many tests read and none changes.

    No passage is under the threshold, which is fitted for other rules.
    """
    vault = write_vault(tmp_path_factory.mktemp("indexed"), RULES)
    with new_database(server, original) as url:
        yield Settings.model_validate({"database_url": url, "vault": vault, "rag_threshold": -9.0})


@pytest.fixture
def indexed_environment(indexed: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory without .env; the environment names `indexed`, which stays as it is."""
    set_environment(monkeypatch, indexed, tmp_path)
    monkeypatch.setenv("RAG_THRESHOLD", str(indexed.rag_threshold))
    return tmp_path


@pytest.fixture(scope="session")
def indexed_rules(loaded: SearchContext, indexed: Settings) -> Iterator[SearchContext]:
    """A search context of `indexed`."""
    with same_models(loaded, indexed) as rules:
        yield rules


@pytest.fixture(scope="session")
def client(indexed: Settings) -> Iterator[httpx2.Client]:
    """A client of the running API, which answers with quotes from the small vault."""
    with serving(indexed) as client:
        yield client


def set_environment(monkeypatch: pytest.MonkeyPatch, settings: Settings, folder: Path) -> None:
    """Let programs work in `folder` with the database and the vault of `settings`."""
    assert settings.database_url
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("VAULT", str(settings.vault))


@contextmanager
def new_database(server: str, original: str = "") -> Iterator[str]:
    """Make a database and yield its URL; drop it in the end.

    It is empty, or a copy of the one at the URL `original`, to which nobody is connected. No
    connection waits for the end: the server has fifty.
    """
    name = f"test_{os.urandom(6).hex()}"
    copy = str(conninfo_to_dict(original)["dbname"]) if original else "template1"
    made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(made.format(sql.Identifier(name), sql.Identifier(copy)))
    try:
        yield make_conninfo(server, dbname=name)
    finally:
        with psycopg.connect(server, autocommit=True) as conn:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def write_vault(root: Path, files: Mapping[str, str]) -> Path:
    """Write `files`, text by path, below `root`, and return `root`."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root
