"""OpenAI's own client of a running API, and what a request of it looks like."""

from typing import Any

import httpx2
from openai import DefaultHttpxClient, OpenAI

from api.openai.request import MODEL

TORCH = "How long does a torch burn?"
MESSAGES: list[Any] = [{"role": "user", "content": TORCH}]
BODY = {"model": MODEL, "messages": MESSAGES}


def client_of(api: httpx2.Client) -> OpenAI:
    """Return OpenAI's client of that server, which never tries twice."""
    url = f"{str(api.base_url).rstrip('/')}/v1"
    # No connection is kept: nobody closes these clients, and pytest takes that for a leak.
    http = DefaultHttpxClient(limits=httpx2.Limits(max_keepalive_connections=0))
    return OpenAI(api_key="any", base_url=url, max_retries=0, timeout=30, http_client=http)


def refused(reply: httpx2.Response, status: int = 400) -> dict[str, Any]:
    """Return the error of a reply, after a look at its form."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/json"
    assert set(reply.json()) == {"error"}
    error: dict[str, Any] = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == ("invalid_request_error" if status < 500 else "server_error")
    return error
