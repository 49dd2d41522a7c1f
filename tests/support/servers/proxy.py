"""A TCP proxy before a server, which can cut connections, freeze, or swallow all packets."""

import ctypes
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ATTACH_FILTER, _DETACH_FILTER = 26, 27  # SO_ATTACH_FILTER and SO_DETACH_FILTER of Linux
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, 0 seconds: close() sends RST, not FIN


class Proxy:
    """Forwards 127.0.0.1:`port` to `upstream`, until told otherwise. Linux alone can swallow."""

    def __init__(self, upstream: tuple[str, int]) -> None:
        self._upstream = upstream
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: set[socket.socket] = set()
        self._flowing = threading.Event()
        self._flowing.set()
        self._left: int | None = None  # bytes of replies until the cut; None: no cut
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()

    def cut(self) -> None:
        """Reset all connections; new ones are taken."""
        for one in list(self._sockets):
            with suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                one.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads it, which closes it

    def cut_within_replies(self, count: int) -> None:
        """Let `count` more bytes of replies through, then cut, once."""
        self._left = count

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Forward nothing, while the kernel still acknowledges what comes."""
        self._flowing.clear()
        try:
            yield
        finally:
            self._flowing.set()

    @contextmanager
    def swallowing(self) -> Iterator[None]:
        """Drop every packet of either side, unacknowledged, as a dead network does."""
        swallowed = [self._listener, *self._sockets]
        for one in swallowed:
            _drop_packets(one)
        try:
            yield
        finally:
            for one in swallowed:
                with suppress(OSError):  # closed meanwhile
                    one.setsockopt(socket.SOL_SOCKET, _DETACH_FILTER, 0)

    def close(self) -> None:
        """Take no more connections and cut those that are there."""
        self._flowing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            try:
                server = socket.create_connection(self._upstream, timeout=5)
            except OSError:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                client.close()
                continue
            server.settimeout(None)
            self._sockets |= {client, server}
            for pair in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._pump, args=pair, name="proxy", daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, replies: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flowing.wait()
                if replies and self._left is not None and (left := self._left) < len(data):
                    self._left = None
                    target.sendall(data[:left])
                    self.cut()
                    break
                if replies and self._left is not None:
                    self._left -= len(data)
                target.sendall(data)
        self._sockets.discard(source)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)
        source.close()


def _drop_packets(one: socket.socket) -> None:
    """Let the kernel drop what comes for a socket before TCP sees it: a filter that takes nothing.

    Source: Linux, Documentation/networking/filter.rst; BPF_RET | BPF_K with 0 keeps 0 bytes.
    """
    program = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    header = struct.pack("HL", 1, ctypes.addressof(program))
    with suppress(OSError):  # closed meanwhile
        one.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, header)
