"""Each view, light and dark, without a fault that axe knows; the headings in order."""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.servers.page_fixtures import TORCHES, Desk, Tab

New = Callable[..., Tab]
VIEWS = {
    "first": "/",
    "answered": "/?q=How+long+does+a+torch+burn%3F",
    "a table": "/?q=What+does+a+dagger+cost%3F",
    "an erratum": "/?q=How+much+damage+does+a+fall+deal%3F",
    "nearest": "/?q=Can+a+lantern+break+when+it+falls%3F",
    "refused": "/?q=What+is+the+capital+of+Australia%3F",
    "small talk": "/?q=hello",
    "misspelt": "/?q=How+long+does+a+lantren+burn%3F",
    "follow-up": "/?q=and+a+lantern%3F&before=How+long+does+a+torch+burn%3F",
    "source": f"/?q=How+long+does+a+torch+burn%3F&source={TORCHES}&lines=8-9",
    "vault": "/vault/",
    "found": "/vault/?find=torch",
    "file": f"/vault/{TORCHES}?lines=8-9",
    "as written": f"/vault/{TORCHES}?lines=8-9&view=lines",
    "table of a file": "/vault/2. Arms/Weapons.md?lines=6",
}


def faults(page: Page) -> list[str]:
    """What axe finds wrong, each with the elements."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes']]}" for one in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_view(
    desk: Desk, tab: New, scheme: Literal["light", "dark"]
) -> None:
    page = tab(color_scheme=scheme).page
    found: dict[str, list[str]] = {}
    for view, path in VIEWS.items():
        page.goto(f"{desk.quotes}{path}")
        for details in page.locator("main details:not([open], .copy) > summary").all():
            if details.is_visible():
                details.click()
        found[view] = faults(page)
    assert {view: faulty for view, faulty in found.items() if faulty} == {}


def test_axe_finds_nothing_while_a_reply_comes_and_where_none_does(desk: Desk, tab: New) -> None:
    desk.llm.forget()
    desk.llm.pace = 0.3
    desk.llm.reply = "A torch burns for one hour [1]. " * 6
    tab_ = tab(desk.model, faulty=True)
    tab_.ask("How long does a torch burn?")
    expect(tab_.page.get_by_text("Draft, not checked yet")).to_be_visible()
    assert faults(tab_.page) == []
    tab_.page.keyboard.press("Escape")
    tab_.state("error")
    assert faults(tab_.page) == []
    desk.llm.stopped.set()
    desk.llm.forget()
    tab_.ask("How long does a torch burn?")
    tab_.state("answered")
    assert faults(tab_.page) == []
    tab_.page.goto(f"{desk.model}/vault/none.md")
    assert faults(tab_.page) == []


def test_headings_go_down_by_one(desk: Desk, tab: New) -> None:
    page = tab().page
    for view, path in VIEWS.items():
        page.goto(f"{desk.quotes}{path}")
        names = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
            "all => all.filter(one => one.checkVisibility()).map(one => one.tagName)"
        )
        levels = [int(name[1]) for name in names]
        assert levels, view
        assert all(below - above <= 1 for above, below in pairwise(levels)), (view, levels)
