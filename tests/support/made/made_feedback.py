"""An API whose answers are rated, and what the inbox then lists."""

import json
from dataclasses import replace

import httpx2
import pytest

from api.state import AppState
from evals import inbox
from retrieval.context import SearchContext

TORCH = {"question": "How long does a torch burn?"}


def api(context: SearchContext, *, stored: bool = False) -> AppState:
    """What an API over `context` opens, with that wish of the operator."""
    settings = {"feedback_stores_questions": stored, "rag_threshold": -9.0}
    return AppState(replace(context, settings=context.settings.model_copy(update=settings)), None)


def asked(client: httpx2.Client) -> str:
    """Ask for torches and return the id of the answer."""
    reply = client.post("/ask", json=TORCH)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["request_id"])


def rated(client: httpx2.Client, request_id: str, rating: str = "up", **more: str) -> int:
    """Rate an answer and return the status."""
    body = {"request_id": request_id, "rating": rating, **more}
    return client.post("/feedback", json=body).status_code


def listed(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, object]]:
    """What the inbox lists as JSON."""
    capsys.readouterr()
    assert inbox.main(["--json", *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]
