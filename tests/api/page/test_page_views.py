"""Each view on each screen: axe finds nothing, nothing moves or overflows, fingertips find all."""

from typing import Any, Final
from urllib.parse import quote, urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.support.servers.page_fixtures import ASKED, FERRIES, FERRY, TORCHES, Desk, New

VIEWS = {
    "first": "/",
    "answered": f"/?{urlencode({'q': ASKED})}",
    "a table": "/?q=What+does+a+dagger+cost%3F",
    "a wide table": f"/?{urlencode({'q': FERRY})}",
    "an erratum": "/?q=How+much+damage+does+a+fall+deal%3F",
    "folded": "/?q=How+long+does+light+last%3F",
    "nearest": "/?q=Can+a+lantern+break+when+it+falls%3F",
    "refused": "/?q=What+is+the+capital+of+Australia%3F",
    "small talk": "/?q=hello",
    "misspelt": "/?q=How+long+does+a+lantren+burn%3F",
    "follow-up": f"/?{urlencode({'q': 'and a lantern?', 'before': ASKED})}",
    "source": f"/?{urlencode({'q': ASKED, 'source': TORCHES, 'lines': '8-9'})}",
    "vault": "/vault/",
    "found": "/vault/?find=torch",
    "file": f"/vault/{quote(TORCHES)}?lines=8-9",
    "as written": f"/vault/{quote(TORCHES)}?lines=8-9&view=lines",
    "table of a file": "/vault/2. Arms/Weapons.md?lines=6",
    "no such file": "/vault/none.md",
    "API": "/docs",
}
# Of what was asked before only these stand above the next view: axe looks at every answer there.
_KEPT = {"small talk", "misspelt"}
PHONE: Final = {"viewport": {"width": 360, "height": 740}}
SCREENS: dict[str, tuple[dict[str, Any], int]] = {  # and how small a thing to tap may be
    "light": ({}, 24),
    "dark": ({"color_scheme": "dark"}, 24),
    "phone": (PHONE, 44),
}
# What can be tapped and is no link within a text: name, width and height of those too small.
_SMALL = """least => [...document.querySelectorAll("a[href], button, summary, input, textarea")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".sr, .skip"))
  .filter((one) => !one.matches(":is(.text, .doc, .prose) :is(p, li, td, mark) a, .why a, .cite"))
  .map((one) => [one.textContent.trim() || one.name, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < least - 0.01 || box.height < least - 0.01))
  .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""
_WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_UNSEEN = 0.001  # of the screen: half a pixel of a line of text
_CUE = "one => getComputedStyle(one, '::after').visibility"
# Shifts soon after a key count as well: a reply may come in the half second that browsers allow.
_WATCH: Final = """buffered => {
  globalThis.shifts = [];
  globalThis.keep = (list) => shifts.push(...list.map((one) => one.value));
  globalThis.watching = new PerformanceObserver((list) => keep(list.getEntries()));
  watching.observe({ type: "layout-shift", buffered });
}"""
_SHIFTED: Final = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
  keep(watching.takeRecords());
  done(shifts.reduce((sum, one) => sum + one, 0));
})))"""


def faults(page: Page) -> list[str]:
    """What axe finds wrong, each with the elements; the order of headings is one of its rules."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


def _moved(page: Page, address: str) -> bool:
    """Whether anything moves while a view is loaded.

    A view that moved is loaded again: on a busy machine one of some hundred loads had a shift, and
    no load of the same view after it.
    """
    page.goto(address)
    page.evaluate(_WATCH, True)
    return bool(page.evaluate(_SHIFTED) > _UNSEEN)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_view_fits_its_screen_and_everybody(desk: Desk, tab: New, screen: str) -> None:
    options, least = SCREENS[screen]
    page = tab(faulty=True, **options).page  # a browser logs a 404 as an error
    found: dict[str, object] = {}
    for view, path in VIEWS.items():
        found[f"{view}: moved"] = all(_moved(page, f"{desk.quotes}{path}") for _ in range(2))
        found[f"{view}: too small"] = page.evaluate(_SMALL, least)
        page.locator("main details").evaluate_all("all => all.forEach((one) => (one.open = true))")
        found[f"{view}: wider"] = page.evaluate(_WIDER)
        found[f"{view}: axe"] = faults(page)
        if view not in _KEPT:
            page.evaluate("sessionStorage.clear()")
    assert {what: wrong for what, wrong in found.items() if wrong} == {}


def test_axe_finds_nothing_while_a_reply_comes_and_where_none_does(desk: Desk, tab: New) -> None:
    desk.llm.pace = 0.3
    desk.llm.reply = "A torch burns for one hour [1]. " * 6
    tab_ = tab(desk.model, faulty=True)
    tab_.ask(ASKED)
    expect(tab_.page.get_by_text("Draft, not checked yet")).to_be_visible()
    assert faults(tab_.page) == []
    tab_.page.keyboard.press("Escape")
    tab_.state("error")
    assert faults(tab_.page) == []
    desk.llm.stopped.set()
    desk.llm.forget()
    tab_.ask(ASKED, "answered")
    assert faults(tab_.page) == []


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_jumps_while_a_reply_comes(desk: Desk, tab: New, width: int) -> None:
    desk.llm.pace = 0.1
    desk.llm.reply = "A torch burns for one hour [1]. It lights 30’ around its bearer [1]."
    tab_ = tab(desk.model, viewport={"width": width, "height": 740})
    tab_.ask(ASKED, "working")
    tab_.page.evaluate(_WATCH, False)
    tab_.page.get_by_text("Draft, not checked yet").wait_for()
    tab_.state("answered")
    assert tab_.page.evaluate(_SHIFTED) == 0


def test_nothing_jumps_where_an_answer_takes_the_place_of_another(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    tab_.ask(ASKED, "answered")
    tab_.page.evaluate(_WATCH, False)
    tab_.ask(FERRY)
    tab_.answer.get_by_role("article", name="Ferries", exact=True).wait_for()
    assert tab_.page.evaluate(_SHIFTED) == 0


def test_a_wide_table_scrolls_by_itself_and_by_the_keyboard(desk: Desk, tab: New) -> None:
    tab_ = tab(f"{desk.quotes}{VIEWS['a wide table']}", **PHONE)
    region = tab_.answer.get_by_role("region", name=f"Table of {FERRIES}").first
    assert _is_wider(region)
    assert region.evaluate("one => getComputedStyle(one).maskImage") == "none"
    assert region.evaluate(_CUE) == "visible"
    region.focus()
    last = region.get_by_role("columnheader").last
    expect(last).not_to_be_in_viewport(ratio=1)
    for _ in range(30):
        tab_.page.keyboard.press("ArrowRight")
    expect(last).to_be_in_viewport(ratio=1)
    tab_.page.wait_for_function(f"one => ({_CUE})(one) === 'hidden'", arg=region.element_handle())


def test_a_narrow_table_says_nothing_of_more(desk: Desk, tab: New) -> None:
    page = tab(f"{desk.quotes}/vault/2.%20Arms/Weapons.md", **PHONE).page
    region = page.get_by_role("region", name="Table, lines 3 to 7")
    assert not _is_wider(region)
    assert region.evaluate(_CUE) == "hidden"
    assert region.evaluate("one => getComputedStyle(one, '::after').height") == "0px"


def _is_wider(region: Locator) -> bool:
    return bool(region.evaluate("one => one.scrollWidth > one.clientWidth"))
