"""What the tests share: one embedded server for the whole run, one database for each index."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from ingest import pipeline
from retrieval.postgres import serve
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.settings import Settings, names
from tests.fake_llm import FakeLlm
from tests.serving import serving

pytest_plugins = ["tests.embedded", "tests.promises_table"]

for _name in names():  # whoever runs the tests may have settings of their own
    os.environ.pop(_name, None)
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # as the embedder sets it; some tests import torch first

API_KEY = "sk-canary-83a1c7"  # nothing but the model's server may ever show it
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
    """The URL of an embedded PostgreSQL with pgvector that all tests share."""
    folder = Path(tempfile.mkdtemp(prefix="rules-"))
    folder.chmod(0o711)  # where the tests run as root, the server runs as somebody else
    try:
        with serve(folder / "pg") as url:
            yield url
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def database(server: str) -> Iterator[str]:
    """The URL of an empty database."""
    with new_database(server) as url:
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
def open_rules() -> Iterator[Callable[[Settings], Rulebook]]:
    """Open a rulebook by its settings; it is closed at the end of the test."""
    with ExitStack() as stack:
        yield lambda settings: stack.enter_context(open_rulebook(settings))


@pytest.fixture
def empty(settings: Settings, open_rules: Callable[[Settings], Rulebook]) -> Rulebook:
    """A rulebook whose database holds nothing yet."""
    return open_rules(settings)


@pytest.fixture
def rulebook(settings: Settings, open_rules: Callable[[Settings], Rulebook]) -> Rulebook:
    """A rulebook whose index holds the small vault."""
    rules = open_rules(settings)
    pipeline.run(rules, settings.vault)
    return rules


@pytest.fixture
def environment(
    rulebook: Rulebook, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A working directory without .env, the small vault's index in the environment."""
    assert settings.database_url
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", settings.database_url.get_secret_value())
    monkeypatch.setenv("VAULT", str(settings.vault))
    return tmp_path


@pytest.fixture(scope="session")
def indexed(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of an index of the small vault that many tests read and none changes.

    No passage is under the threshold, which is fitted for other rules.
    """
    vault = write_vault(tmp_path_factory.mktemp("indexed"), RULES)
    with new_database(server) as url:
        settings = Settings.model_validate(
            {"database_url": url, "vault": vault, "rag_threshold": -9.0}
        )
        with open_rulebook(settings) as rules:
            pipeline.run(rules, vault)
        yield settings


@pytest.fixture(scope="session")
def client(indexed: Settings) -> Iterator[httpx2.Client]:
    """A client of the running API, which answers with quotes from the small vault."""
    with serving(indexed) as client:
        yield client


@pytest.fixture(scope="session")
def llm_server() -> Iterator[FakeLlm]:
    """The language model's server; tests take `llm`."""
    llm = FakeLlm()
    yield llm
    llm.shutdown()


@pytest.fixture
def llm(llm_server: FakeLlm) -> FakeLlm:
    """The language model that `model_client` asks, well-behaved and never asked before."""
    llm_server.stopped.set()  # lets go of what the last test left hanging
    llm_server.forget()
    return llm_server


@pytest.fixture(scope="session")
def with_model(indexed: Settings, llm_server: FakeLlm) -> Settings:
    """Settings of an API that asks the fake language model."""
    return indexed.model_copy(
        update={
            "openai_base_url": llm_server.url,
            "openai_model": "fake",
            "openai_api_key": SecretStr(API_KEY),
            "llm_timeout": 1.0,
        }
    )


@pytest.fixture(scope="session")
def model_client(with_model: Settings) -> Iterator[httpx2.Client]:
    """A client of the running API, which asks the fake language model."""
    with serving(with_model) as client:
        yield client


@contextmanager
def new_database(server: str) -> Iterator[str]:
    """Make a database and yield its URL; drop it in the end."""
    name = f"test_{os.urandom(6).hex()}"
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield make_conninfo(server, dbname=name)
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def write_vault(root: Path, files: dict[str, str]) -> Path:
    """Write `files`, text by path, below `root`, and return `root`."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root
