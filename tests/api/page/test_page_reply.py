"""A reply on its way, in a real browser: its draft, what the guard says, stopped, lost, refused."""

import re
from threading import Thread

import httpx2
import pytest
from playwright.sync_api import expect

from tests.support.servers.page_fixtures import ASKED, TORCHES, Desk, New


def test_a_server_that_goes_in_the_middle_is_said(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.model, faulty=True)
    tab_.page.route("**/page/ask", lambda route: route.abort())
    tab_.ask(ASKED, "error")
    expect(tab_.answer).to_contain_text("The server cannot be reached.")
    tab_.page.unroute("**/page/ask")
    half = 'event: draft\ndata: {"text": "A torch", "attempt": 1}\n\n'
    tab_.page.route(
        "**/page/ask", lambda route: route.fulfill(body=half, content_type="text/event-stream")
    )
    tab_.page.get_by_role("button", name="Ask again").click()
    expect(tab_.answer).to_contain_text("The connection broke before the answer was checked")
    expect(tab_.answer).not_to_contain_text("A torch")
    tab_.page.unroute("**/page/ask")
    tab_.page.get_by_role("button", name="Ask again").click()
    tab_.state("answered")


def test_a_question_that_failed_is_among_the_earlier_ones(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes, faulty=True)
    tab_.page.route("**/page/ask", lambda route: route.abort())
    tab_.ask("How far does a torch shine?", "error")
    tab_.page.unroute("**/page/ask")
    tab_.ask(ASKED, "answered")
    tab_.page.get_by_text("1 earlier question").click()
    tab_.page.get_by_role("link", name="How far does a torch shine?").click()
    tab_.is_answering("How far does a torch shine?")


def test_a_question_that_is_too_long_stays_to_be_shortened(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes, faulty=True)
    long = "My lamp went out and then it rained. " * 60 + ASKED
    tab_.ask(long, "error")
    expect(tab_.answer).to_contain_text("ask it without what goes before")
    expect(tab_.field).to_have_value(long)
    tab_.ask(ASKED, "answered")
    expect(tab_.page.get_by_text("earlier question")).to_be_hidden()


def test_a_source_that_cannot_be_fetched_leaves_the_answer(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes, faulty=True)
    tab_.ask(ASKED, "answered")
    tab_.page.route("**/vault/**", lambda route: route.abort())
    tab_.answer.get_by_role("link", name="Show in file").first.click()
    expect(tab_.source).to_contain_text("The server cannot be reached.")
    tab_.source.get_by_role("link", name="Close").click()
    expect(tab_.source).to_have_count(0)
    tab_.state("answered")


def test_a_busy_server_says_when_to_come_back(desk: Desk, tab: New) -> None:
    desk.llm.mode = "silence"
    tab_ = tab(desk.model, faulty=True)
    tab_.page.goto(desk.model)
    asking = [Thread(target=_wait, args=(desk.model,)) for _ in range(12)]
    for one in asking:
        one.start()
    try:
        while desk.app.state.questions.count < 12:
            tab_.page.wait_for_timeout(20)
        tab_.ask(ASKED, "error")
        expect(tab_.answer).to_contain_text("12 questions are being answered")
        expect(tab_.answer).to_contain_text("Ask again in 5 seconds.")
        tab_.page.goto(f"{desk.model}/?q=How+long")
        tab_.state("error")
        expect(tab_.answer).to_contain_text("Ask again in some seconds.")
        expect(tab_.page.get_by_role("textbox", name="Question")).to_have_value("How long")
    finally:
        desk.llm.stopped.set()
        for one in asking:
            one.join()


def _wait(url: str) -> None:
    httpx2.post(f"{url}/ask", json={"question": ASKED}, timeout=60)


@pytest.mark.parametrize("how", ["button", "Escape"])
def test_a_reply_can_be_stopped_and_the_model_is_let_go(desk: Desk, tab: New, how: str) -> None:
    desk.llm.pace = 0.2
    desk.llm.reply = "A torch burns for one hour [1]. " * 40
    tab_ = tab(desk.model)
    tab_.ask(ASKED)
    expect(tab_.page.get_by_text("Draft, not checked yet")).to_be_visible()
    if how == "button":
        tab_.page.get_by_role("button", name="Stop").click()
    else:
        tab_.page.keyboard.press("Escape")
    tab_.state("error")
    expect(tab_.answer).to_contain_text("Stopped.")
    expect(tab_.answer).not_to_contain_text("burns for one hour")
    expect(tab_.page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    assert desk.llm.hung_up.wait(5)


def test_a_model_writes_a_draft_until_the_checked_answer_comes(desk: Desk, tab: New) -> None:
    desk.llm.pace = 0.15
    desk.llm.reply = "A torch burns for one hour [1]. It lights 30’ around its bearer [1]."
    tab_ = tab(desk.model)
    tab_.ask(ASKED, "working")
    page = tab_.page
    expect(page.get_by_text("Draft, not checked yet")).to_be_visible()
    expect(page.get_by_text("Checking each sentence")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    tab_.state("answered")
    expect(page.get_by_text("Draft, not checked yet")).to_have_count(0)
    expect(tab_.answer).to_contain_text("Checked: each cited sentence stands in its lines.")
    cite = tab_.answer.get_by_role("link", name="[1]").first
    cite.focus()
    expect(tab_.answer.get_by_role("article", name="Torches")).to_have_class(re.compile("lit"))
    cite.click()
    expect(tab_.source.get_by_role("heading", name=TORCHES)).to_be_visible()
    expect(tab_.source.locator("mark").first).to_be_in_viewport()


def test_what_the_guard_took_out_can_be_opened(desk: Desk, tab: New) -> None:
    desk.llm.reply = "A torch burns for 77 hours [1]."
    tab_ = tab(desk.model)
    tab_.ask(ASKED, "answered")
    line = tab_.answer.get_by_text("1 sentence replaced by what the rules say")
    line.click()
    finding = tab_.answer.get_by_role("listitem").first
    expect(finding).to_contain_text("Sentence 1, a number: does not stand in passage 1")
    expect(finding.get_by_role("link", name="Open the line")).to_be_visible()
    expect(tab_.answer).not_to_contain_text("77 hours")
    expect(tab_.answer.locator(".prose")).to_have_text("“A torch burns for one hour” [1].")
    expect(tab_.answer.locator("mark").first).to_contain_text("one hour")


def test_what_was_read_in_the_draft_and_did_not_hold_is_struck(desk: Desk, tab: New) -> None:
    desk.llm.pace = 0.15
    desk.llm.reply = "It does. A torch burns for 77 hours [1]. It lights 30’ around its bearer [1]."
    tab_ = tab(desk.model)
    tab_.ask(ASKED, "working")
    draft = tab_.page.locator(".draft .words")
    expect(draft).to_contain_text("It does.")
    expect(draft).not_to_contain_text("77")
    tab_.state("answered")
    expect(tab_.answer.locator("del")).to_have_text(["It does."])
    expect(tab_.answer.locator("del")).to_be_visible()
    prose = "“A torch burns for one hour” [1]. It lights 30’ around its bearer [1]."
    expect(tab_.answer.locator(".prose")).to_have_text(prose)
    desk.llm.pace = 0.0
    tab_.ask("What does a dagger cost?", "answered")
    tab_.page.go_back()
    tab_.is_answering(ASKED)
    expect(tab_.answer.locator("del")).to_have_text(["It does."])
