"""The source beside the answer and the vault to read; other screens, and no scripts at all."""

import pytest
from playwright.sync_api import Route, expect

from tests.support.servers.page_fixtures import ASKED, LINES, TORCHES, Desk, New


def test_a_source_opens_beside_the_answer_and_back_closes_it(desk: Desk, tab: New) -> None:
    one = tab(f"{desk.quotes}/?q=How+long+does+a+torch+burn%3F")
    page = one.page
    opener = one.answer.get_by_role("link", name="Show in file").first
    opener.click()
    panel = one.source
    expect(panel.get_by_role("heading", name=TORCHES)).to_be_focused()
    expect(panel.locator("mark")).to_have_text(LINES)
    expect(panel.locator("mark").first).to_be_in_viewport()
    expect(one.answer).to_be_visible()
    panel.get_by_role("link", name="Previous").click()
    expect(panel.get_by_role("heading", name="1. Light/10. Candles.md")).to_be_visible()
    page.go_back()
    expect(panel.get_by_role("heading", name=TORCHES)).to_be_visible()
    panel.get_by_role("link", name="weapons").click()
    expect(panel.get_by_role("heading", name="2. Arms/Weapons.md")).to_be_visible()
    panel.get_by_role("link", name="Close source").click()
    expect(panel).to_have_count(0)
    expect(opener).to_be_focused()
    page.go_forward()
    expect(panel).to_be_visible()
    page.go_back()
    expect(panel).to_have_count(0)
    expect(one.answer).to_be_visible()


def test_a_source_that_comes_late_does_not_stand_beside_another_answer(
    desk: Desk, tab: New
) -> None:
    one = tab(f"{desk.quotes}/?q=What+does+a+dagger+cost%3F")
    late: list[Route] = []
    one.page.route("**/vault/**", lambda route: late.append(route))
    with one.page.expect_request("**/vault/**"):
        one.open_source()
    one.ask(ASKED)
    expect(one.answer.locator("mark")).to_have_text(LINES)
    (route,) = late
    route.continue_()
    one.page.wait_for_timeout(300)
    expect(one.source).to_have_count(0)
    expect(one.page).to_have_url(f"{desk.quotes}/?q=How+long+does+a+torch+burn%3F")


def test_an_address_with_a_source_shows_it_again(desk: Desk, tab: New) -> None:
    tab_ = tab(desk.quotes)
    tab_.ask(ASKED, "answered")
    tab_.open_source()
    expect(tab_.source).to_be_visible()
    tab_.page.reload()
    expect(tab_.source.locator("mark")).to_have_text(LINES)
    tab_.state("answered")  # of the conversation that the tab keeps
    tab_.page.get_by_role("link", name="Close source").click()
    expect(tab_.source).to_have_count(0)


def test_an_old_address_of_lines_is_marked_and_in_view(desk: Desk, tab: New) -> None:
    one = tab(f"{desk.quotes}/vault/1.%20Light/Torches.md#L8-L9")
    page = one.page
    marks = page.locator("mark")
    expect(marks).to_have_text(LINES)
    expect(marks.first).to_be_in_viewport()
    for nothing in ("#L9-L8", "#L15-L999999999"):
        page.goto(f"{desk.quotes}/vault/")
        page.goto(f"{desk.quotes}/vault/1.%20Light/Torches.md{nothing}")
        expect(marks).to_have_count(0)
    page.goto(f"{desk.quotes}/vault/1.%20Light/Torches.md?lines=15#L15")
    expect(marks).to_have_text(["A lantern burns for four hours on a flask of oil."])
    page.get_by_role("link", name="Show as it is written").click()
    expect(page.get_by_text("A torch burns for **one hour**.")).to_be_visible()
    expect(marks).to_have_text(["A lantern burns for four hours on a flask of oil."])


def test_the_keyboard_alone_asks_opens_and_comes_back(desk: Desk, tab: New) -> None:
    one = tab(desk.quotes)
    page = one.page
    keys = page.keyboard
    keys.type("How long does")
    keys.press("Shift+Enter")
    keys.type("a torch burn?")
    keys.press("Enter")
    expect(one.answer).to_have_attribute("data-state", "answered")
    keys.press("ArrowUp")
    field = page.get_by_role("textbox", name="Question")
    expect(field).to_have_value("How long does\na torch burn?")
    field.fill("")
    opener = one.answer.get_by_role("link", name="Show in file").first
    for _ in range(12):
        keys.press("Tab")
        if opener.evaluate("link => link === document.activeElement"):
            break
    keys.press("Enter")
    expect(one.source).to_be_visible()
    keys.press("Escape")
    expect(one.source).to_have_count(0)
    expect(opener).to_be_focused()
    keys.press("/")
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def test_without_scripts_the_page_is_whole(desk: Desk, tab: New) -> None:
    one = tab(desk.quotes, java_script_enabled=False)
    page = one.page
    page.get_by_role("textbox", name="Question").fill(ASKED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(one.answer).to_have_attribute("data-state", "answered")
    page.get_by_role("textbox", name="Question").fill("and a lantern?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(one.answer.get_by_text("Understood as:")).to_be_visible()
    one.open_source()
    expect(page.get_by_role("heading", name=TORCHES)).to_be_visible()
    expect(page.locator("mark").first).to_be_in_viewport()
    page.get_by_role("navigation", name="Vault").get_by_role("link").click()
    page.get_by_role("searchbox").fill("dagger")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("region", name="Found").get_by_role("link")).to_have_count(1)
    page.get_by_role("link", name="Lamp & Ledger").click()
    expect(page.get_by_role("button", name="New conversation")).to_be_hidden()


@pytest.mark.parametrize("width", [360, 640])
def test_on_a_small_screen_the_source_is_over_the_answer(desk: Desk, tab: New, width: int) -> None:
    screen = {"width": width, "height": 740}
    one = tab(f"{desk.quotes}/?q=What+does+a+dagger+cost%3F", viewport=screen)
    one.open_source()
    box = one.source.bounding_box()
    assert box
    assert box["width"] == width
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_and_still_for_who_wants_it_so(desk: Desk, tab: New) -> None:
    desk.llm.pace = 0.2
    light = tab(desk.quotes)
    dark = tab(desk.model, color_scheme="dark", reduced_motion="reduce")
    shades = [
        one.page.evaluate("getComputedStyle(document.body).backgroundColor")
        for one in (light, dark)
    ]
    assert shades[0] != shades[1]
    dark.ask(ASKED)
    dark.state("working")
    assert dark.page.evaluate("document.getAnimations().length") == 0
