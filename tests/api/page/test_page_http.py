"""The page as the server renders it: whole, small, quick, and with nothing inline."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from time import perf_counter

import httpx2
import pytest
from markupsafe import Markup

from api.page import about, assets, html
from api.page.line_numbers import numbered
from api.page.markdown.links import Links, address, ranges_of
from api.page.markdown.render import html as rendered
from api.page.markdown.writer import Shown
from api.state import AppState
from tests.support.faults.hostile import FORMS, hostile
from tests.support.servers.page_fixtures import FILES, TORCHES, Desk

ASKED = "How long does a torch burn?"


@pytest.fixture(scope="module")
def client(running_desk: Desk) -> Iterator[httpx2.Client]:
    """A client of the API that quotes."""
    with httpx2.Client(base_url=running_desk.quotes, timeout=30) as client:
        yield client


def marks(page: str) -> list[str]:
    """The text of each mark."""
    found = re.findall(r"<mark>(.*?)</mark>", page, re.DOTALL)
    return [unescape(re.sub(r"<[^>]*>", "", one)) for one in found]


@pytest.mark.parametrize(
    ("readme", "setting", "title", "sentence"),
    [
        ("# Lamp & *L*\n\nA [small](a.md) game. More.\n", None, "Lamp & L", "A small game."),
        ("---\ntitle: 'Lamps'\ndescription: All of it\n---\n# X\n\nY.", "Z", "Lamps", "All of it"),
        ("No heading, one line", "Our rules", "Our rules", "No heading, one line"),
        (None, "Our rules", "Our rules", ""),
        (None, None, "Rules Oracle", ""),
        ("# <img src=x onerror=alert(1)>\n", None, "<img src=x onerror=alert(1)>", ""),
    ],
)
def test_the_title_is_the_vaults_own_else_the_settings(
    desk: Desk, tmp_path: Path, readme: str | None, setting: str | None, title: str, sentence: str
) -> None:
    if readme is not None:
        (tmp_path / "README.md").write_text(readme, "utf-8")
    values = {"vault": tmp_path, "title": setting}
    settings_ = desk.rules.settings.model_copy(update=values)
    found = about.about(AppState(replace(desk.rules, settings=settings_), None))
    assert (found.title, found.sentence, found.files) == (title, sentence, 7)
    assert len(found.examples) == 3  # made of the headings
    (tmp_path / "questions.txt").write_text("\n".join(["", *"abcdefgh"]), "utf-8")
    found = about.about(AppState(replace(desk.rules, settings=settings_), None))
    assert found.examples == tuple("abcdef")


@pytest.mark.proves("row 35", "promise 9")
def test_every_view_has_the_policy_and_nothing_inline(client: httpx2.Client) -> None:
    views = ["/", "/?q=hello", f"/?q={ASKED}&source={TORCHES}", "/vault/", f"/vault/{TORCHES}"]
    for path in [*views, f"{views[-1]}?view=lines", "/docs"]:
        reply = client.get(path)
        assert reply.status_code == 200
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert set(re.findall(r"-src ([^;]*)", policy)) == {"'none'", "'self'"}
        assert reply.headers["referrer-policy"] == "same-origin"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", reply.text)
        fetched = re.findall(r'(?:src|<link[^>]*href)="([^"]*)"', reply.text)
        assert fetched
        assert all(one.startswith("/page/") for one in fetched)
        assert all(client.get(one).status_code == 200 for one in fetched)


def test_the_pages_own_files_are_small_and_kept() -> None:
    folder = Path(html.__file__).parent
    own = [*(folder / "static").iterdir(), *(folder / "templates").iterdir()]
    assert sum(file.stat().st_size for file in own) <= 60_000
    text = "".join(file.read_text("utf-8") for file in own)
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}


def test_a_file_of_the_page_is_kept_under_its_version_alone(client: httpx2.Client) -> None:
    kept = client.get(f"/page/{assets.VERSION}/page.css")
    assert "immutable" in kept.headers["cache-control"]
    assert client.get("/page/older/page.css").headers["cache-control"] == "no-cache"
    assert client.get("/page/older/../../main.py").status_code == 404
    assert client.get("/page/older/none.css").json()["status"] == 404


@pytest.mark.parametrize("path", ["/", "/headings?q=torc", "/headings?q=fall"])
def test_what_needs_no_model_takes_less_than_half_of_an_answers_time(
    client: httpx2.Client, path: str
) -> None:
    def seconds(path: str) -> float:
        started = perf_counter()
        assert client.get(path).status_code == 200
        return perf_counter() - started

    turns = [(seconds(path), seconds(f"/?q={ASKED}")) for _ in range(9)]
    assert min(one for one, _ in turns) < min(answer for _, answer in turns) / 2


def test_the_page_shows_what_ask_answers(client: httpx2.Client) -> None:
    for question in (ASKED, "What does a dagger cost?", "How much damage does a fall deal?"):
        answer = client.post("/ask", json={"question": question}).json()
        page = client.get("/", params={"q": question}).text
        assert f'data-state="{answer["certainty"]}"' in page
        named = re.findall(r'<article aria-label="([^"]*)"', page)
        assert [unescape(name) for name in named] == [card["heading"] for card in answer["cards"]]
        for card in answer["cards"]:
            lines = FILES[card["path"]].split("\n")
            for marked in card["marked"]:
                line = lines[marked["first_line"] - 1]
                said = [re.sub(r"[*|]", "", part).strip() for part in line.split("|")]
                shown = "".join(marks(page))
                assert all(part in shown for part in said)


def test_a_follow_up_and_its_links_need_no_script(client: httpx2.Client) -> None:
    page = client.get("/", params={"q": "and a lantern?", "before": [ASKED]}).text
    assert "Understood as:" in page
    assert 'name="before" value="How long does a torch burn?"' in page
    assert 'name="before" value="and a lantern?"' in page
    (correct,) = re.findall(r'class="correct" href="([^"]*)"', page)
    own = client.get(unescape(correct)).text
    assert '<h2 class="asked">and a lantern?</h2>' in own
    assert "Understood as:" not in own
    (link,) = re.findall(r'class="link" href="([^"]*)"', page)
    alone = client.get(unescape(link)).text
    assert '<h2 class="asked">How long does a lantern burn?</h2>' in alone
    assert marks(alone) == marks(page)


def test_a_misspelt_word_is_said_to_be_searched_otherwise(client: httpx2.Client) -> None:
    page = client.get("/", params={"q": "How long does a lantren burn?"}).text
    assert "<b>lantern</b> instead of <s>lantren</s>" in page


def test_who_takes_anything_gets_an_error_as_json_and_a_browser_a_page(
    client: httpx2.Client,
) -> None:
    for path, status in (("/vault/none.md", 404), ("/?q=" + "x" * 5_000, 422)):
        plain = client.get(path)
        assert (plain.status_code, plain.json()["status"]) == (status, status)
        page = client.get(path, headers={"Accept": "text/html,*/*"})
        assert (page.status_code, 'data-state="error"' in page.text) == (status, True)
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert client.get("/v1/none", headers={"Accept": "text/html"}).json()["error"]


def test_headings_are_found_by_their_beginnings_and_by_words(client: httpx2.Client) -> None:
    def found(typed: str) -> list[tuple[str, str, int]]:
        reply = client.get("/headings", params={"q": typed}).json()
        return [(one["path"], one["heading"], one["first_line"]) for one in reply["headings"]]

    assert found("lan")[0] == (TORCHES, "Torches > Lanterns", 15)
    assert found("dagg") == [("2. Arms/Weapons.md", "Weapons", 6)]
    assert found("fall 20d6")[0][0] == "9. Errata/Errata.md"
    assert {path for path, *_ in found("arms")} >= {"2. Arms/Weapons.md", "2. Arms/Hazards.md"}
    for nothing in ("", " ", "%", "_", "\\", "'; DROP TABLE chunk; --", "zzz", "\x00", "%%%"):
        assert found(nothing) == []


def test_ranges_are_read_as_addresses_have_them() -> None:
    assert ranges_of("12-14,20") == ((12, 14), (20, 20))
    assert ranges_of("L3-L5") == ((3, 5),)
    assert ranges_of("0,-1,5-3,x,1-x,99999999999999999999,²") == ()
    assert address("a b.md", [(12, 14), (20, 20)]) == "/vault/a%20b.md?lines=12-14,20#L12"


def test_a_cards_lines_are_found_by_their_words_in_order() -> None:
    known = {3: "| Torch | 6 turns |", 4: "*Same.*", 5: "Same.", 6: "<!-- x -->Last [[a|b]]"}
    text = "| Torch | 6 turns |\n\nSame.\nSame.\n\nLast\nLast b"
    assert numbered(text, known, 3, 6) == [3, None, 4, 5, None, None, None]
    assert numbered("Last", {6: "Last"}, 1, 5) == [None]


@pytest.mark.proves("row 34", "row 35")
@pytest.mark.parametrize("name", FORMS)
def test_no_form_of_a_script_link_or_image_comes_out_live(name: str) -> None:
    page = str(rendered(hostile(name, "http://127.0.0.1:9"), Shown(links=Links.of(["a.md"], ""))))
    assert not re.search(r"<(?:img|script|iframe|svg|form|input|style|link|base|meta)\b", page)
    assert all(href.startswith("/vault/") for href in re.findall(r'href="([^"]*)"', page))
    assert not re.search(r"<[^>]*\s(?:on\w+|src|style|ping)=", page)


def test_markdown_that_is_marked_stays_escaped() -> None:
    made = rendered("a <b> & [1]", Shown([7], {7}, citations={1: Markup("<i>1</i>")}))
    assert made == "<p><mark>a &lt;b&gt; &amp; <i>1</i></mark></p>"


def test_a_conversation_without_scripts_goes_on_after_twenty_questions(
    client: httpx2.Client,
) -> None:
    before = [("before", f"question {number}") for number in range(20)]
    page = client.get("/", params=[("q", ASKED), *before])
    assert page.status_code == 200
    assert page.text.count('name="before"') == 20
    assert client.get("/", params=[("q", ASKED), ("before", "x" * 4_001)]).status_code == 422


def test_a_file_that_is_gone_does_not_take_the_answer_with_it(client: httpx2.Client) -> None:
    page = client.get("/", params={"q": ASKED, "source": "gone.md"})
    assert (page.status_code, 'data-state="answered"' in page.text) == (200, True)
    assert client.get("/", params={"source": "gone.md"}).status_code == 404


def test_the_apis_description_names_every_endpoint_and_leads_to_every_schema(
    client: httpx2.Client,
) -> None:
    page = client.get("/docs").text
    said = client.get("/openapi.json").json()
    for path, methods in said["paths"].items():
        assert all(f"<code>{method.upper()} {path}</code>" in page for method in methods)
    assert '<a href="#AskRequest">AskRequest</a>' in page
    assert set(re.findall('href="#([A-Z]\\w+)"', page)) <= set(re.findall('id="(\\w+)"', page))
    assert client.get("/redoc").status_code == 404
