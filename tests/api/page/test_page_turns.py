"""Readers of long files take turns, and one of them leaves places for the others."""

import asyncio
from contextlib import ExitStack

import pytest

from api.page.turns import MOST_WAITING, MOST_WHOLE, Turns, WholeReplies
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
    begun = asyncio.create_task(turns.take("many", is_begun=True))
    await asyncio.sleep(0)
    assert not other.done()
    assert not begun.done(), "a reply that has begun waits, however many do"
    for task in (*waiting, other, begun):
        task.cancel()


def test_all_files_are_sent_to_a_few_of_whom_one_leaves_a_place() -> None:
    places = WholeReplies()
    for _ in range(2):  # they are free again
        with ExitStack() as held:
            for _ in range(MOST_WHOLE * 3 // 4):
                held.enter_context(places.place("many"))
            with pytest.raises(OverloadedError, match="all files are sent to 3 readers"):
                held.enter_context(places.place("many"))
            held.enter_context(places.place("other"))
            with pytest.raises(OverloadedError):
                held.enter_context(places.place("third"))
