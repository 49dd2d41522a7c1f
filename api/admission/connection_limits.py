"""Connections that one visitor cannot take from the others: deadlines, and how many there may be.

uvicorn waits for ever for the end of a request, and for a client that does not read its reply. When
a process has no file left for one more connection, nobody is answered, probes included. A reply may
wait in this process for its reader, and the next one is not begun before it was sent.
"""

import asyncio
import resource

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.admission.connections import RESERVE, Connections
from api.admission.reserve import only_probes
from api.keys.limits import network_of

REQUEST_SECONDS = 10.0  # for a whole request: its body has at most 256 KB
REPLY_SECONDS = 20.0  # in which a client has to read what was sent before more is
IDLE_SECONDS = 5  # that a connection is kept between two requests
PROBE_SECONDS = 1.0  # both, on a connection of the reserve
MOST = 1_024  # connections, the reserve not counted
_OTHER_FILES = 96  # that the process has open: the database, models, files that are read
_LEAST = 16
_WHOLE = (h11.DONE, h11.MUST_CLOSE)  # their state when the request has come whole


class LimitedProtocol(H11Protocol):
    """A connection whose requests come within REQUEST_SECONDS, and whose replies are read.

    `open_connections` is shared by all of a server: see `protocol`.
    """

    open_connections: Connections
    is_reserve = False
    address = ""  # of IPv6 the network
    _is_answered = False  # the reply is whole, and the client has yet to read it
    _request_timer: asyncio.TimerHandle | None = None
    _reply_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it
        """Begin to wait for a request; where there are too many connections, for a probe alone."""
        super().connection_made(transport)
        # Writing is paused as soon as the kernel takes no more, so that who does not read is known.
        transport.set_write_buffer_limits(high=0)
        self.address = network_of(self.client[0]) if self.client else ""
        if not self.open_connections.admit(self):
            self.is_reserve = True
            self.app = only_probes(self.app)
        self._wait_for_request()

    def abort(self) -> None:
        """Close it at once, whatever there is to send."""
        self.transport.abort()

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
        self._note_reader()

    def on_response_complete(self) -> None:
        """Wait for the next request, for IDLE_SECONDS.

        One that has come already is begun when the client has read this reply: a caller who sends
        many at once has one reply in memory.
        """
        is_next_due = self.conn.our_state is h11.DONE and self.conn.their_state is h11.DONE
        if is_next_due and self.flow.write_paused and not self.transport.is_closing():
            self._is_answered = True
            return
        super().on_response_complete()
        if self.transport.is_closing():
            return
        self._note_reader()
        if self.conn.their_state is h11.IDLE:
            self.open_connections.unfinished(self, now=True)
        elif self.conn.their_state not in _WHOLE:  # half of the next one came with this one
            self._wait_for_request()

    def pause_writing(self) -> None:
        """Give the client REPLY_SECONDS to read what it was sent."""
        super().pause_writing()
        self._note_reader()
        seconds = PROBE_SECONDS if self.is_reserve else REPLY_SECONDS
        self._reply_timer = self.loop.call_later(seconds, self.abort)

    def resume_writing(self) -> None:
        """Send more, or begin the next request."""
        self._end_reply_timer()
        super().resume_writing()
        self._note_reader()
        if self._is_answered:
            self._is_answered = False
            self.on_response_complete()

    def _should_upgrade(self) -> bool:
        """No: there are no web sockets here, and one would be counted for ever."""
        return False

    def _note_reader(self) -> None:
        """Say whether the client leaves a reply unread, or asks on without waiting for it."""
        asks_on = bool(self.conn.trailing_data[0])
        self.open_connections.unread(self, now=asks_on or self.flow.write_paused)

    def _wait_for_request(self) -> None:
        self.open_connections.unfinished(self, now=True)
        if self._request_timer is None:
            seconds = PROBE_SECONDS if self.is_reserve else REQUEST_SECONDS
            self._request_timer = self.loop.call_later(seconds, self.abort)

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
    own = _OTHER_FILES + RESERVE
    room = MOST if files == resource.RLIM_INFINITY else min(files - own, MOST)

    class Protocol(LimitedProtocol):
        open_connections = Connections(max(room, _LEAST))

    return Protocol
