"""/llms.txt and /llms-full.txt: every file by its title and address, and every file whole."""

import httpx2

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
