"""A running API that searches a streaming replica; asks and edits, for tests of what it shows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from api.http.index_version import HEADER
from api.main import create_app
from api.state import AppState, open_app_state
from ingest import pipeline
from retrieval import context as context_module
from retrieval.context import SearchContext
from retrieval.database.embedded.postgres import serve
from retrieval.index import store
from retrieval.settings import Settings
from tests.support.faults import editions
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.index.embedded import open_folder
from tests.support.index.standby import Standby, standby
from tests.support.servers.serving import serving

ASKED = "What does a torch weigh in this edition?"
QUESTION: dict[str, Any] = {"question": ASKED, "top_k": 6}
VERSION = re.compile(r"x(\d+)x")
_TOPICS = ("torch", "lantern", "rope", "axe", "dagger", "mace")


@dataclass(slots=True)
class Pair:
    """An API that searches a replica, and what ingests into the primary."""

    client: httpx2.Client  # its cookies are left out: each request is another caller's
    opened: AppState
    context: SearchContext
    standby: Standby
    edition: int = 0

    def edit(self, *, rebuild: bool = False) -> int:
        """Ingest the next edition and return it."""
        self.edition += 1
        vault = self.context.settings.vault
        editions.write(vault, self.edition, _TOPICS)
        pipeline.run(self.context, vault, rebuild=rebuild)
        return self.edition

    def version(self) -> int:
        """The index version of the primary."""
        with psycopg.connect(self.standby.primary) as conn:
            row = conn.execute("SELECT index_version FROM generation WHERE state = 'live'")
            return int(row.fetchall()[0][0])

    def ask(self, seen: object = None) -> tuple[set[int], int]:
        """Ask as a caller who has seen a version; return the editions of the reply, and its own."""
        sent = {} if seen is None else {HEADER: str(seen)}
        self.client.cookies.clear()
        return shown(self.client.post("/ask", json=QUESTION, headers=sent))

    def generation(self) -> int:
        """The id of the primary's live generation."""
        return self.context.store.read(lambda conn: store.live(conn).id)


def shown(reply: httpx2.Response) -> tuple[set[int], int]:
    assert reply.status_code == 200, reply.text
    return {int(found) for found in VERSION.findall(reply.text)}, int(reply.headers[HEADER])


@contextmanager
def running_pair(vault: Path) -> Iterator[Pair]:
    """Yield a running API over two running servers, with vectors that cost nothing."""
    with (
        open_folder() as folder,
        pytest.MonkeyPatch.context() as patch,
        serve(folder / "data") as primary,
        standby(primary, folder / "data", folder / "replica") as replica,
    ):
        patch.setattr(context_module, "Embedder", HashingEmbedder)
        settings = Settings.model_validate(
            {
                "database_url": primary,
                "database_read_url": replica.url,
                "vault": vault,
                "rag_threshold": -9.0,
            }
        )
        with editions.ingested(settings, _TOPICS) as context:
            replica.catch_up()
            with (
                open_app_state(settings) as opened,
                serving(settings, create_app(opened)) as client,
            ):
                yield Pair(client, opened, context, replica)
