"""Attackers of an API, in a process of their own: python -m tests.support.servers.attacks KIND …

They come from 127.0.0.2 to 127.0.0.9 and come again when they are cut off or refused. In the end a
line of JSON says what they got, and how many replies waited at once for who did not read them.
"""

import asyncio
import json
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from api.page.assets import ASSETS

HALF = b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900\r\n"
UNREAD = 20  # requests of one who does not read: four times what the kernels of both hold
SEGMENT = (
    1_400  # bytes, as over a network: the kernel holds 70 KB for it, and 3 MB within a machine
)
_LARGE = f"GET /page/any/{max(ASSETS, key=lambda name: len(ASSETS[name].data))}"
_OPEN = "01"  # a connection, as the kernel lists them
_PAUSE = 1.0  # seconds of who was refused, half more or less: Retry-After asks for five


@dataclass
class Got:
    """What the attackers got: statuses, and the milliseconds of each reply."""

    statuses: Counter[int] = field(default_factory=Counter)
    answered: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    stalled: int = 0  # connections at once whose replies nobody reads

    def add(self, status: int, milliseconds: float) -> None:
        """Count a reply."""
        self.statuses[status] += 1
        (self.refused if status == 503 else self.answered).append(milliseconds)


@dataclass(frozen=True)
class Attack:
    """Where the attackers ask, with which key, and what they got."""

    port: int
    token: str
    got: Got = field(default_factory=Got)

    async def half(self, number: int) -> None:
        """Send half of a request and wait for what comes."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(f"127.0.0.{2 + number % 8}", 0)
        )
        writer.write(HALF)
        await reader.read()
        writer.close()

    async def deaf(self, number: int) -> None:
        """Ask for the page's largest file many times, and read nothing but the first status."""
        loop = asyncio.get_running_loop()
        with socket.socket() as deaf:
            deaf.setblocking(False)
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            deaf.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
            deaf.bind((f"127.0.0.{2 + number % 8}", 0))
            await loop.sock_connect(deaf, ("127.0.0.1", self.port))
            request = self._request(_LARGE).replace(b"Connection: close\r\n", b"")
            await loop.sock_sendall(deaf, request * UNREAD)
            status = int((await loop.sock_recv(deaf, 12)).split()[1])
            self.got.statuses[status] += 1
            # Longer than a reply may wait for its reader; who was refused comes again sooner.
            await asyncio.sleep(25 if status == 200 else _PAUSE * random.uniform(0.5, 1.5))

    async def dense(self, number: int) -> None:
        """Open a dense file, each time as another page, alone or beside the form."""
        file = "/vault/Dense.md?" if number % 2 else "/?source=Dense.md&"
        await self._asked(number, f"GET {file}lines={random.randint(1, 2_000)}")

    async def overload(self, number: int) -> None:
        """Ask."""
        body = json.dumps({"question": f"How long does a torch burn, {number}?"}).encode()
        await self._asked(number, "POST /ask", body)

    async def _asked(self, number: int, line: str, body: bytes = b"") -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(f"127.0.0.{2 + number % 8}", 0)
        )
        began = time.perf_counter()
        writer.write(self._request(line, body))
        status = int((await reader.readline()).split()[1])
        await reader.read()
        self.got.add(status, 1000 * (time.perf_counter() - began))
        writer.close()
        if status == 503:
            await asyncio.sleep(_PAUSE * random.uniform(0.5, 1.5))

    def _request(self, line: str, body: bytes = b"") -> bytes:
        head = f"{line} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {self.token}\r\nAccept: text/html, application/json\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


def _attackers(attack: Attack) -> Mapping[str, tuple[int, Callable[[int], Awaitable[None]]]]:
    return {
        "half-open": (400, attack.half),
        "slow readers": (200, attack.deaf),
        "dense sources": (40, attack.dense),
        "overload": (128, attack.overload),  # four times the questions that are answered at once
    }


KINDS = tuple(_attackers(Attack(0, "")))


async def _again(attacker: Callable[[int], Awaitable[None]], number: int) -> None:
    for _ in count():
        try:
            await attacker(number)
        except (OSError, IndexError):  # cut off, perhaps before the status
            await asyncio.sleep(_PAUSE)


def _stalled(port: int) -> int:
    """How many connections of a server hold bytes that the kernel cannot send (Linux)."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return sum(
        local.endswith(f":{port:04X}") and state == _OPEN and not queues.startswith("00000000:")
        for _, local, _, state, queues, *_ in rows
    )


async def _watch(attack: Attack) -> None:
    for _ in count():
        attack.got.stalled = max(attack.got.stalled, _stalled(attack.port))
        await asyncio.sleep(0.5)


async def _run(kind: str, attack: Attack, seconds: float) -> None:
    many, attacker = _attackers(attack)[kind]
    tasks = [asyncio.create_task(_again(attacker, number)) for number in range(many)]
    tasks.append(asyncio.create_task(_watch(attack)))
    await asyncio.wait(tasks, timeout=seconds)
    got = attack.got
    late = sorted(got.refused)[int(0.95 * len(got.refused))] if got.refused else 0.0
    told = {
        "statuses": got.statuses, "refused p95 ms": round(late, 1),
        "refused max ms": round(max(got.refused, default=0.0), 1), "stalled at once": got.stalled,
    }  # fmt: skip
    print(json.dumps(told), flush=True)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    _kind, _port, _token, _seconds = sys.argv[1:]
    asyncio.run(_run(_kind, Attack(int(_port), _token), float(_seconds)))
