"""How long a reply takes tells who has a filtered key nothing of files that it may not see."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from api.answer.card_reply import card_reply
from retrieval.context import SearchContext
from retrieval.index.store import live
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.vaults.made_scopes import PUBLIC, SECRET, VAULT, Words, alone

TRIES = 5  # the least of which counts: one that the machine halted says nothing


def questions(about: Words) -> list[str]:
    """The same questions about the words of one set."""
    said = (about.thing, about.beast, about.place, *about.told)
    return [
        asked
        for one in said
        for asked in (f"What is a {one}?", f"How much does a {one} cost?", f"damage of the {one}")
    ]


def seconds(context: SearchContext, asked: str) -> float:
    """How long a reply takes."""
    begun = perf_counter()
    card_reply(context, asked)
    return perf_counter() - begun


def slower(seen: SearchContext, own: SearchContext, asked: Sequence[str]) -> float:
    """How many times as long `seen` takes as `own`, in turn: the median of the questions."""
    return median(
        min(seconds(seen, one) for _ in range(TRIES)) / min(seconds(own, one) for _ in range(TRIES))
        for one in asked
    )


@pytest.mark.proves("row 40")
def test_a_question_about_hidden_files_takes_no_other_time_than_without_them(
    loaded: SearchContext, server: str, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        every = stack.enter_context(index_of(loaded, server, write_vault(tmp_path / "all", VAULT)))
        part = write_vault(tmp_path / "alone", alone(PUBLIC))
        own = stack.enter_context(index_of(loaded, server, part))
        seen = every.restricted({"status": PUBLIC.status})
        slower(seen, own, questions(PUBLIC)[:4])  # fills the caches of both
        hidden, shown = (slower(seen, own, questions(one)) for one in (SECRET, PUBLIC))
    assert 0.8 < hidden / shown < 1.25


def test_the_filter_of_a_key_is_sent_whatever_share_it_leaves(
    loaded: SearchContext, server: str, tmp_path: Path
) -> None:
    vault = write_vault(tmp_path / "vault", VAULT)
    with index_of(loaded, server, vault) as rules:
        wide = {"status": {"not": "nosuch"}}
        for context, filters, share in (
            (rules, wide, 1.0),
            (rules.restricted(wide), None, 0.0),
            (rules.restricted(wide), wide, 0.0),
        ):
            with context.store.connect() as conn:
                found = context.scope_of(conn, live(conn), filters)
            assert found is not None
            assert len(found.paths) == len([one for one in VAULT if one.endswith(".md")])
            assert found.share == share
