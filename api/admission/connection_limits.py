"""Connections that one visitor cannot take from the others: deadlines, and how many there may be.

uvicorn waits for ever for the end of a request, and for a client that does not read its reply. When
a process has no file left for one more connection, nobody is answered, probes included.
"""

import asyncio
import resource
from collections import Counter, OrderedDict

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0  # for a whole request: its body has at most 256 KB
REPLY_SECONDS = 20.0  # in which a client has to read what was sent before more is
MOST = 1_024  # connections
_OTHER_FILES = 96  # that the process has open: the database, models, files that are read
_LEAST = 16
_WHOLE = (h11.DONE, h11.MUST_CLOSE)  # their state when the request has come whole


class Connections:
    """The open connections of a server, of which those that wait longest give way.

    At most `most`, and half of them from one address.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._of_address: Counter[str] = Counter()
        self._unfinished: OrderedDict[LimitedProtocol, None] = OrderedDict()

    def admit(self, new: "LimitedProtocol") -> bool:
        """Count a connection; False where there are too many and none of them can give way.

        One whose request has not come whole gives way: it is closed, the oldest one first. Nobody
        gives way to an address that has more connections.
        """
        own = self._of_address[new.address]
        if own >= max(self.most // 2, 1):
            return False
        if self._of_address.total() >= self.most:
            waiting = (one for one in self._unfinished if self._of_address[one.address] >= own)
            oldest = next(waiting, None)
            if oldest is None:
                return False
            del self._unfinished[oldest]
            oldest.transport.abort()
            self._forget(oldest)
        self._of_address[new.address] += 1
        new.is_counted = True
        return True

    def leave(self, gone: "LimitedProtocol") -> None:
        """Take a connection off the count, once."""
        self._unfinished.pop(gone, None)
        if gone.is_counted:
            self._forget(gone)

    def unfinished(self, one: "LimitedProtocol", *, now: bool) -> None:
        """Say whether a connection's request is still to come, or to end."""
        if now and one.is_counted:
            self._unfinished.setdefault(one)
        else:
            self._unfinished.pop(one, None)

    def _forget(self, one: "LimitedProtocol") -> None:
        one.is_counted = False
        self._of_address[one.address] -= 1
        if not self._of_address[one.address]:
            del self._of_address[one.address]


class LimitedProtocol(H11Protocol):
    """A connection whose requests come within REQUEST_SECONDS, and whose replies are read.

    `open_connections` is shared by all of a server: see `protocol`.
    """

    open_connections: Connections
    is_counted = False
    address = ""
    _request_timer: asyncio.TimerHandle | None = None
    _reply_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it
        """Begin to wait for a request, unless there are too many connections."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        if not self.open_connections.admit(self):
            transport.abort()
            return
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waiting."""
        self._end_request_timer()
        self._end_reply_timer()
        self.open_connections.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read more of a request, whose time begins with its first byte."""
        self._wait_for_request()
        super().data_received(data)
        if self.conn.their_state in _WHOLE or self.transport.is_closing():
            self._end_request_timer()
            self.open_connections.unfinished(self, now=False)

    def on_response_complete(self) -> None:
        """Wait for the next request, for as long as uvicorn keeps a connection alive."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.open_connections.unfinished(self, now=True)

    def pause_writing(self) -> None:
        """Give the client REPLY_SECONDS to read what it was sent."""
        super().pause_writing()
        self._reply_timer = self.loop.call_later(REPLY_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Send more."""
        self._end_reply_timer()
        super().resume_writing()

    def _wait_for_request(self) -> None:
        self.open_connections.unfinished(self, now=True)
        if self._request_timer is None:
            self._request_timer = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _end_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _end_reply_timer(self) -> None:
        if self._reply_timer is not None:
            self._reply_timer.cancel()
            self._reply_timer = None


def protocol() -> type[LimitedProtocol]:
    """Return the protocol of a server, with a count of its own.

    It holds as many connections as the process may have files open, less what it needs itself.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = MOST if files == resource.RLIM_INFINITY else min(files - _OTHER_FILES, MOST)

    class Protocol(LimitedProtocol):
        open_connections = Connections(max(room, _LEAST))

    return Protocol
