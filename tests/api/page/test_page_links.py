"""Where links of an answer lead: to the question by itself, and to the lines that answer."""

import re
from urllib.parse import urlencode

from playwright.sync_api import expect

from api.page.markdown.links import address, joined
from tests.support.servers.page_fixtures import ASKED, FERRIES, FERRY, NEAREST, Desk, New

FOLLOW_UP = "and a lantern?"
UNDERSTOOD = "How long does a lantern burn?"


def test_a_link_carries_no_earlier_question(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    link = tab_.answer.get_by_role("link", name="Link to this question")
    for question, alone, before in (
        (ASKED, ASKED, []),
        (FOLLOW_UP, UNDERSTOOD, [("before", ASKED)]),
        (NEAREST, NEAREST, []),
    ):
        tab_.ask(question)
        tab_.is_answering(question)
        expect(link).to_have_attribute("href", f"/?{urlencode({'q': alone})}")
        address = f"{desk.quotes}/?{urlencode([('q', question), *before])}"
        expect(tab_.page).to_have_url(address)  # a reload understands it again


def test_what_a_card_leaves_out_opens_with_the_answering_lines_marked(desk: Desk, tab: New) -> None:
    tab_ = tab(f"{desk.quotes}/?{urlencode({'q': FERRY})}")
    card = tab_.answer.get_by_role("article", name="Ferries", exact=True)
    wanted = card.get_by_role("row").filter(has=tab_.page.locator("mark"))
    expect(wanted).to_have_count(1)
    card.get_by_role("link", name=re.compile(r"^\d+ more")).click()
    panel = tab_.source
    expect(panel.get_by_role("heading", name=FERRIES)).to_be_visible()
    marked = panel.get_by_role("row").filter(has=tab_.page.locator("mark"))
    expect(marked).to_have_text([re.compile("^Ousel ferry")])
    expect(panel.get_by_role("row")).to_have_count(10)
    expect(marked).to_be_in_viewport()


def test_lines_that_touch_are_one_range() -> None:
    assert joined([(4, 4), (12, 12), (13, 14), (3, 3)]) == [(3, 4), (12, 14)]
    assert joined([(1, 9), (2, 3)]) == [(1, 9)]
    assert joined([]) == []
    every = joined([(line, line) for line in range(1, 400)])
    assert address("a.md", every) == "/vault/a.md?lines=1-399#L1"
