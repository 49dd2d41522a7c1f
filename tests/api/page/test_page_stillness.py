"""Nothing on the page moves by itself: while it loads, and from the question to its answer."""

from typing import Final
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page

from tests.support.servers.page_fixtures import ASKED, FERRY, TORCHES, Desk, New

# Shifts soon after a key count as well: a reply may come in the half second that browsers allow.
_WATCH: Final = """
globalThis.shifts = [];
globalThis.keep = (list) => shifts.push(...list.map((one) => one.value));
globalThis.watching = new PerformanceObserver((list) => keep(list.getEntries()));
watching.observe({ type: "layout-shift", buffered: BUFFERED });
"""
_SHIFTED: Final = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
  keep(watching.takeRecords());
  done(shifts.reduce((sum, one) => sum + one, 0));
})))"""
VIEWS = {
    "first": "/",
    "answer": f"/?{urlencode({'q': ASKED})}",
    "table": f"/?{urlencode({'q': FERRY})}",
    "source": f"/?{urlencode({'q': ASKED, 'source': TORCHES, 'lines': '8-9'})}",
    "vault": "/vault/",
}


def watch(page: Page, *, buffered: bool) -> None:
    """Count how far things move, from here on or, `buffered`, from the first paint on."""
    page.evaluate(_WATCH.replace("BUFFERED", str(buffered).lower()))


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_jumps_while_a_reply_comes(desk: Desk, tab: New, width: int) -> None:
    desk.llm.forget()
    desk.llm.pace = 0.1
    desk.llm.reply = "A torch burns for one hour [1]. It lights 30’ around its bearer [1]."
    tab_ = tab(desk.model, viewport={"width": width, "height": 740})
    tab_.ask(ASKED)
    tab_.state("working")
    watch(tab_.page, buffered=False)
    tab_.page.get_by_text("Draft, not checked yet").wait_for()
    tab_.state("answered")
    assert tab_.page.evaluate(_SHIFTED) == 0
    desk.llm.stopped.set()


def test_nothing_jumps_where_an_answer_takes_the_place_of_another(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    tab_.ask(ASKED)
    tab_.state("answered")
    watch(tab_.page, buffered=False)
    tab_.ask(FERRY)
    tab_.answer.get_by_role("article", name="Ferries", exact=True).wait_for()
    assert tab_.page.evaluate(_SHIFTED) == 0


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_jumps_while_a_view_loads(desk: Desk, tab: New, view: str) -> None:
    page = tab(f"{desk.quotes}{VIEWS[view]}").page
    watch(page, buffered=True)
    assert page.evaluate(_SHIFTED) == 0
