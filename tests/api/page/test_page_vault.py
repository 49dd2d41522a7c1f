"""The vault's own page: search as you type, folders that open, and lists above the cards."""

import re
from collections.abc import Iterator
from html import unescape

import httpx2
import pytest
from playwright.sync_api import expect

from api.main import create_app
from api.state import AppState
from retrieval.context import SearchContext
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.page_fixtures import Desk, New
from tests.support.servers.serving import serving
from tests.support.vaults.made_vault import FILES

BEASTS = {f"2. Beasts/{name}.md": f"# {name}\n\nIt bites.\n" for name in ("Crab", "Eel", "Gull")}
PARTS = {f"{n % 3}. Part/{n}.md": f"# Rule {n}\n\nText {n}.\n" for n in range(42)}


def test_a_misspelt_word_finds_the_section_and_the_button_finds_the_same(
    desk: Desk, tab: New
) -> None:
    page = tab(f"{desk.quotes}/vault/").page
    found = page.get_by_role("region", name="Found")
    expect(found).to_be_hidden()
    page.get_by_role("searchbox").press_sequentially("lanterrns")
    expect(found.get_by_text("Searched for lanterns")).to_be_visible()
    first = found.get_by_role("link").first
    expect(first).to_contain_text("A lantern burns for four hours on a flask of oil.")
    expect(first).to_contain_text("1. Light/Torches.md › Torches › Lanterns")
    typed = found.get_by_role("link").all_inner_texts()
    page.get_by_role("button", name="Find").click()
    expect(page).to_have_url(f"{desk.quotes}/vault/?find=lanterrns")
    assert found.get_by_role("link").all_inner_texts() == typed
    page.get_by_role("searchbox").fill("qqqq")
    expect(found.get_by_text("Nothing in these files has these words.")).to_be_visible()
    expect(found.get_by_text("Searched for")).to_be_hidden()
    expect(found.get_by_role("link")).to_have_count(0)


@pytest.fixture(scope="module")
def client(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx2.Client]:
    """A client of an API over more files than are all shown at once, without scripts."""
    vault = write_vault(tmp_path_factory.mktemp("vault"), {**FILES, **BEASTS, **PARTS})
    with (
        index_of(loaded, server, vault) as rules,
        serving(rules.settings, create_app(AppState(rules, None))) as client,
    ):
        yield client


def test_the_folders_of_a_large_vault_are_closed_but_the_one_that_is_asked_for(
    client: httpx2.Client,
) -> None:
    def folders(**params: str) -> dict[str, bool]:
        """The names of the folders, and which are open."""
        page = client.get("/vault/", params=params).text
        assert ">41</a>" in page
        found = re.findall(r"<details([^>]*)>\s*<summary><h2>(.*?)</h2> (.*?)</summary>", page)
        return {f"{name}, {count}": "open" in how for how, name, count in found}

    shut = folders()
    assert {f"{n}. Part, 14 files" for n in range(3)} < shut.keys()
    assert [name for name, is_open in shut.items() if is_open] == ["At the top, 1 file"]
    opened = folders(folder="2. Part")
    assert [name for name in opened if opened[name] != shut[name]] == ["2. Part, 14 files"]


def test_a_folder_that_is_asked_for_is_listed_above_the_cards(client: httpx2.Client) -> None:
    answered = client.post("/ask", json={"question": "list all beasts"}).json()
    (found,) = answered["folders"]
    assert (found["path"], found["count"]) == ("2. Beasts", 5)
    assert (answered["certainty"], answered["confidence"]) == ("answered", None)
    assert all(card["folded"] for card in answered["cards"])
    page = client.get("/", params={"q": "list all beasts"}).text
    (listed,) = re.findall(r'<section class="listing".*?</section>', page, re.DOTALL)
    assert "5 files." in listed
    links = re.findall(r'<li><a href="([^"]*)">([^<]*)</a>', listed)
    assert [name for _, name in links] == ["Crab", "Eel", "Gull", "Kraken", "Selkie"]
    assert "It bites." in client.get(unescape(links[0][0])).text
    (folder,) = re.findall(r'<a href="([^"]*)">Open the folder</a>', listed)
    assert '<details id="folder" open>' in client.get(unescape(folder)).text


@pytest.mark.parametrize(
    ("asked", "counted", "shown"),
    [
        ("which sailors berth aft?", {"count": 5, "of": 9, "words": ["aft"]},
         "5 of 9 rows, found by “aft”"),
        ("list all sailors", {"count": 9, "of": 9, "words": []}, "9 rows"),
        ("list all signal flags", {"count": 45, "of": 45, "words": []}, "45 rows"),
    ],
)  # fmt: skip
def test_a_list_says_how_long_it_is_and_how_its_rows_were_chosen(
    client: httpx2.Client, asked: str, counted: object, shown: str
) -> None:
    card = client.post("/ask", json={"question": asked}).json()["cards"][0]
    assert card["listed"] == counted
    first = client.get("/", params={"q": asked}).text.partition("</article>")[0]
    assert f">{shown}</p>" in first
