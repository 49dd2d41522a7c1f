"""Server-sent events over HTTP, from code that runs in threads; it ends when its client leaves."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing
from threading import Lock

from anyio import CancelScope, to_thread
from fastapi.sse import EventSourceResponse, format_sse_event
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from api.http.client_disconnect import ClientDisconnect

_Event = tuple[str, BaseModel]
# No proxy may keep events back (nginx's name for it) and nobody may store an answer.
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream(EventSourceResponse):
    """A response of the events that `make` yields; call it in a thread, it takes the first one.

    Where that raises, there is no response yet and the error is the caller's. `make` gets
    `disconnect`, which is called as soon as the client leaves; its generator is closed soon after.
    Before the first event it is the caller's to call.
    """

    def __init__(
        self, make: Callable[[ClientDisconnect], Generator[_Event]], disconnect: ClientDisconnect
    ) -> None:
        made = make(disconnect)
        first = next(made)
        self._frames = _frames(first, made, disconnect)
        super().__init__(self._frames, headers=_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until they end or the client leaves."""
        # Starlette leaves the frames as they are where it is cancelled while it sends one.
        async with aclosing(self._frames):
            await super().__call__(scope, receive, send)


async def _frames(
    first: _Event, made: Generator[_Event], disconnect: ClientDisconnect
) -> AsyncGenerator[bytes]:
    rest = _Shared(made)
    event: _Event | None = first
    try:
        while event is not None:
            name, data = event
            yield format_sse_event(event=name, data_str=data.model_dump_json())
            # Abandoned when the client leaves: the next event may be half a minute away.
            event = await to_thread.run_sync(rest.next, abandon_on_cancel=True)
    finally:
        disconnect.end_all()  # ends what an abandoned thread waits for
        with CancelScope(shield=True):
            await to_thread.run_sync(rest.close)


class _Shared:
    """A generator that one thread may close while another one is still in it: it waits."""

    def __init__(self, made: Generator[_Event]) -> None:
        self._made = made
        self._lock = Lock()

    def next(self) -> _Event | None:
        with self._lock:
            return next(self._made, None)

    def close(self) -> None:
        with self._lock:
            self._made.close()
