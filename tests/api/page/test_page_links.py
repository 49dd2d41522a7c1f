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


def test_who_gets_a_follow_ups_link_sees_its_answer(desk: Desk, tab: New) -> None:
    tab_ = tab(f"{desk.quotes}/?{urlencode({'q': FOLLOW_UP, 'before': ASKED})}")
    cards = tab_.answer.get_by_role("article").all_inner_texts()
    link = tab_.answer.get_by_role("link", name="Link to this question").get_attribute("href")
    given = tab(f"{desk.quotes}{link}")
    assert given.answer.get_by_role("article").all_inner_texts() == cards
    given.is_answering(UNDERSTOOD)


def test_correcting_begins_with_the_persons_own_words(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    tab_.ask(ASKED, "answered")
    tab_.ask(FOLLOW_UP)
    tab_.answer.get_by_role("link", name="Correct this").click()
    field = tab_.page.get_by_role("textbox", name="Question")
    expect(field).to_be_focused()
    expect(field).to_have_value(FOLLOW_UP)
    with tab_.page.expect_request("**/page/ask") as sent:
        tab_.page.keyboard.press("Enter")
    assert sent.value.post_data_json == {"question": FOLLOW_UP, "history": []}
    tab_.is_answering(FOLLOW_UP)
    expect(tab_.answer.get_by_text("Understood as:")).to_have_count(0)


def test_a_correction_given_up_lets_the_next_question_follow(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    tab_.ask(ASKED, "answered")
    tab_.ask(FOLLOW_UP)
    tab_.answer.get_by_role("link", name="Correct this").click()
    tab_.page.get_by_role("textbox", name="Question").fill("")
    tab_.ask("and a candle?")
    understood = tab_.answer.get_by_text("Understood as:")
    expect(understood).to_have_text(re.compile(r"How long does a candle burn\?\s*Correct this"))


def test_correcting_needs_no_script(desk: Desk, tab: New) -> None:
    address = f"{desk.quotes}/?{urlencode({'q': FOLLOW_UP, 'before': ASKED})}"
    page = tab(address, java_script_enabled=False).page
    page.get_by_role("link", name="Correct this").click()
    expect(page.get_by_role("textbox", name="Question")).to_have_value(FOLLOW_UP)
    assert page.locator("[name=before]").count() == 0


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
