"""Who is made a page of a file now, and who waits: one page at a time, and readers alternate."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from fastapi import Request

from api.admission.concurrency_limit import caller_of
from retrieval.errors import OverloadedError

MOST_WAITING = 16  # files that are shown
MOST_WHOLE = 4  # replies of all files: each holds one file until its client has read it


class Turns:
    """Who is made a page now, and who waits for that, in the event loop alone. Callers alternate.

    One of them has three quarters of the waiting places at most.
    """

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def take(self, caller: str, *, is_begun: bool = False) -> None:
        """Wait for this caller's turn.

        Raises OverloadedError where too many wait, but for a reply that has begun.
        """
        own = self._waiting.get(caller, ())
        count = sum(map(len, self._waiting.values()))
        is_full = count >= MOST_WAITING or len(own) >= MOST_WAITING - MOST_WAITING // 4
        if is_full and not is_begun:
            raise OverloadedError(f"{count} files are waiting to be shown; try again soon")
        if not self._is_taken:
            self._is_taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give()  # it came with the end of waiting
            raise

    def give(self) -> None:
        """Let the next one begin."""
        while self._waiting:
            caller, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[caller] = turns  # behind the others
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False


class WholeReplies:
    """Who is sent all files of the vault now: MOST_WHOLE, three quarters of them one caller's."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()

    @contextmanager
    def place(self, caller: str) -> Iterator[None]:
        """Hold one of the places. Raises OverloadedError where this caller gets none."""
        count = self._of.total()
        if count >= MOST_WHOLE or self._of[caller] >= MOST_WHOLE - MOST_WHOLE // 4:
            raise OverloadedError(f"all files are sent to {count} readers; try again soon")
        self._of[caller] += 1
        try:
            yield
        finally:
            self._of[caller] -= 1
            if not self._of[caller]:
                del self._of[caller]


@asynccontextmanager
async def page_turn(request: Request) -> AsyncIterator[None]:
    """Let a file of the vault be made into a page when its turn has come.

    A dense file takes a second of a core, and forty at once would take all threads from those who
    ask. Waiting takes no thread. Raises OverloadedError where MOST_WAITING wait.
    """
    turns: Turns = request.app.state.turns
    await turns.take(caller_of(request))
    try:
        if await request.is_disconnected():
            raise OverloadedError("the client did not wait for its page")
        yield
    finally:
        turns.give()


async def in_turn(request: Request) -> AsyncIterator[None]:
    """Do the same for a route that shows nothing else. Raises what `page_turn` raises."""
    async with page_turn(request):
        yield


async def whole_place(request: Request) -> AsyncIterator[None]:
    """Hold a place until the reply, which is all files of the vault, has been sent.

    Raises OverloadedError where there is none.
    """
    places: WholeReplies = request.app.state.whole_replies
    with places.place(caller_of(request)):
        yield
