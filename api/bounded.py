"""A hook for an HTTP client: a reply's body ends by a deadline and below a size, or fails."""

from collections.abc import Callable, Iterator
from time import monotonic

import httpx2

_MOST_BYTES = 1024 * 1024


def bound(seconds: float) -> Callable[[httpx2.Response], None]:
    """Return a hook that gives every body `seconds` from its headers on.

    A client's own time-out starts anew with every byte, so that a server which sends one now and
    then holds a thread for as long as it likes.
    """

    def hook(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Bounded(response.stream, monotonic() + seconds)

    return hook


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if size > _MOST_BYTES:
                raise httpx2.ReadError(f"the body is over {_MOST_BYTES:,} bytes")
            if monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the body did not end in time")
            yield part

    def close(self) -> None:
        self._stream.close()
