"""The page signs in with a key, in a real browser; a link from elsewhere asks nothing by itself."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from api.keys import key_file
from api.keys.authorization import COOKIE, OWN_PAGE_COOKIE, own_page
from tests.support.servers.browser import Sink
from tests.support.servers.page_fixtures import New
from tests.support.servers.with_keys import ASKED, PATH, Guarded, bearer


@pytest.mark.parametrize("scripts", [True, False])
def test_a_key_opens_the_page_that_was_asked_for_until_it_is_revoked(
    api: Guarded, tab: New, scripts: bool
) -> None:
    name = f"visitor-{scripts}"
    token = key_file.add(api.file, name, ["ask", "feedback"])
    address = f"{api.client.base_url}/vault/{PATH}?lines=3"
    # A reply of 401 is an error in the browser's log.
    page = tab(address, faulty=True, java_script_enabled=scripts).page
    page.get_by_label("Key").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("This key is not known")).to_be_visible()
    page.get_by_label("Key").fill(f" {token} ")
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_contain_text("frindles")
    assert page.url == address.replace(" ", "%20")
    cookies = {
        cookie["name"]: (cookie["httpOnly"], cookie["sameSite"])
        for cookie in page.context.cookies()
    }
    assert cookies == {COOKIE: (True, "Lax"), OWN_PAGE_COOKIE: (True, "Strict")}
    page.goto(f"{api.client.base_url}/")
    page.get_by_role("textbox", name="Question").fill(ASKED)
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.get_by_role("region", name="Answer", exact=True)
    # A machine that does much else takes longer than the 10 s of other waits.
    answer.get_by_text("snorvels").first.wait_for(timeout=60_000)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key")).to_be_visible()
    assert page.context.cookies() == []
    page.get_by_label("Key").fill(token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("textbox", name="Question")).to_be_visible()
    key_file.revoke(api.file, name)
    page.reload()
    expect(page.get_by_label("Key")).to_be_visible()


@pytest.mark.parametrize("host", ["127.0.0.1", "rules.test"])  # one of which it is secure to name
def test_a_link_of_another_site_fills_the_form_and_its_button_asks(
    api: Guarded, tab: New, sink: Sink, host: str
) -> None:
    server = str(api.client.base_url).replace("127.0.0.1", host)
    one = tab(server, faulty=True)
    one.page.get_by_label("Key").fill(api.tokens["ask"])
    one.page.get_by_role("button", name="Sign in").click()
    expect(one.field).to_be_visible()
    to = f"{server}/?{urlencode({'q': ASKED})}"
    sink.page = f'<a href="{to}">ask</a>'
    one.page.goto(sink.url.replace("127.0.0.1", "localhost"))  # another site
    one.page.get_by_role("link").click()
    expect(one.field).to_have_value(ASKED)
    assert one.page.get_by_role("button", name="Sign out").is_visible()  # the cookie came along
    assert one.answer.count() == 0
    one.page.get_by_role("button", name="Ask", exact=True).click()
    one.is_answering(ASKED)
    one.page.goto(to)  # typed, or a bookmark
    one.is_answering(ASKED)


@pytest.mark.parametrize(
    ("second", "site", "is_asked"),
    [
        ("own", None, True),
        ("1", None, False),  # which another page of this host could have set
        ("", None, False),
        ("", "same-origin", True),  # the browser says it itself
        ("own", "cross-site", False),
    ],
)
def test_without_a_word_of_the_browser_the_second_cookie_tells_whose_link_it_is(
    api: Guarded, second: str, site: str | None, *, is_asked: bool
) -> None:
    token = api.tokens["ask"]
    value = own_page(token) if second == "own" else second
    headers = {"Cookie": f"{COOKIE}={token}; {OWN_PAGE_COOKIE}={value}"}
    headers |= {"Sec-Fetch-Site": site} if site else {}
    page = api.client.get("/", params={"q": ASKED}, headers=headers).text
    assert ("plimday" in page) is is_asked


def test_what_a_link_asked_is_filled_in_after_signing_in(api: Guarded) -> None:
    form = {"key": api.tokens["ask"], "to": "/?before=a%26b&%71=c"}
    reply = api.client.post("/sign-in", data=form)
    assert reply.headers["location"] == "/?before=a%26b&draft=c"


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example/",
        "evil.example",
        "/\t/evil.example",
    ],
)
def test_nobody_is_led_elsewhere_by_signing_in(api: Guarded, to: str) -> None:
    reply = api.client.post("/sign-in", data={"key": api.tokens["ask"], "to": to})
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    assert "secure" not in reply.headers["set-cookie"].lower()  # http


def test_a_form_of_elsewhere_signs_nobody_in(api: Guarded) -> None:
    sent = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    form = {"key": api.tokens["ask"], "to": "/"}
    assert api.client.post("/sign-in", data=form, headers=sent).status_code == 403


def test_a_wrong_header_is_not_made_right_by_a_cookie(api: Guarded) -> None:
    headers = {**bearer("wrong"), "Cookie": f"{COOKIE}={api.tokens['ask']}"}
    assert api.client.get("/llms.txt", headers=headers).status_code == 401
