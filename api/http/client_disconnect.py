"""Whether the client that asked is still there; if not, what runs for it ends at once."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

_Result = TypeVar("_Result")


class ClientDisconnect:
    """Ends what runs for a client, from any thread. It is for one request and is final."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ends: list[Callable[[], None]] = []
        self._gone = False

    def end_all(self) -> None:
        """Call every registered end, here and now; what begins later is ended as it begins."""
        with self._lock:
            self._gone = True
            ends, self._ends = self._ends, []
        for end in ends:
            end()

    @contextmanager
    def ends(self, end: Callable[[], None]) -> Iterator[None]:
        """Register `end`, which must be quick and safe in any thread, for the block's time."""
        with self._lock:
            gone = self._gone
            if not gone:
                self._ends.append(end)
        if gone:
            end()
        try:
            yield
        finally:
            with self._lock:
                if end in self._ends:
                    self._ends.remove(end)


async def until_gone(request: Request, work: Callable[[ClientDisconnect], _Result]) -> _Result:
    """Return what `work` returns, run in a thread, and end it when the client leaves.

    For replies that are sent whole. The request's body must have been read. Raises what `work`
    raises.
    """
    disconnect = ClientDisconnect()
    watcher = asyncio.create_task(_watch(request, disconnect))
    try:
        return await run_in_threadpool(work, disconnect)
    finally:
        watcher.cancel()


async def _watch(request: Request, disconnect: ClientDisconnect) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    disconnect.end_all()
