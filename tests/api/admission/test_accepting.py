"""Connections are accepted at a pace while all places are taken, and again when a file is free."""

import asyncio
import errno
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from socket import create_connection, socket

import pytest

from api.admission import accepting
from api.admission.accepting import Acceptor
from api.admission.connections import Connections

WAITING = 40


class Held:
    """A connection that never goes by itself."""

    def __init__(self, address: str) -> None:
        self.address = address

    def abort(self) -> None:
        """Stay."""


def connections(*, full: bool) -> Connections:
    """Two places and a reserve of one."""
    made = Connections(2, 1)
    for address in ("a", "b", "c") if full else ():
        made.admit(Held(address))
    return made


@pytest.fixture
def listening() -> Iterator[socket]:
    """A socket on which WAITING connections wait."""
    with ExitStack() as stack:
        made = stack.enter_context(Failing())
        made.bind(("127.0.0.1", 0))
        made.listen(WAITING)
        made.setblocking(False)
        for _ in range(WAITING):
            stack.enter_context(create_connection(made.getsockname()))
        yield made


class Failing(socket):
    """A socket that has no file for its first `failures` connections."""

    failures = 0

    def accept(self) -> tuple[socket, object]:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


def accepted(listening: socket, open_: Connections, until: int) -> int:
    """How many connections are made, waited for until there are so many, or a hundred turns."""

    async def made() -> int:
        transports: list[asyncio.BaseTransport] = []

        class Made(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                transports.append(transport)

        acceptor = Acceptor(listening, Made, open_)
        acceptor.start()
        for _ in range(100):
            await asyncio.sleep(0 if until > WAITING else 0.05)
            if len(transports) >= until:
                break
        acceptor.stop()
        count = len(transports)
        await asyncio.sleep(0.05)
        assert len(transports) - count <= accepting._AT_ONCE  # of those on their way
        for one in transports:
            one.close()
        return count

    return asyncio.run(made())


def test_while_all_places_are_taken_few_are_accepted_before_a_pause(
    listening: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "_PAUSE", 60.0)
    assert accepted(listening, connections(full=True), WAITING + 1) == accepting._AT_ONCE_FULL


def test_with_a_place_left_nobody_waits_for_a_pause(
    listening: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accepting, "_PAUSE", 60.0)
    assert accepted(listening, connections(full=False), WAITING) == WAITING


def test_after_the_pause_the_others_are_accepted(listening: socket) -> None:
    assert accepted(listening, connections(full=True), WAITING) == WAITING


def test_without_a_file_it_is_said_and_tried_again(
    listening: Failing, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(accepting, "_NO_FILE", 0.01)
    listening.failures = 2
    with caplog.at_level(logging.ERROR, "api"):
        assert accepted(listening, connections(full=False), WAITING) == WAITING
    assert [one.getMessage() for one in caplog.records] == [
        "no connection can be accepted: [Errno 24] Too many open files; trying again"
    ] * 2
