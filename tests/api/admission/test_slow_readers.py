"""Clients that do not read what they asked for, over sockets whose buffers are small."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx2
import pytest
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel

from api.admission import connection_limits
from api.admission.connection_limits import LimitedProtocol
from api.admission.connections import RESERVE
from api.http.client_disconnect import ClientDisconnect
from api.http.sse import EventStream
from retrieval.settings import Settings
from tests.support.servers.serving import serving

BUFFER = 4_096  # bytes, of which the system makes a little more
MOST = connection_limits._LEAST  # connections
PART = 40_000  # bytes of a reply: more than both buffers, less than uvicorn would hold back


class Draft(BaseModel):
    text: str


@dataclass
class Replies:
    """Large replies, and what became of them."""

    begun: int = 0
    at_work: int = 0
    ended: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def stream(self, _: ClientDisconnect) -> Generator[tuple[str, Draft]]:
        try:
            while True:
                yield "message", Draft(text="x" * PART)
        finally:
            self.ended.set()


def app(replies: Replies) -> FastAPI:
    served = FastAPI()

    @served.post("/ask")
    def ask() -> Response:
        return EventStream(replies.stream, ClientDisconnect())

    @served.get("/page")
    def page() -> Response:
        replies.begun += 1
        return Response(b"x" * PART)

    @served.get("/long")
    def long() -> Response:
        return Response(b"x" * 100 * PART)

    @served.get("/work")
    async def work(request: Request) -> str:
        replies.at_work += 1
        while not replies.go_on.is_set() and not await request.is_disconnected():
            await asyncio.sleep(0.01)
        replies.at_work -= 1
        return "done"

    @served.get("/livez")
    async def livez() -> str:
        return "alive"

    return served


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The clients' ports of connections that the server closed, which holds little of a reply."""
    ports = set[int]()

    def connection_made(self: LimitedProtocol, transport: asyncio.Transport) -> None:
        end = transport.get_extra_info("socket")
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        made(self, transport)

    def connection_lost(self: LimitedProtocol, exc: Exception | None) -> None:
        gone(self, exc)
        ports.add(self.client[1] if self.client else 0)

    made, gone = LimitedProtocol.connection_made, LimitedProtocol.connection_lost
    monkeypatch.setattr(LimitedProtocol, "connection_made", connection_made)
    monkeypatch.setattr(LimitedProtocol, "connection_lost", connection_lost)
    return ports


@pytest.fixture
def replies() -> Replies:
    return Replies()


@pytest.fixture
def served(
    replies: Replies, lost: set[int], monkeypatch: pytest.MonkeyPatch
) -> Iterator[httpx2.Client]:
    monkeypatch.setattr(connection_limits, "MOST", MOST)
    with serving(Settings(), app(replies)) as client:
        yield client
        replies.go_on.set()


def deaf(client: httpx2.Client, request: str, *, times: int = 1, host: int = 2) -> socket.socket:
    """Send a request and read nothing."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    made.bind((f"127.0.0.{host}", 0))
    made.connect((client.base_url.host, int(client.base_url.port or 0)))
    head = f"{request} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
    made.sendall(head.encode() * times)
    return made


def wait_for(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.01)


@pytest.mark.parametrize("request_line", ["POST /ask", "GET /long", "GET /page"])
def test_who_does_not_read_a_stream_a_large_reply_or_the_end_of_one_is_cut(
    served: httpx2.Client,
    replies: Replies,
    lost: set[int],
    monkeypatch: pytest.MonkeyPatch,
    request_line: str,
) -> None:
    monkeypatch.setattr(connection_limits, "REPLY_SECONDS", 0.5)
    with deaf(served, request_line) as one:
        port = one.getsockname()[1]
        wait_for(lambda: port in lost)
    if request_line == "POST /ask":
        assert replies.ended.wait(20), "nobody goes on writing for one who is gone"


def test_who_asks_many_times_at_once_has_one_reply_in_memory(
    served: httpx2.Client, replies: Replies
) -> None:
    with deaf(served, "GET /page", times=40) as one:
        wait_for(lambda: replies.begun > 0)
        for _ in range(3):  # what was asked behind it would have been answered
            assert served.get("/livez").status_code == 200
            time.sleep(0.1)
        assert replies.begun == 1
        one.settimeout(20)
        read = 0
        while read < 40 * PART:
            read += len(one.recv(65_536))
        assert replies.begun == 40


def test_while_all_are_at_work_probes_are_answered_and_others_are_told(
    served: httpx2.Client, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "PROBE_SECONDS", 0.5)
    with ExitStack() as held:
        at_work = [deaf(served, "GET /work", host=2 + number % 2) for number in range(MOST)]
        for one in at_work:
            held.enter_context(one).settimeout(20)
        wait_for(lambda: replies.at_work == MOST)  # who is not yet read would give way
        silent = held.enter_context(deaf(served, "", times=0, host=3))
        silent.settimeout(20)
        for _ in range(RESERVE + 4):  # each is closed behind its reply
            assert httpx2.get(f"{served.base_url}/livez", trust_env=False).json() == "alive"
        refused = httpx2.get(f"{served.base_url}/work", trust_env=False)
        assert (refused.status_code, refused.headers["connection"]) == (503, "close")
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.headers["retry-after"]
        assert refused.json()["request_id"] == refused.headers["x-request-id"]
        assert silent.recv(1) == b"", "who says nothing there has PROBE_SECONDS"
        replies.go_on.set()
        for one in at_work:
            assert one.recv(12) == b"HTTP/1.1 200"


def test_who_asks_on_without_reading_gives_way(served: httpx2.Client, replies: Replies) -> None:
    with ExitStack() as held:
        for number in range(MOST):
            held.enter_context(deaf(served, "GET /work", times=2, host=2 + number % 2))
        wait_for(lambda: replies.at_work == MOST)
        assert served.get("/page").status_code == 200
        wait_for(lambda: replies.at_work == MOST - 1)
        replies.go_on.set()
