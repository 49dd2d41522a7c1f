"""Accept connections, at a pace of our own while all of their places are taken.

asyncio accepts whatever waits. While all places are taken, each new connection costs another one
its place in the reserve, and who was closed comes again at once: that alone took the event loop.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from errno import EMFILE, ENFILE, ENOBUFS, ENOMEM
from socket import socket

from api.admission.connections import Connections

_AT_ONCE = 16  # connections before others have a turn: each holds a file
_AT_ONCE_FULL = 8  # the same while all places are taken, …
_PAUSE = 0.008  # … and seconds before the next ones, which makes a thousand a second
_NO_FILES = {EMFILE, ENFILE, ENOBUFS, ENOMEM}
_NO_FILE = 1.0  # seconds after which it is tried again where the system has no file left

log = logging.getLogger("api")


class Acceptor:
    """Makes a protocol of every connection to a listening socket, in a running event loop."""

    def __init__(
        self, listening: socket, make: Callable[[], asyncio.Protocol], open_: Connections
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._make = make
        self._open = open_
        self._tasks: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Accept, in place of whoever does so."""
        self._loop.remove_reader(self._listening)
        self._loop.add_reader(self._listening, self._accept)

    def stop(self) -> None:
        """Accept no more; what was accepted goes on."""
        self._loop.remove_reader(self._listening)
        if self._pause:
            self._pause.cancel()

    def _accept(self) -> None:
        is_full = self._open.is_full
        for _ in range(_AT_ONCE_FULL if is_full else _AT_ONCE):
            try:
                accepted, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _NO_FILES:  # of one connection
                    continue
                log.error("no connection can be accepted: %s; trying again", error)
                self._wait(_NO_FILE)
                return
            accepted.setblocking(False)
            task = self._loop.create_task(self._connect(accepted))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if is_full:
            self._wait(_PAUSE)

    async def _connect(self, accepted: socket) -> None:
        with suppress(OSError):  # it has gone already
            await self._loop.connect_accepted_socket(self._make, accepted)

    def _wait(self, seconds: float) -> None:
        self._loop.remove_reader(self._listening)
        self._pause = self._loop.call_later(seconds, self.start)
