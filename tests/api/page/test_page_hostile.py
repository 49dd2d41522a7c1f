"""Nothing that a file or a model says is run, fetched or followed: in a real browser."""

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.support.faults.hostile import FORMS, hostile
from tests.support.servers.browser import Sink
from tests.support.servers.page_fixtures import Desk, New, Tab
from tests.support.source.promises_table import Runs

# Its own element names and attributes are ours; these are never.
_LIVE = "img, iframe, object, embed, video, audio, svg, style, base, meta[http-equiv], [onerror]"


@pytest.mark.proves("row 34", "row 35", "promise 9")
def test_no_text_of_a_file_is_run_or_fetched(desk: Desk, tab: New, sink: Sink, runs: Runs) -> None:
    """Each form stands in an indexed file as it is now; the page says that the file has changed."""
    tab_ = tab()
    vault = Path(desk.rules.settings.vault)
    file = vault / "1. Light/10. Candles.md"
    before = file.read_bytes()
    address = f"{desk.quotes}/vault/{quote('1. Light/10. Candles.md')}"
    try:
        for name in FORMS:
            file.write_text(f"# Candles\n\n{hostile(name, sink.url)}\n\nIt burns.\n", "utf-8")
            _read(tab_, f"{address}?lines=1-9", name)
        every = "\n\n".join(hostile(name, sink.url) for name in FORMS)
        file.write_text(every, "utf-8")
        _read(tab_, f"{address}?lines=1-999&view=lines", "all")
    finally:
        file.write_bytes(before)
    assert sink.requests == []
    runs(len(FORMS))


def _read(tab: Tab, address: str, name: str) -> None:
    tab.page.goto(address)
    expect(tab.page.get_by_text("has changed since it was indexed")).to_be_visible()
    expect(tab.page.locator("mark").last).to_be_visible()
    assert tab.page.locator(f"main :is({_LIVE})").count() == 0, name


@pytest.mark.proves("row 34", "row 35", "promise 9")
def test_no_text_of_a_model_is_run_or_fetched(desk: Desk, tab: New, sink: Sink, runs: Runs) -> None:
    """Each form comes in a streamed draft, and in the answer that is made of it."""
    tab_ = tab(desk.model)
    for name in FORMS:
        desk.llm.forget()
        desk.llm.reply = f"A torch burns for one hour [1]. {hostile(name, sink.url)}"
        tab_.ask(f"How long does a torch burn? ({name})"[:60])
        answer = tab_.page.get_by_role("region", name="Answer", exact=True)
        expect(answer).not_to_have_attribute("data-state", "working")
        assert tab_.page.locator(f"main :is({_LIVE})").count() == 0, name
        links = tab_.page.locator(".reply a[href]")
        for address in links.evaluate_all("all => all.map(one => one.href)"):
            assert address.startswith(f"{desk.model}/"), name
    assert sink.requests == []
    runs(len(FORMS))


@pytest.mark.proves("row 35")
@pytest.mark.parametrize("where", ["q", "draft", "before", "source", "find"])
def test_no_text_of_an_address_is_run(desk: Desk, tab: New, sink: Sink, where: str) -> None:
    path = "/vault/" if where == "find" else "/"
    tab_ = tab(faulty=where in {"source", "q"})
    for name in ("script", "onerror", "img", "SVG onload", "unclosed HTML"):
        text = quote(f'"></textarea></title>{hostile(name, sink.url)}')
        tab_.page.goto(f"{desk.quotes}{path}?{where}={text}")
        assert tab_.page.locator(f"body :is({_LIVE})").count() == 0
        assert tab_.page.evaluate("globalThis.violations") == []
    assert not [fault for fault in tab_.faults if "dialog" in fault]
    assert sink.requests == []
