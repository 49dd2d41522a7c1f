"""A database to break while an API is asked over HTTP: the server, a proxy, the askers."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psycopg
from psycopg.conninfo import make_conninfo

from evals.answers.running_apis import free_port
from tests.support.index.embedded import alive, clean, open_folder, serve_over_tcp, server
from tests.support.servers.proxy import Proxy

_QUESTIONS = ("How long does a torch burn?", "What does a battle axe cost?", "Who is drowning?")
_PAUSE = 0.2  # seconds between the questions of an asker; four of them ask 20 a second
_ASKERS = 4


@dataclass(frozen=True)
class Server:
    """An embedded server that listens over TCP; processes of the product reach it by a proxy."""

    data_dir: Path
    port: int
    url: str  # straight to it
    proxy: Proxy

    @property
    def proxied(self) -> str:
        return make_conninfo(self.url, port=self.proxy.port)

    def stop(self, number: signal.Signals) -> None:
        """Send the postmaster a signal and wait until it is gone."""
        pid = server(self.data_dir)
        os.kill(pid, number)
        give_up = time.monotonic() + 20
        while alive(pid):
            assert time.monotonic() < give_up, f"the postmaster outlived {number!r}"
            time.sleep(0.005)

    def start(self) -> None:
        """Start it again; whoever uses it keeps it running."""
        with serve_over_tcp(self.data_dir, self.port):
            pass

    def backends(self) -> int:
        """How many connections it has, without the one that asks."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            row = conn.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            ).fetchone()
        assert row is not None
        return int(row[0])

    def terminate(self) -> None:
        """End all connections, as an administrator would."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            end_others(conn)


def end_others(conn: psycopg.Connection, keep: tuple[int, ...] = ()) -> int:
    """End all other connections but those of the backends `keep`; return how many there were."""
    return len(
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = "
            "'client backend' AND pid <> pg_backend_pid() AND NOT pid = ANY(%s)",
            [list(keep)],
        ).fetchall()
    )


@contextmanager
def faulty_server(made: Path) -> Iterator[Server]:
    """Yield a running server on a copy of the data directory `made`, behind a proxy."""
    with open_folder() as folder, ExitStack() as stack:
        data_dir, port = folder / "data", free_port()
        subprocess.run(["cp", "-a", made, data_dir], check=True)
        stack.callback(clean, data_dir)
        url = stack.enter_context(serve_over_tcp(data_dir, port))
        proxy = Proxy(("127.0.0.1", port))
        stack.callback(proxy.close)
        yield Server(data_dir, port, url, proxy)


@dataclass(frozen=True)
class Reply:
    """What one question got."""

    response: httpx2.Response
    seconds: float


@dataclass
class Asked:
    """What all questions got so far."""

    replies: list[Reply] = field(default_factory=list)
    failed: list[Exception] = field(default_factory=list)  # no reply: the API itself broke

    def statuses(self) -> list[int]:
        return [reply.response.status_code for reply in self.replies]

    def slowest(self) -> float:
        return max(reply.seconds for reply in self.replies)


@contextmanager
def asking(client: httpx2.Client, path: str = "/search") -> Iterator[Asked]:
    """Ask about 20 times a second until the end of the block, and wait for the last replies."""
    asked, done = Asked(), threading.Event()

    def ask(number: int) -> None:
        turn = number
        while not done.wait(_PAUSE):
            turn += 1
            started = time.monotonic()
            try:
                response = client.post(path, json={"question": _QUESTIONS[turn % 3]})
            except httpx2.HTTPError as error:
                asked.failed.append(error)
                continue
            asked.replies.append(Reply(response, time.monotonic() - started))

    threads = [threading.Thread(target=ask, args=[number]) for number in range(_ASKERS)]
    for thread in threads:
        thread.start()
    try:
        yield asked
    finally:
        done.set()
        for thread in threads:
            thread.join()


def seconds_to_recover(client: httpx2.Client) -> float:
    """Ask until a question is answered and return how long that took."""
    started = time.monotonic()
    while client.post("/search", json={"question": _QUESTIONS[0]}).status_code != 200:
        assert time.monotonic() < started + 60, "no answer a minute after the fault was over"
    return time.monotonic() - started
