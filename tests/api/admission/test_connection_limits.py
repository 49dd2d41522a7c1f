"""Connections that are half open, or whose client does not read, take nothing from the others."""

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPConnection

import httpx2
import pytest
from fastapi import FastAPI

from api.__main__ import _config
from api.admission import connection_limits
from retrieval.settings import Settings
from tests.support.servers.attacks import SEGMENT
from tests.support.servers.served import api_process

FILES = 160  # of the process: 64 connections, once its own are taken off
HALF = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half"
UNREAD = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 10  # 850 KB
MADE = 200  # connections of those who ask nothing, or read nothing


@pytest.fixture
def few_files() -> Iterator[None]:
    """Processes that are started here may have few files open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def address(client: httpx2.Client) -> tuple[str, int]:
    """Where the server listens."""
    return client.base_url.host, int(client.base_url.port or 0)


def is_closed(connection: socket.socket, seconds: float) -> bool:
    """Whether the server closes a connection within some seconds."""
    connection.settimeout(seconds)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def is_cut_while_sending(deaf: socket.socket, request: bytes) -> bool:
    """Whether the server cuts a client off that sends requests and reads no reply."""
    deaf.settimeout(0.1)
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        try:
            deaf.send(request * 100)
        except TimeoutError:  # neither side takes more
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.usefixtures("few_files")
def test_with_few_files_who_holds_connections_gives_way(indexed: Settings) -> None:
    assert indexed.database_url
    url = indexed.database_url.get_secret_value()
    environment = {"DATABASE_URL": url, "VAULT": str(indexed.vault)}
    with api_process(environment) as (client, process):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(MADE * 3, before[0]), before[1]))
        client.close()  # its connection would have waited longest, and be the one that goes
        for sent in (HALF, UNREAD):  # half open; many requests, none read
            with ExitStack() as held:
                hold(held, address(client), sent)
                fresh = held.enter_context(httpx2.Client(base_url=client.base_url, timeout=60))
                for _ in range(3):
                    assert fresh.get("/livez").status_code == 200
                    asked = fresh.post("/ask", json={"question": "How long does a torch burn?"})
                    assert asked.status_code == 200
                for _ in range(20):
                    assert httpx2.get(f"{client.base_url}/livez", timeout=60).status_code == 200
        assert process.poll() is None


def hold(held: ExitStack, server: tuple[str, int], sent: bytes) -> None:
    """Make connections from eight addresses that send something and read nothing."""
    made = [held.enter_context(socket.socket()) for _ in range(MADE)]
    for number, one in enumerate(made):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
        one.bind((f"127.0.0.{2 + number % 8}", 0))
        one.settimeout(30)
        one.connect(server)
        one.sendall(sent)
    for one in made if sent is UNREAD else ():
        with suppress(ConnectionError):
            one.recv(1)  # its request has come whole, or it is closed


@pytest.mark.parametrize(
    "sent",
    [b"", HALF, b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\n{"],
    ids=["nothing", "half of the headers", "half of the body"],
)
def test_a_request_that_does_not_end_is_cut(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connection_limits, "REQUEST_SECONDS", 0.5)
    with socket.create_connection(address(client)) as half:
        half.sendall(sent)
        assert is_closed(half, 20)


def test_a_kept_connection_asks_again_and_a_client_that_does_not_read_is_cut(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "REQUEST_SECONDS", 0.5)
    monkeypatch.setattr(connection_limits, "REPLY_SECONDS", 0.5)
    whole = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    kept = HTTPConnection(*address(client))
    connected = set()
    for _ in range(3):
        kept.request("GET", "/livez")
        assert kept.getresponse().read() == b'{"status":"alive"}'
        connected.add(kept.sock)
        time.sleep(0.7)  # longer than a request may take: none has begun
    assert len(connected) == 1
    kept.close()
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        deaf.connect(address(client))
        assert is_cut_while_sending(deaf, whole)


def test_a_kept_connection_that_asks_nothing_more_is_closed(client: httpx2.Client) -> None:
    with socket.create_connection(address(client), 20) as kept:
        kept.sendall(b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        reply = b""
        while not reply.endswith(b'{"status":"alive"}'):
            reply += kept.recv(65_536)
        assert b"connection: close" not in reply.lower()
        assert is_closed(kept, 10 * connection_limits.IDLE_SECONDS)
    assert _config(FastAPI(), Settings()).timeout_keep_alive == connection_limits.IDLE_SECONDS


def test_half_of_a_second_request_behind_a_whole_one_is_cut(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "REQUEST_SECONDS", 0.5)
    whole = b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    half = b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n\r\n{"
    with socket.create_connection(address(client), 20) as one:
        one.sendall(whole + half)
        while not one.recv(65_536).endswith(b'{"status":"alive"}'):
            pass
        assert is_closed(one, 20)


def test_web_sockets_are_not_taken_and_counted_for_ever(client: httpx2.Client) -> None:
    upgrade = (
        b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with socket.create_connection(address(client), 20) as one:
        one.sendall(upgrade)
        assert one.recv(65_536).startswith(b"HTTP/1.1 200"), "it is answered as any other request"
