"""The page as a person uses it, in a real browser: ask, see the lines, follow up, copy, rate."""

from playwright.sync_api import Route, expect

from tests.support.servers.page_fixtures import ASKED, NEAREST, REFUSED, Desk, New

FOLLOW_UP = "and a lantern?"


def test_the_first_view_names_the_vault_and_gives_questions_to_try(desk: Desk, tab: New) -> None:
    one = tab(desk.quotes)
    page = one.page
    expect(page.get_by_role("heading", level=1)).to_have_text("Lamp & Ledger")
    expect(page.get_by_text("A small game of lights.", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Question")).to_be_focused()
    page.get_by_role("link", name="What does a dagger cost?").click()
    expect(one.answer).to_have_attribute("data-state", "answered")
    expect(one.answer.locator("mark")).to_contain_text(["Dagger", "3", "1d4"])


def test_a_table_is_a_table_and_an_erratum_stands_beside_what_it_corrects(
    desk: Desk, tab: New
) -> None:
    one = tab(f"{desk.quotes}/?q=What+does+a+dagger+cost%3F")
    page = one.page
    table = one.answer.get_by_role("table")
    expect(table.get_by_role("columnheader")).to_have_text(["Weapon", "Cost (gp)", "Damage"])
    page.goto(f"{desk.quotes}/?q=How+much+damage+does+a+fall+deal%3F")
    erratum = one.answer.get_by_role("article", name="Errata > Falling")
    rule = one.answer.get_by_role("article", name="Hazards > Falling")
    expect(erratum.get_by_text("Erratum", exact=True)).to_be_visible()
    left, right = erratum.bounding_box(), rule.bounding_box()
    assert left
    assert right
    assert left["y"] == right["y"]
    assert left["x"] < right["x"]


def test_a_folded_card_is_one_line_that_opens(desk: Desk, tab: New) -> None:
    one = tab(f"{desk.quotes}/?q=How+long+does+light+last%3F")
    card = one.answer.get_by_role("article", name="Candles", exact=True)
    box = card.bounding_box()
    assert box
    assert box["height"] < 60
    card.locator("summary").click()
    expect(card.get_by_text("1. Light/10. Candles.md")).to_be_visible()


def test_states_differ_by_their_words(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    words = {}
    for state, question in [("answered", ASKED), ("nearest", NEAREST), ("refused", REFUSED)]:
        tab_.ask(question)
        tab_.state(state)
        words[state] = tab_.answer.locator(".verdict").inner_text()
    assert len(set(words.values())) == 3
    assert "The rules may not say this." in words["nearest"]
    assert "did not return any results" in words["refused"]
    expect(tab_.answer.get_by_role("article")).to_have_count(0)
    expect(tab_.answer.get_by_role("link", name="What is in them?")).to_be_visible()


def test_a_follow_up_is_understood_and_can_be_asked_alone(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    page = tab_.page
    tab_.ask(ASKED, "answered")
    tab_.ask(FOLLOW_UP)
    understood = tab_.answer.get_by_text("Understood as:")
    expect(understood).to_contain_text("lantern burn?")
    expect(page.get_by_text("1 earlier question")).to_be_visible()
    with page.expect_request("**/page/ask") as sent:
        page.get_by_role("link", name="Ask it alone").click()
    assert sent.value.post_data_json == {"question": FOLLOW_UP, "history": []}
    tab_.is_answering(FOLLOW_UP)
    expect(tab_.answer).not_to_have_attribute("data-state", "working")
    expect(understood).to_have_count(0)
    page.reload()
    expect(page.get_by_text("1 earlier question")).to_be_visible()
    page.get_by_role("button", name="New conversation").click()
    expect(tab_.answer).to_have_count(0)
    expect(tab_.field).to_be_focused()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    page.reload()
    expect(page.get_by_text("earlier question")).to_be_hidden()


def test_an_answer_can_be_copied_linked_and_rated(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes, permissions=["clipboard-read", "clipboard-write"])
    page = tab_.page
    sent: list[object] = []

    def keep(route: Route) -> None:
        sent.append(route.request.post_data_json)
        route.fulfill(status=204)

    page.route("**/feedback", keep)
    tab_.ask(ASKED, "answered")
    tab_.answer.get_by_text("Copy as Markdown").click()
    expect(tab_.answer.get_by_text("Copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"> {ASKED}")
    assert f"](<{desk.quotes}/vault/1.%20Light/Torches.md?lines=8-9#L8>)" in copied
    tab_.answer.get_by_role("link", name="Link to this question").click()
    expect(tab_.answer.get_by_text("Link copied.")).to_be_visible()
    assert page.url == f"{desk.quotes}/?q=How+long+does+a+torch+burn%3F"
    tab_.answer.get_by_role("button", name="Not helpful").click()
    tab_.answer.get_by_role("textbox", name="Comment").fill("Which torch?")
    tab_.answer.get_by_role("button", name="Send").click()
    expect(tab_.answer.get_by_text("Thank you for the comment.")).to_be_visible()
    request_id = tab_.answer.get_attribute("data-request")
    assert sent == [
        {"request_id": request_id, "rating": "down"},
        {"request_id": request_id, "rating": "down", "comment": "Which torch?"},
    ]
