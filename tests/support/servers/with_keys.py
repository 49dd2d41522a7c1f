"""The API over a vault of made-up words, with a key of each scope: what is of the vault shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from api.keys import key_file
from api.keys.key_ring import KeyRing
from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.serving import serving

# What is asked, which a reply may say again.
ASKED = "How often does a quimbat frindle?"
PATH = "quimbat/quimbat.md"
FILES = {
    PATH: "# Brindlewick\n\nA quimbat frindles two snorvels each plimday.\n",
    "README.md": "# Grombly\n\nThe drubwin of klimperts. More.\n",
    "questions.txt": "How many snorvels?\n",
}
WORDS = ("brindlewick", "snorvel", "plimday", "grombly", "drubwin", "klimpert")


@dataclass(frozen=True, slots=True)
class Guarded:
    """The running API, the file of its keys, and the token of each: named by its scope."""

    client: httpx2.Client
    file: Path
    tokens: dict[str, str]


@contextmanager
def guarded(
    loaded: SearchContext, server: str, folder: Path, **settings: object
) -> Iterator[Guarded]:
    """Yield the API with keys: "ask", "feedback", "metrics", "admin" and, revoked, "gone"."""
    file = folder / "keys.jsonl"
    tokens = {scope: key_file.add(file, scope, [scope]) for scope in key_file.SCOPES}
    tokens["gone"] = key_file.add(file, "gone", key_file.SCOPES)
    vault = write_vault(folder / "vault", FILES)
    with index_of(loaded, server, vault, rag_threshold=-9.0, **settings) as rules:
        app = create_app(AppState(rules, None, keys=KeyRing(str(file))))
        with serving(rules.settings, app) as client:
            assert client.get("/vault/", headers=bearer(tokens["gone"])).status_code == 200
            key_file.revoke(file, "gone")  # the running server is not told
            yield Guarded(client, file, tokens)


def bearer(token: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"Authorization": f"Bearer {token}"}
