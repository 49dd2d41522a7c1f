"""Many who open a dense file leave room for who asks, and who has a page is not sent it again."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from api.page.markdown import process
from api.page.markdown.render import with_outline
from api.page.markdown.writer import Shown
from api.page.turns import MOST_WAITING
from retrieval.context import SearchContext
from retrieval.errors import OverloadedError
from tests.conftest import write_vault
from tests.support.index.ingested import index_of
from tests.support.servers.serving import serving

DENSE = (
    "# Dense\n\n" + "\n".join(f"- *a{n % 50}* **b** [c](d.md) `e` ~~f~~" for n in range(600)) + "\n"
)
FILES = {"Dense.md": DENSE, "Torch.md": "# Torch\n\nA torch burns for one hour.\n"}


def test_forty_who_open_a_dense_file_leave_room_for_who_asks_and_reads(
    loaded: SearchContext, server: str, tmp_path: Path
) -> None:
    vault = write_vault(tmp_path / "vault", FILES)
    with (
        index_of(loaded, server, vault, rag_threshold=-9.0) as rules,
        serving(rules.settings) as client,
        ThreadPoolExecutor(40) as readers,
    ):

        def opened(number: int) -> int:
            file = "/vault/Dense.md?" if number % 2 else "/?source=Dense.md&"
            transport = httpx2.HTTPTransport(local_address="127.0.0.2")
            with httpx2.Client(base_url=client.base_url, timeout=120, transport=transport) as own:
                return own.get(f"{file}lines={number}").status_code

        begun = [readers.submit(opened, number) for number in range(1, 41)]
        served = [
            client.post("/ask", json={"question": "How long does a torch burn?"}),
            client.get("/readyz"),
            client.get("/vault/Torch.md"),  # they have taken no place of other readers
        ]
        still = sum(not one.done() for one in begun)
        assert [reply.status_code for reply in served] == [200, 200, 200]
        assert still > 0, "all files were shown first"
        shown = [one.result() for one in begun]
    assert set(shown) <= {200, 503}
    assert MOST_WAITING / 2 <= shown.count(200) <= MOST_WAITING


def test_a_page_that_is_known_is_not_sent_again(client: httpx2.Client) -> None:
    first = client.get("/vault/1. Light/Torches.md")
    etag = first.headers["etag"]
    again = client.get("/vault/1. Light/Torches.md", headers={"If-None-Match": f'"x", W/{etag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    other = client.get("/vault/1. Light/Torches.md?lines=3", headers={"If-None-Match": etag})
    assert (other.status_code, other.headers["etag"] != etag) == (200, True)


def test_a_page_is_made_once_and_again_when_its_file_has_changed(
    loaded: SearchContext, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[str]()

    def rendered(text: str, shown: Shown) -> process.Page:
        made.append(text)
        return with_outline(text, shown)

    monkeypatch.setattr(process, "rendered", rendered)
    text = "# Candle\n\nA candle burns for one hour.\n"  # which no other test has shown
    vault = write_vault(tmp_path / "vault", {"Candle.md": text})
    with index_of(loaded, server, vault) as rules, serving(rules.settings) as client:
        first, second = (client.get("/vault/Candle.md") for _ in range(2))
        assert (first.status_code, second.text) == (200, first.text)
        assert len(made) == 1
        (vault / "Candle.md").write_text(text.replace("one hour", "two hours"), "utf-8")
        third = client.get("/vault/Candle.md")
    assert "two hours" in third.text
    assert len(made) == 2


def test_a_long_file_is_made_into_the_same_page_by_another_process_or_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Shown(numbers=range(1, DENSE.count("\n") + 2), marked={3}, anchored=True)
    assert process.rendered(DENSE, shown) == with_outline(DENSE, shown)
    with monkeypatch.context() as patch:
        patch.setattr(process, "_SECONDS", 0.01)
        with pytest.raises(OverloadedError, match=r"longer than 0\.01 s"):
            process.rendered(DENSE, shown)
    assert process.rendered(DENSE, shown)[0]  # by a new one
