"""Serve the API as `python -m api` does: uvicorn on a free port, here in a thread."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from api.admission import connection_limits
from api.main import create_app
from retrieval.settings import Settings

_START_SECONDS = 300.0  # models are loaded, on a slow machine by several processes at once


@contextmanager
def serving(settings: Settings, app: FastAPI | None = None) -> Iterator[httpx2.Client]:
    """Yield a client of the running app, lifespan and all."""
    config = uvicorn.Config(
        app or create_app(settings),
        host="127.0.0.1",
        port=0,
        http=connection_limits.protocol(),
        lifespan="on",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
        timeout_keep_alive=connection_limits.IDLE_SECONDS,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="uvicorn", daemon=True)
    thread.start()
    give_up = time.monotonic() + _START_SECONDS
    while not server.started:
        assert thread.is_alive(), "the app did not start; its log says why"
        assert time.monotonic() < give_up, f"the app did not start in {_START_SECONDS:g} s"
        time.sleep(0.01)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        with httpx2.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False
        ) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()


def events(client: httpx2.Client, body: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a streamed answer to POST /ask: name and data."""
    with client.stream("POST", "/ask", json=body) as response:
        found = []
        for event in httpx2.EventSource(response):
            data = event.json()
            assert isinstance(data, dict)
            found.append((event.event, data))
        return found
