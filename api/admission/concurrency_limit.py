"""How many questions are answered at once; over the limit: 503 with Retry-After.

Without a limit every further question waits for all before it, until none is answered in time.
"""

import asyncio
import os
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from math import inf
from time import monotonic

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.state import app_state, key_of
from retrieval.errors import OverloadedError

MOST = 32  # questions: one is encoded at a time, and the last of them waits 1.6 s (E46)
# Where a model answers, of which api/llm/client.py asks for eight replies at once: the last
# question waits for one round of replies, and within LLM_TIMEOUT.
MOST_OF_A_MODEL = 16

AT_WORK = max(2, os.cpu_count() or 2)  # questions that are searched for at once, of all callers
_ROUND = 4  # turns, of which one goes round, however many questions a caller has
_LATELY = 10.0  # seconds for which a caller with many leaves a turn to who asked last

_ADMITTED = "admitted"


class ConcurrencyLimit:
    """ASGI middleware that takes a question off the count when its reply has been sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; the next one is searched for when this reply begins."""

        async def sending(message: Message) -> None:
            place = scope.get("state", {}).get(_ADMITTED)
            if place and message.get("body"):  # who reads slowly keeps a place, and no turn
                scope["app"].state.questions.end_turn(place)
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            if place := scope.get("state", {}).pop(_ADMITTED, None):
                scope["app"].state.questions.leave(place)


@dataclass(slots=True, eq=False)
class Place:
    """A question that is being answered; `turn` is what it waits for before it is searched."""

    caller: str
    turn: asyncio.Future[None] | None = None
    has_turn: bool = False


class Questions:
    """The questions that are being answered. Used in the event loop alone, which needs no lock.

    One caller has three quarters of the places at most. Whoever has fewest questions there is
    searched for next, but for each fourth turn, which goes round; and a caller with many leaves one
    turn free while others ask. So whoever asks a lot waits for its own questions.
    """

    def __init__(self) -> None:
        self.count = 0
        self._of: Counter[str] = Counter()
        self._at_work: Counter[str] = Counter()
        self._begun = 0
        self._waiting: OrderedDict[str, deque[Place]] = OrderedDict()
        self._lately: OrderedDict[str, float] = OrderedDict()  # the last two callers, and when

    def check(self, caller: str, *, has_model: bool) -> None:
        """Raise OverloadedError where a question of this caller would be one too many."""
        most = MOST_OF_A_MODEL if has_model else MOST
        if self.count >= most or self._of[caller] >= most - most // 4:
            raise OverloadedError(
                f"{self.count} questions are being answered; ask again in some seconds"
            )

    def admit(self, caller: str, *, has_model: bool) -> Place:
        """Count one more; whoever calls it lets it leave. Raises OverloadedError over the limit."""
        self.check(caller, has_model=has_model)
        self.count += 1
        self._of[caller] += 1
        self._lately[caller] = monotonic()
        self._lately.move_to_end(caller)
        if len(self._lately) > 2:
            self._lately.popitem(last=False)
        return Place(caller)

    def leave(self, place: Place) -> None:
        """Take a question off the count."""
        self.count -= 1
        _take(self._of, place.caller)
        if place.turn:
            place.turn.cancel()  # of one that still waits
        self.end_turn(place)

    async def wait_for_turn(self, place: Place) -> None:
        """Wait until fewer than AT_WORK are searched for, and it is this caller's turn."""
        place.turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(place.caller, deque()).append(place)
        self._begin()
        await place.turn

    def end_turn(self, place: Place) -> None:
        """Let the next one begin."""
        if place.has_turn:
            place.has_turn = False
            _take(self._at_work, place.caller)
            self._begin()

    def _begin(self) -> None:
        while self._at_work.total() < AT_WORK and (caller := self._next()) is not None:
            places = self._waiting.pop(caller)
            place = places.popleft()
            if places:
                self._waiting[caller] = places  # behind the others
            if place.turn and not place.turn.done():
                self._begun += 1
                self._at_work[caller] += 1
                place.has_turn = True
                place.turn.set_result(None)

    def _next(self) -> str | None:
        """Whose question is searched for next; None where the turn that is free is for others."""
        most = max(AT_WORK - 1, 1)
        heavy = sum(self._at_work[one] for one in self._at_work if self._has_many(one))
        may = [one for one in self._waiting if heavy < most or not self._has_many(one)]
        if not may or self._begun % _ROUND == 0:
            return next(iter(may), None)
        return min(may, key=self._of.__getitem__)

    def _has_many(self, caller: str) -> bool:
        """Whether a caller has so many questions that it has to leave a turn for the others."""
        if self._of[caller] <= MOST // 4:
            return False
        before = (at for other, at in self._lately.items() if other != caller)
        return max(before, default=-inf) > monotonic() - _LATELY


def _take(counts: Counter[str], caller: str) -> None:
    counts[caller] -= 1
    if not counts[caller]:
        del counts[caller]


async def admitted(request: Request) -> None:
    """Count a question whose body has come whole, and wait for its turn where no model writes.

    Raises OverloadedError over the limit.
    """
    questions: Questions = request.app.state.questions
    has_model = app_state(request).model is not None
    place = questions.admit(caller_of(request), has_model=has_model)
    setattr(request.state, _ADMITTED, place)
    if not has_model:  # it waits for the model's server, not for this machine
        await questions.wait_for_turn(place)


def check_place(request: Request) -> None:
    """Raise OverloadedError where a question of this request's caller would be one too many."""
    questions: Questions = request.app.state.questions
    questions.check(caller_of(request), has_model=app_state(request).model is not None)


def caller_of(request: Request) -> str:
    """Return whose request it is: its key, else its address."""
    key = key_of(request)
    return f"key {key.name}" if key else request.client.host if request.client else ""
