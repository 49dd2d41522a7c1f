"""The vault's own page in a browser: search as you type, and folders that open without scripts."""

from pathlib import Path
from urllib.parse import urlencode

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


@pytest.mark.parametrize("scripts", [True, False])
def test_a_misspelt_word_finds_the_section_with_a_line_of_it(
    desk: Desk, tab: New, scripts: bool
) -> None:
    page = tab(f"{desk.quotes}/vault/", java_script_enabled=scripts).page
    found = page.get_by_role("region", name="Found")
    expect(found).to_be_hidden()
    page.get_by_role("searchbox").press_sequentially("lanterrns")
    if not scripts:
        page.get_by_role("button", name="Find").click()
    expect(found.get_by_text("Searched for lanterns")).to_be_visible()
    first = found.get_by_role("link").first
    expect(first).to_contain_text("A lantern burns for four hours on a flask of oil.")
    expect(first).to_contain_text("1. Light/Torches.md › Torches › Lanterns")
    page.get_by_role("searchbox").fill("qqqq")
    if not scripts:
        page.get_by_role("button", name="Find").click()
    expect(found.get_by_text("Nothing in these files has these words.")).to_be_visible()
    expect(found.get_by_text("Searched for")).to_be_hidden()
    expect(found.get_by_role("link")).to_have_count(0)


def test_what_is_typed_and_what_is_sent_look_alike(desk: Desk, tab: New) -> None:
    page = tab(f"{desk.quotes}/vault/").page
    found = page.get_by_role("region", name="Found")
    page.get_by_role("searchbox").press_sequentially("fal")
    expect(found.get_by_role("link").first).to_be_visible()
    typed = found.get_by_role("link").all_inner_texts()
    page.get_by_role("button", name="Find").click()
    expect(page).to_have_url(f"{desk.quotes}/vault/?find=fal")
    assert found.get_by_role("link").all_inner_texts() == typed


def test_the_folders_of_a_large_vault_open_without_scripts(
    loaded: SearchContext, server: str, tmp_path: Path, tab: New
) -> None:
    files = {f"{n % 3}. Part/{n}.md": f"# Rule {n}\n\nText {n}.\n" for n in range(42)}
    vault = write_vault(tmp_path / "vault", files | {"README.md": "# Many\n\nRules.\n"})
    with index_of(loaded, server, vault) as rules:
        app = create_app(AppState(rules, None))
        with serving(rules.settings, app) as client:
            page = tab(f"{client.base_url}/vault/", java_script_enabled=False).page
            expect(page.get_by_role("link", name="README")).to_be_visible()
            expect(page.get_by_role("link", name="41", exact=True)).to_be_hidden()
            page.locator("summary", has_text="2. Part").click()
            expect(page.get_by_role("link", name="41", exact=True)).to_be_visible()
            expect(page.locator("summary")).to_contain_text(["1 file", *["14 files"] * 3])


def test_a_folder_that_is_asked_for_is_listed_above_the_cards(
    loaded: SearchContext, server: str, tmp_path: Path, tab: New
) -> None:
    beasts = {f"2. Beasts/{n}. Beast {n}.md": f"# Beast {n}\n\nIt bites.\n" for n in range(1, 6)}
    vault = write_vault(tmp_path / "vault", beasts | {"README.md": "# Beasts\n\nRules.\n"})
    with (
        index_of(loaded, server, vault) as rules,
        serving(rules.settings, create_app(AppState(rules, None))) as client,
    ):
        answered = client.post("/ask", json={"question": "list all beasts"}).json()
        (found,) = answered["folders"]
        assert (found["path"], found["count"]) == ("2. Beasts", 5)
        assert [one["path"] for one in found["files"]] == list(beasts)
        assert (answered["certainty"], answered["confidence"]) == ("answered", None)
        assert all(card["folded"] for card in answered["cards"])
        page = tab(f"{client.base_url}/?q=list+all+beasts", java_script_enabled=False).page
        listed = page.get_by_role("region", name="Folder 2. Beasts")
        expect(listed).to_contain_text("5 files.")
        assert listed.get_by_role("listitem").all_inner_texts() == [
            f"Beast {n}" for n in range(1, 6)
        ]
        listed.get_by_role("link", name="Open the folder").click()
        expect(page.get_by_role("link", name="3. Beast 3")).to_be_visible()
        page.go_back()
        listed.get_by_role("link", name="Beast 4").click()
        expect(page.get_by_text("It bites.")).to_be_visible()


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
    loaded: SearchContext, server: str, tmp_path: Path, tab: New, asked: str, counted: object,
    shown: str,
) -> None:  # fmt: skip
    with (
        index_of(loaded, server, write_vault(tmp_path / "vault", FILES)) as rules,
        serving(rules.settings, create_app(AppState(rules, None))) as client,
    ):
        card = client.post("/ask", json={"question": asked}).json()["cards"][0]
        assert card["listed"] == counted
        page = tab(f"{client.base_url}/?{urlencode({'q': asked})}", java_script_enabled=False).page
        expect(page.get_by_role("article").first.get_by_text(shown, exact=True)).to_be_visible()
