"""The examples of docs/langchain.md, as they stand there, and what they are there for."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from langchain_core.messages import BaseMessageChunk
from langchain_openai import ChatOpenAI
from openai import DefaultHttpxClient
from pydantic import SecretStr

from api.openai.request import MODEL
from tests.support.source.documented import blocks, saved_as

DOCUMENT = "langchain.md"
TORCH, TORCHES = "How long does a torch burn?", "1. Light/Torches.md"
EXAMPLES = [code for code in blocks(DOCUMENT, "python") if "open_context" in code]
SAID = {  # the first words of what an example prints, by what it imports or makes
    "for document in": rf"{TORCHES}:\d+ \d+-\d+ \d\.\d\d\n",
    "as_context": rf"\[{TORCHES}:\d+\]\n(.|\n)*A torch burns for one hour\.",
    "retrieval.llama_index": rf"{TORCHES}:\d+ \d\.\d\d\n",
}


def printed(code: str, folder: Path) -> str:
    """What a program of these words prints, run in the folder as a reader runs it."""
    (folder / "example.py").write_text(code, "utf-8")
    source = {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=folder, env=os.environ | source,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_run() -> None:
    named = [[name for name in SAID if name in code] for code in EXAMPLES]
    assert sorted(named) == sorted([name] for name in SAID)
    others = [code for code in blocks(DOCUMENT, "python") if code not in EXAMPLES]
    assert others == [saved_as(DOCUMENT, "rules_chat.py")]


@pytest.mark.parametrize("name", SAID)
def test_an_example_over_an_index_prints_the_lines(name: str, indexed_environment: Path) -> None:
    (code,) = (one for one in EXAMPLES if name in one)
    assert re.match(SAID[name], printed(code, indexed_environment))


def test_the_documented_class_has_the_citations_of_a_stream(
    client: httpx2.Client, tmp_path: Path
) -> None:
    code = saved_as(DOCUMENT, "rules_chat.py")
    here = str(client.base_url).rstrip("/")
    assert code.count("http://127.0.0.1:8000/v1") == 1
    said = printed(code.replace("http://127.0.0.1:8000", here), tmp_path)
    asked = client.post("/ask", json={"question": TORCH}).json()
    assert asked["citations"]
    cited = [f"[{one['marker']}] {one['path']} {one['first_line']}" for one in asked["citations"]]
    assert said == "\n".join([asked["answer"], *cited]) + "\n"


def test_langchains_own_class_drops_the_citations_of_a_stream(client: httpx2.Client) -> None:
    """Where this fails, a release keeps them, and docs/langchain.md needs its class no more."""
    http = DefaultHttpxClient(limits=httpx2.Limits(max_keepalive_connections=0))
    url = f"{str(client.base_url).rstrip('/')}/v1"
    chat = ChatOpenAI(model=MODEL, base_url=url, api_key=SecretStr("any"), http_client=http)
    message: BaseMessageChunk | None = None
    for piece in chat.stream(TORCH):
        message = piece if message is None else message + piece
    assert message
    assert "A torch burns for one hour." in message.text
    assert message.additional_kwargs == {}
    kept = json.dumps(message.model_dump(exclude={"content"}), default=str)
    assert [name for name in ("citations", "annotations", "Torches.md") if name in kept] == []
