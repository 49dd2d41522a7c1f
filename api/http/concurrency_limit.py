"""How many questions are answered at once; over the limit: 503 with Retry-After.

Without a limit every further question waits for all before it, until none is answered in time.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.state import app_state
from retrieval.errors import OverloadedError

MOST = 32  # questions: one is encoded at a time, and the last of them waits 1.6 s (E46)
# Where a model answers, of which api/llm/client.py asks for eight replies at once: the last
# question waits for one round of replies, and within LLM_TIMEOUT.
MOST_OF_A_MODEL = 16

MOST_WAITING = 16  # files that are shown: one is made into a page at a time

_ADMITTED = "admitted"


class ConcurrencyLimit:
    """ASGI middleware that takes a question off the count when its reply has been sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        try:
            await self._app(scope, receive, send)
        finally:
            if scope.get("state", {}).pop(_ADMITTED, False):
                scope["app"].state.questions.count -= 1


@dataclass(slots=True)
class Questions:
    """How many questions are being answered. Used in the event loop alone."""

    count: int = 0

    def admit(self, *, has_model: bool) -> None:
        """Count one more; whoever calls it takes it off. Raises OverloadedError over the limit.

        Nobody counts between its reading and its writing: it never waits.
        """
        most = MOST_OF_A_MODEL if has_model else MOST
        if self.count >= most:
            raise OverloadedError(f"{most} questions are being answered; ask again in some seconds")
        self.count += 1


async def admitted(request: Request) -> None:
    """Count a question whose body has come whole. Raises OverloadedError over the limit."""
    questions: Questions = request.app.state.questions
    questions.admit(has_model=app_state(request).model is not None)
    setattr(request.state, _ADMITTED, True)


class Turns:
    """Who is made a page now, and who waits for that, in the event loop alone."""

    def __init__(self) -> None:
        self.now = asyncio.Lock()
        self.waiting = 0


async def in_turn(request: Request) -> AsyncIterator[None]:
    """Let a file of the vault be made into a page when the ones before it have been.

    A dense file takes a second of a core, and forty at once would take all threads from those who
    ask. Waiting takes no thread. Raises OverloadedError where MOST_WAITING wait.
    """
    turns: Turns = request.app.state.turns
    if turns.waiting >= MOST_WAITING:
        raise OverloadedError(f"{MOST_WAITING} files are waiting to be shown; try again soon")
    turns.waiting += 1
    try:
        await turns.now.acquire()
    finally:
        turns.waiting -= 1
    try:
        yield
    finally:
        turns.now.release()
