"""Vaults of a few files, ingested: a pytest plugin, so that tests need not import the fixture."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.settings import Settings
from tests.conftest import new_database, write_vault
from tests.support.index.index_state import same_models

_OPEN = 8
IndexFiles = Callable[..., SearchContext]  # what the fixture `index_files` gives


@pytest.fixture(scope="session")
def index_files(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexFiles]:
    """Index files, text by path, for tests that only read: once for the same files and settings.

    The _OPEN used last stay open: each has connections, and the server has fifty.
    """
    known: OrderedDict[str, tuple[SearchContext, ExitStack]] = OrderedDict()

    def index(files: Mapping[str, str], **values: object) -> SearchContext:
        key = repr((files, values))
        if key not in known:
            if len(known) == _OPEN:
                known.popitem(last=False)[1][1].close()
            vault = write_vault(tmp_path_factory.mktemp("files"), files)
            stack = ExitStack()
            known[key] = stack.enter_context(index_of(loaded, server, vault, **values)), stack
        known.move_to_end(key)
        return known[key][0]

    with ExitStack() as last:
        yield index
        for _, stack in known.values():
            last.push(stack)


@contextmanager
def index_of(
    loaded: SearchContext, server: str, vault: Path, **values: object
) -> Iterator[SearchContext]:
    """Ingest a vault into a database of its own and yield its context; `values` are settings."""
    with new_database(server) as url:
        settings = Settings.model_validate({"database_url": url, "vault": vault, **values})
        with same_models(loaded, settings) as rules:
            pipeline.run(rules, vault)
            yield rules
