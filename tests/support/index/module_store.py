"""A database for all tests of a file, with connections as the API has them: fixtures.

A pytest plugin, so that the tests need not import the fixtures.
"""

from collections.abc import Iterator
from contextlib import closing

import pytest

from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.index.store import Connection
from retrieval.models import Vectors
from tests.conftest import new_database
from tests.support.made.vectors import sentences


@pytest.fixture(scope="module")
def database_url(server: str) -> Iterator[str]:
    """The URL of an empty database for the file's tests."""
    with new_database(server) as url:
        yield url


@pytest.fixture(scope="module")
def store(database_url: str) -> Iterator[Store]:
    """That database, opened."""
    with closing(Store(database_url)) as store:
        store.open()
        yield store


@pytest.fixture(scope="module")
def conn(store: Store) -> Iterator[Connection]:
    """A connection to it."""
    with store.connect(autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session")
def sources(loaded: SearchContext) -> Vectors:
    """The vectors of some hundred sentences of rules, shape (sentences, 384)."""
    return loaded.embedder.embed(sentences())
