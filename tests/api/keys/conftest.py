"""The API with keys, once for each file of tests that calls it."""

from collections.abc import Iterator

import pytest

from retrieval.context import SearchContext
from tests.support.servers.with_keys import Guarded, guarded


@pytest.fixture(scope="module")
def api(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guarded]:
    """The API with keys."""
    folder = tmp_path_factory.mktemp("guarded")
    with guarded(loaded, server, folder, allowed_hosts="rules.test") as found:
        yield found
