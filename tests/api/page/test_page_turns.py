"""Readers of long files take turns, and one of them leaves places for the others."""

import asyncio

import pytest

from api.page.turns import MOST_WAITING, Turns
from retrieval.errors import OverloadedError


def test_readers_alternate_and_who_leaves_takes_no_turn() -> None:
    assert asyncio.run(shown_to()) == ["many", "one", "many", "many", "many"]


async def shown_to() -> list[str]:
    """Let some wait for pages, one of whom leaves; return whom they are shown to."""
    turns, shown = Turns(), list[str]()

    async def show(caller: str) -> None:
        await turns.take(caller)
        shown.append(caller)
        await asyncio.sleep(0)
        turns.give()

    await turns.take("first")
    waiting = [asyncio.create_task(show(caller)) for caller in ("many",) * 4 + ("one", "gone")]
    await asyncio.sleep(0)
    waiting[-1].cancel()
    turns.give()
    await asyncio.gather(*waiting, return_exceptions=True)
    return shown


def test_one_reader_leaves_places_for_the_others() -> None:
    asyncio.run(crowded(Turns()))


async def crowded(turns: Turns) -> None:
    """Take all places that one caller may have, then one more, then one of another caller's."""
    await turns.take("many")
    most = MOST_WAITING * 3 // 4
    waiting = [asyncio.create_task(turns.take("many")) for _ in range(most)]
    await asyncio.sleep(0)
    with pytest.raises(OverloadedError, match=f"{most} files are waiting"):
        await turns.take("many")
    other = asyncio.create_task(turns.take("other"))
    await asyncio.sleep(0)
    assert not other.done()
    for task in (*waiting, other):
        task.cancel()
