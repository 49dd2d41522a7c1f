"""Asking changes the address; Back and Forward bring questions and answers as they were."""

from playwright.sync_api import Request, expect

from tests.support.servers.page_fixtures import ASKED, NEAREST, TORCHES, Desk, New, Tab

FOLLOW_UP = "and a lantern?"
UNDERSTOOD = "How long does a lantern burn?"


def asked(tab: Tab) -> list[str]:
    """The questions that this tab asks the server from now on."""
    found: list[str] = []

    def seen(request: Request) -> None:
        if request.url.endswith("/page/ask") or "?q=" in request.url:
            found.append(request.url)

    tab.page.on("request", seen)
    return found


def test_back_and_forward_bring_answers_without_asking(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    page = tab_.page
    tab_.ask(ASKED, "answered")
    expect(page).to_have_url(f"{desk.quotes}/?q=How+long+does+a+torch+burn%3F")
    expect(page).to_have_title(f"{ASKED} · Lamp & Ledger")
    tab_.ask(NEAREST, "nearest")
    requests = asked(tab_)
    page.go_back()
    tab_.state("answered")
    tab_.is_answering(ASKED)
    expect(page.get_by_text("earlier question")).to_be_hidden()
    page.go_back()
    expect(tab_.answer).to_have_count(0)
    expect(page).to_have_url(f"{desk.quotes}/")
    expect(page).to_have_title("Lamp & Ledger")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.go_forward()
    tab_.is_answering(ASKED)
    page.go_forward()
    tab_.state("nearest")
    expect(page.get_by_text("1 earlier question")).to_be_visible()
    tab_.answer.get_by_role("button", name="Not helpful").wait_for()
    assert requests == []


def test_what_follows_an_answer_gone_back_to_takes_the_place_of_the_rest(
    desk: Desk, tab: New
) -> None:
    tab_ = tab(desk.quotes)
    tab_.ask(ASKED, "answered")
    tab_.ask(NEAREST, "nearest")
    tab_.page.go_back()
    tab_.is_answering(ASKED)
    tab_.ask(FOLLOW_UP)
    expect(tab_.answer.get_by_text("Understood as:")).to_contain_text(UNDERSTOOD)
    expect(tab_.page.get_by_text("1 earlier question")).to_be_visible()


def test_back_closes_the_source_first_then_goes_to_the_question_before(
    desk: Desk, tab: New
) -> None:
    tab_ = tab(desk.quotes)
    page = tab_.page
    tab_.ask(ASKED, "answered")
    tab_.open_source()
    expect(tab_.source.get_by_role("heading", name=TORCHES)).to_be_visible()
    tab_.ask(NEAREST, "nearest")
    expect(tab_.source).to_have_count(0)
    tab_.open_source()
    expect(tab_.source).to_be_visible()
    page.go_back()
    expect(tab_.source).to_have_count(0)
    tab_.state("nearest")
    page.go_back()
    tab_.state("answered")
    expect(tab_.source.get_by_role("heading", name=TORCHES)).to_be_visible()
    page.get_by_role("link", name="Close source").click()
    expect(tab_.source).to_have_count(0)
    tab_.is_answering(ASKED)
    page.go_back()
    expect(tab_.answer).to_have_count(0)


def test_a_reload_keeps_the_place_in_the_conversation(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    page = tab_.page
    for question in (ASKED, FOLLOW_UP, NEAREST):
        tab_.ask(question)
        tab_.is_answering(question)
        expect(tab_.answer).not_to_have_attribute("data-state", "working")
    page.go_back()
    tab_.is_answering(FOLLOW_UP)
    page.reload()
    tab_.is_answering(FOLLOW_UP)  # its address names what it follows
    expect(tab_.answer.get_by_text("Understood as:")).to_contain_text(UNDERSTOOD)
    expect(page.get_by_text("1 earlier question")).to_be_visible()
    page.go_forward()
    tab_.is_answering(NEAREST)
    expect(page.get_by_text("2 earlier questions")).to_be_visible()


def test_back_leaves_a_question_that_is_being_answered(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.model)
    tab_.ask(ASKED, "answered")
    desk.llm.pace = 0.3
    desk.llm.reply = "A torch burns for one hour [1]. " * 20
    tab_.ask("How long does a lantern burn?", "working")
    tab_.page.go_back()
    tab_.is_answering(ASKED)
    expect(tab_.page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    desk.llm.stopped.set()
    desk.llm.forget()
    tab_.page.go_forward()  # nothing is kept of it, so the server answers it
    tab_.state("answered")
    tab_.is_answering("How long does a lantern burn?")


def test_the_same_question_again_and_a_place_on_the_page_are_no_other_question(
    desk: Desk, tab: New
) -> None:
    tab_ = tab(desk.quotes)
    for _ in range(2):
        tab_.ask(ASKED, "answered")
    expect(tab_.page.get_by_text("earlier question")).to_be_hidden()
    tab_.page.evaluate("location.hash = 'main'")
    tab_.is_answering(ASKED)
    tab_.page.go_back()
    tab_.is_answering(ASKED)
    tab_.page.go_back()
    expect(tab_.answer).to_have_count(0)


def test_a_conversation_that_was_cleared_is_answered_by_the_server(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    page = tab_.page
    tab_.ask(ASKED, "answered")
    page.get_by_role("button", name="New conversation").click()
    expect(page).to_have_url(f"{desk.quotes}/")
    page.go_back()
    tab_.state("answered")
    tab_.is_answering(ASKED)
