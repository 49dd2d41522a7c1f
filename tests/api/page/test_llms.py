"""/llms.txt and /llms-full.txt: every file by its title and address, and every file whole."""

import socket
import time

import httpx2
import pytest

from api.page import turns
from tests.conftest import RULES


def test_llms_txt_lists_every_file_by_title_and_address(client: httpx2.Client) -> None:
    reply = client.get("/llms.txt")
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    lines = reply.text.split("\n")
    assert lines[0].startswith("# ")
    assert [line for line in lines if line.startswith("## ")] == ["## 1. Light", "## 2. Arms"]
    links = [line for line in lines if line.startswith("- ")]
    assert [line[3 : line.index("]")] for line in links] == ["Torches", "Hazards", "Weapons"]
    for line in links:
        assert client.get(line.split("](")[1].rstrip(")")).status_code == 200


def test_llms_full_txt_has_every_file_as_it_is_written(client: httpx2.Client) -> None:
    text = client.get("/llms-full.txt").text
    for path, rules in RULES.items():
        assert f"--- {path} ---\n\n{rules}" in text


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("llms.txt", "MOST_WAITING"),
        ("llms-full.txt", "MOST_WAITING"),
        ("llms-full.txt", "MOST_WHOLE"),
    ],
)
def test_both_have_the_limits_of_pages(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch, path: str, limit: str
) -> None:
    monkeypatch.setattr(turns, limit, 0)
    refused = client.get(f"/{path}")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")


def test_who_leaves_gives_the_place_back(
    client: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "MOST_WHOLE", 1)
    for _ in range(5):
        with socket.create_connection(
            (client.base_url.host, int(client.base_url.port or 0))
        ) as one:
            one.sendall(b"GET /llms-full.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    give_up = time.monotonic() + 60
    while client.get("/llms-full.txt").status_code != 200:
        assert time.monotonic() < give_up
        time.sleep(0.01)
