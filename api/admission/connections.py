"""Which connections are open, which of them give way, and a reserve for those who probe."""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Protocol

RESERVE = 16  # connections beyond the others, for probes alone


class Connection(Protocol):
    """What is asked of a connection."""

    address: str

    def abort(self) -> None:
        """Close it at once, whatever there is to send."""


class Connections:
    """The open connections of a server.

    At most `most`, half of them from one address, and `reserve` more that are only probed on.
    """

    def __init__(self, most: int, reserve: int = RESERVE) -> None:
        self.most = most
        self.reserve = reserve
        self._counted: set[Connection] = set()
        self._of_address: Counter[str] = Counter()
        self._unfinished: OrderedDict[Connection, None] = OrderedDict()
        self._unread: OrderedDict[Connection, None] = OrderedDict()
        self._in_reserve: OrderedDict[Connection, None] = OrderedDict()

    @property
    def is_full(self) -> bool:
        """Whether all places are taken, those of the reserve among them."""
        return len(self._counted) >= self.most and len(self._in_reserve) >= self.reserve

    def admit(self, new: Connection) -> bool:
        """Give a connection a place; False where it gets one of the reserve.

        Where all are taken, one gives way of the address that has most: the oldest whose request
        has not come whole, or where there is none the oldest whose reply is not read.
        """
        own = self._of_address[new.address]
        is_full = len(self._counted) >= self.most
        if own >= max(self.most // 2, 1) or (is_full and not self._give_way(own)):
            self._keep_in_reserve(new)
            return False
        self._counted.add(new)
        self._of_address[new.address] += 1
        return True

    def leave(self, gone: Connection) -> None:
        """Forget a connection; once more changes nothing."""
        for ones in (self._unfinished, self._unread, self._in_reserve):
            ones.pop(gone, None)
        if gone in self._counted:
            self._counted.remove(gone)
            self._of_address[gone.address] -= 1
            if not self._of_address[gone.address]:
                del self._of_address[gone.address]

    def unfinished(self, one: Connection, *, now: bool) -> None:
        """Say whether a connection's request is still to come, or to end."""
        self._note(self._unfinished, one, now=now)

    def unread(self, one: Connection, *, now: bool) -> None:
        """Say whether a connection's client leaves a reply unread."""
        self._note(self._unread, one, now=now)

    def _note(self, ones: OrderedDict[Connection, None], one: Connection, *, now: bool) -> None:
        if now and one in self._counted:
            ones.setdefault(one)
        else:
            ones.pop(one, None)

    def _give_way(self, own: int) -> bool:
        """Close one connection for an address that has `own`; False where none is to be closed.

        Nobody gives way to an address with more connections, nor a reader to one with as many.
        """
        gone = _first_of_most(chain(self._unfinished, self._unread), self._of_address)
        if gone is None:
            return False
        if self._of_address[gone.address] < (own if gone in self._unfinished else own + 1):
            return False
        self._close(gone)
        return True

    def _keep_in_reserve(self, new: Connection) -> None:
        """Give a place of the reserve, where the oldest one of who has most gives way."""
        if len(self._in_reserve) >= self.reserve:
            counts = Counter(one.address for one in self._in_reserve)
            if gone := _first_of_most(self._in_reserve, counts):
                self._close(gone)
        self._in_reserve[new] = None

    def _close(self, one: Connection) -> None:
        self.leave(one)
        one.abort()


def _first_of_most(ones: Iterable[Connection], counts: Mapping[str, int]) -> Connection | None:
    return max(ones, key=lambda one: counts[one.address], default=None)
