"""One call of a server: by when it ends, how large its reply may be, whom it may talk to."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from contextvars import ContextVar
from threading import Event, Lock
from time import monotonic
from typing import Any

import httpx2

from api.llm import blocked_hosts
from api.llm.faults import Fault, LlmFault

_MOST_BYTES = 1024 * 1024
_CONNECT = 5.0  # seconds: a server that is there takes a connection at once
_TCP = "connection.connect_tcp.complete"
_CONNECTED = {_TCP, "connection.start_tls.complete"}


class Call:
    """A call that any thread can end.

    A client's own time-out starts again with every byte, and nothing interrupts a thread that
    waits for one; shutting its socket down does.
    """

    def __init__(self, seconds: float) -> None:
        self._deadline = monotonic() + seconds
        self._lock = Lock()
        self._ended = Event()
        self._socket: socket.socket | None = None

    def left(self) -> float:
        """Return the seconds until the deadline; 0 once it has passed."""
        return max(0.0, self._deadline - monotonic())

    def timeouts(self) -> httpx2.Timeout:
        """Return the client's time-outs: 5 s to connect, what is left for everything else."""
        left = max(self.left(), 0.001)  # 0 would mean "do not block"
        return httpx2.Timeout(left, connect=min(_CONNECT, left))

    def end(self) -> None:
        """Break the connection, now or as soon as there is one; again does nothing."""
        with self._lock:
            self._ended.set()
            if self._socket is not None:
                _shut(self._socket)

    def pause(self, seconds: float) -> bool:
        """Wait `seconds`; False, and at once, where the call ends before that."""
        return seconds < self.left() and not self._ended.wait(seconds)

    def trace(self, name: str, info: dict[str, Any]) -> None:
        """Take hold of the connection as it is made (httpx's "trace" extension).

        Raises LlmFault where it leads to a metadata address; nothing has been sent then. The
        peer's address is what counts, since a name can resolve to another one each time.
        """
        if name not in _CONNECTED:
            return
        stream = info["return_value"]
        if name == _TCP:
            _refuse_metadata(stream)
        with self._lock:
            self._socket = stream.get_extra_info("socket")
            if self._ended.is_set() and self._socket is not None:
                _shut(self._socket)


CURRENT: ContextVar[Call] = ContextVar("call")  # the one that this thread makes


def watch(request: httpx2.Request) -> None:
    """Let the current call take hold of a request's connection: a hook for an HTTP client.

    The client must not reuse connections, or there is none to take hold of.
    """
    request.extensions = {**request.extensions, "trace": CURRENT.get().trace}


def bound(response: httpx2.Response) -> None:
    """Let a reply's body fail once it is over 1 MiB: a hook for an HTTP client.

    Raises LlmFault for a packed body, of which a MiB may hold a thousand.
    """
    packed = response.headers.get("Content-Encoding", "identity")
    if packed.lower() != "identity":
        raise LlmFault(Fault.TOO_LARGE, f"a packed reply ({packed[:20]!r}) that nobody asked for")
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if size > _MOST_BYTES:
                raise LlmFault(Fault.TOO_LARGE, f"more than {_MOST_BYTES:,} bytes")
            yield part

    def close(self) -> None:
        self._stream.close()


def _refuse_metadata(stream: Any) -> None:
    try:
        peer = str(stream.get_extra_info("server_addr")[0])
    except OSError as error:  # the peer has left again, so it has no address
        stream.close()
        raise LlmFault(Fault.CUT) from error
    if blocked_hosts.refused(peer):
        stream.close()
        raise LlmFault(Fault.FORBIDDEN_ADDRESS, peer)


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):  # closed already
        # Of the plain socket, also under TLS: no farewell that could block.
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
