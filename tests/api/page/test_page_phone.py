"""On a phone: wide tables scroll in a region of their own, and a fingertip finds what it wants."""

from typing import Final
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Locator, expect

from tests.support.servers.page_fixtures import ASKED, FERRIES, FERRY, TORCHES, Desk, New

PHONE: Final = {"viewport": {"width": 360, "height": 740}}
VIEWS = {
    "first": "/",
    "answer": f"/?{urlencode({'q': ASKED})}",
    "folded": "/?q=How+long+does+light+last%3F",
    "table": f"/?{urlencode({'q': FERRY})}",
    "follow-up": f"/?{urlencode({'q': 'and a lantern?', 'before': ASKED})}",
    "refused": "/?q=What+is+the+capital+of+Australia%3F",
    "source": f"/?{urlencode({'q': ASKED, 'source': TORCHES, 'lines': '8-9'})}",
    "vault": "/vault/",
    "found": "/vault/?find=torch",
    "file": f"/vault/{quote(TORCHES)}?lines=8-9",
}
# What can be tapped and is no link within a text: name, width and height of those too small.
_SMALL = """least => [...document.querySelectorAll("a[href], button, summary, input, textarea")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".sr, .skip"))
  .filter((one) => !one.matches(":is(.text, .doc, .prose) :is(p, li, td, mark) a, .why a, .cite"))
  .map((one) => [one.textContent.trim() || one.name, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < least - 0.01 || box.height < least - 0.01))
  .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""
_CUE = "one => getComputedStyle(one, '::after').visibility"


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(("width", "least"), [(360, 44), (1280, 24)])
def test_what_can_be_tapped_is_large_enough(
    desk: Desk, tab: New, view: str, width: int, least: int
) -> None:
    page = tab(f"{desk.quotes}{VIEWS[view]}", viewport={"width": width, "height": 740}).page
    page.locator("main").wait_for()
    assert page.evaluate(_SMALL, least) == []


def test_a_wide_table_scrolls_by_itself_and_by_the_keyboard(desk: Desk, tab: New) -> None:
    tab_ = tab(f"{desk.quotes}{VIEWS['table']}", **PHONE)
    region = tab_.answer.get_by_role("region", name=f"Table of {FERRIES}").first
    assert _is_wider(region)
    assert tab_.page.evaluate("document.documentElement.scrollWidth") == 360
    assert region.evaluate("one => getComputedStyle(one).maskImage") == "none"
    assert region.evaluate(_CUE) == "visible"
    region.focus()
    expect(region).to_be_focused()
    last = region.get_by_role("columnheader").last
    expect(last).not_to_be_in_viewport(ratio=1)
    for _ in range(30):
        tab_.page.keyboard.press("ArrowRight")
    expect(last).to_be_in_viewport(ratio=1)
    tab_.page.wait_for_function(f"one => ({_CUE})(one) === 'hidden'", arg=region.element_handle())


def test_a_narrow_table_says_nothing_of_more(desk: Desk, tab: New) -> None:
    tab_ = tab(f"{desk.quotes}/vault/2.%20Arms/Weapons.md", **PHONE)
    region = tab_.page.get_by_role("region", name="Table, lines 3 to 7")
    assert not _is_wider(region)
    assert region.evaluate(_CUE) == "hidden"
    assert region.evaluate("one => getComputedStyle(one, '::after').height") == "0px"


def _is_wider(region: Locator) -> bool:
    return bool(region.evaluate("one => one.scrollWidth > one.clientWidth"))
