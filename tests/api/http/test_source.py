"""GET /vault/{path}: a file as a page, its lines addressable and nothing live in it."""

import os
import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from http.client import HTTPConnection
from pathlib import Path

import httpx2
import pytest

from api.main import create_app
from api.page import vault
from api.page.markdown.links import address
from api.sources import vault_file, vault_links
from retrieval.context import SearchContext
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.browser import document
from tests.support.servers.serving import serving

HOSTILE = '<script>document.title = "owned"</script><img src=x onerror=alert(1)>'
LIVE = "Hostile/<img src=x onerror=alert(1)> & \"quoted\" 'too'.md"
TORCHES = "1. Light/Torches.md"
ODD = "Odd/#1? 100%41 +;,é\\x.md"
FILES = {
    "1. Light/Torches.md": "# Torches\n\nA torch burns for an hour.\n\n- wind: half\n- wet: none\n",
    LIVE: f"# Hostile\n\n{HOSTILE}\n\nesc \x1b]52;c;eA==\x07 bidi \u202egnorw zero\u200bwidth\n",
    ODD: "# Odd\n\nA file with an odd name burns for a week.\n",
}


@pytest.fixture(scope="module")
def shown(
    loaded: SearchContext, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Settings of an index of a vault with hostile names and texts."""
    vault = write_vault(tmp_path_factory.mktemp("shown"), FILES)
    (vault / unicodedata.normalize("NFD", "Café.md")).write_text(
        "# Tea\n\nTea is served at five.\n"
    )
    with index_of(loaded, server, vault) as rules:
        yield rules.settings


@pytest.fixture(scope="module")
def pages(shown: Settings) -> Iterator[httpx2.Client]:
    """A client of the API over that vault."""
    app = create_app(shown)
    with serving(shown, app) as client:
        yield client


def lines(html: str) -> list[str]:
    """Return the text of each line of a page that shows a file as it is written."""
    found = re.findall(r'<span class="line"[^>]*>(.*?)</span>', html, re.DOTALL)
    return [unescape(re.sub(r"</?mark>", "", text)) for text in found]


def marks(html: str) -> list[int]:
    """Return the numbers of the lines that are marked on a page."""
    return [int(found) for found in re.findall(r'<span id="L(\d+)"></span><mark>', html)]


def written(pages: httpx2.Client, path: str) -> httpx2.Response:
    """Get the page that shows a file as it is written."""
    return pages.get(address(path), params={"view": "lines"})


@pytest.mark.parametrize("path", [*FILES, "Café.md"])
def test_a_file_is_shown_line_by_line(pages: httpx2.Client, shown: Settings, path: str) -> None:
    reply = written(pages, path)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    text = FILES.get(path, "# Tea\n\nTea is served at five.\n")
    assert len(lines(reply.text)) == len(text.split("\n"))
    for number, line in enumerate(text.split("\n"), start=1):
        assert f'id="L{number}"' in reply.text
        if line.isprintable():
            assert lines(reply.text)[number - 1] == line
    assert "has changed" not in reply.text


@pytest.mark.proves("row 35")
def test_hostile_names_and_texts_are_text(pages: httpx2.Client) -> None:
    html = written(pages, LIVE).text
    for page in (html, pages.get(address(LIVE)).text):
        scripts = re.findall(r"<(?:script|img|svg|iframe)\b[^>]*>", page)
        assert all(one.startswith('<script type="module" src="/page/') for one in scripts)
        assert len(scripts) == 1
    assert HOSTILE in lines(html)
    assert "esc \\x1b]52;c;eA==\\x07 bidi \\u202egnorw zero\\u200bwidth" in lines(html)
    assert all(c.isprintable() or c == "\n" for c in html)


@pytest.mark.parametrize(
    "path",
    [
        "/", "Nothing.md", "1. Light", "1. Light/", "1. Light/torches.md", "1. Light/Torches.md/",
        "/1. Light/Torches.md", "./1. Light/Torches.md", "1. Light/../1. Light/Torches.md",
        "1. Light//Torches.md", "../secret.md", "..%2Fsecret.md", "%2e%2e/secret.md",
        "..\\secret.md", "/etc/passwd", "%2Fetc%2Fpasswd", "not indexed.md", "notes.txt",
        ".hidden.md", "1. Light/Torches.md%00", "%00", "%ff%fe", "%ed%a0%80", "x" * 5_000,
    ],
)  # fmt: skip
def test_what_the_index_does_not_hold_is_not_there(
    pages: httpx2.Client, shown: Settings, path: str
) -> None:
    for name in ("not indexed.md", "notes.txt", ".hidden.md", "../secret.md"):
        (shown.vault / name).write_text("CANARY\n")
    url = pages.base_url
    connection = HTTPConnection(url.host, url.port or 80)  # leaves dots in a path as they are
    connection.request("GET", f"/vault/{path.replace(' ', '%20')}")
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    assert reply.status == 404, text
    assert "CANARY" not in text


def test_a_changed_file_says_so_and_a_file_that_is_gone_is_not_there(
    pages: httpx2.Client, shown: Settings, tmp_path: Path
) -> None:
    file = shown.vault / "1. Light/Torches.md"
    place = f"{address('1. Light/Torches.md')}?view=lines"
    before = file.read_bytes()
    try:
        file.write_bytes(b"New first line\n" + before)
        changed = pages.get(place)
        assert "has changed since it was indexed" in changed.text
        assert lines(changed.text)[0] == "New first line"
        file.unlink()
        gone = pages.get(place)
        assert (gone.status_code, "python -m ingest" in gone.json()["detail"]) == (404, True)
        (tmp_path / "outside.md").write_text("CANARY\n")
        file.symlink_to(tmp_path / "outside.md")
        assert pages.get(place).status_code == 404
    finally:
        file.unlink(missing_ok=True)
        file.write_bytes(before)
    assert "has changed" not in pages.get(place).text


@pytest.mark.parametrize("kind", ["pipe", "folder", "no UTF-8", "too large", "linked folder"])
def test_what_is_no_readable_file_is_none(tmp_path: Path, kind: str) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    path = vault / "a.md"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "no UTF-8":
        path.write_bytes(b"\xff\xfea")
    elif kind == "too large":
        path.write_bytes(b"a" * 5_000_001)
    else:
        (tmp_path / "real").mkdir()
        (tmp_path / "real" / "b.md").write_text("CANARY")
        path.symlink_to(tmp_path / "real")
        assert vault_file.read(vault, "a.md/b.md") is None
    assert vault_file.read(vault, "a.md") is None
    assert vault_file.read(vault, "../vault/a.md") is None
    assert vault_file.read(tmp_path / "no vault", "a.md") is None


def test_lines_are_counted_as_the_ingest_counts_them(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("\ufeffa\r\nb\rc\x0cd\x85e\u2028f\x00\n".encode())
    file = vault_file.read(tmp_path, "a.md")
    assert file is not None
    assert file.lines == ("a", "b", "c\x0cd\x85e\u2028f", "")


def test_a_link_names_lines_and_escapes_the_path() -> None:
    assert vault_links.link("a b/c.md", 12, 14) == "/vault/a%20b/c.md#L12-L14"
    assert vault_links.link("a.md", 12, 12) == "/vault/a.md#L12"
    assert (
        vault_links.link(ODD, 1, 2)
        == "/vault/Odd/%231%3F%20100%2541%20%2B%3B%2C%C3%A9%5Cx.md#L1-L2"
    )


def test_the_lines_of_an_address_are_marked(pages: httpx2.Client) -> None:
    assert marks(pages.get(address(TORCHES, [(3, 3), (6, 99)])).text) == [3, 6]


@pytest.mark.proves("row 35", "promise 9")
def test_a_browser_runs_nothing_of_a_hostile_file(pages: httpx2.Client) -> None:
    html = document(f"{str(pages.base_url).rstrip('/')}{address(LIVE)}#L3-L3")
    assert "<mark>" in html  # our own script ran
    assert "<title>owned" not in html
    assert "<img" not in html


def test_a_small_file_that_would_become_a_large_page_is_shown_as_it_is_written() -> None:
    assert vault._is_heavy(["|a" * 300, "|-" * 300, *["|1"] * 1_000])
    assert vault._is_heavy(["a" * 500_001])
    assert not vault._is_heavy(["|a|b|", "|-|-|", *["|1|2|"] * 10_000])
