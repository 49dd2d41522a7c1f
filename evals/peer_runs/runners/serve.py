"""Run by the Python of a peer's own environment: one quickstart, asked in JSON lines.

`python serve.py MODULE URL FOLDER OPTIONS`. Nothing of ours can be imported there, and what the
library prints goes to stderr. First comes {"versions": {…}}, then for each line that is read one is
written: {"do": "index"}, {"do": "update"} and {"do": "search", "question", "count"}. A library that
raises ends the process, with its traceback on stderr.
"""

import http.client
import importlib
import json
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

Embed = Callable[[list[str]], list[list[float]]]


class Quickstart(Protocol):
    """What a module's `quickstart(embed, folder, **options)` returns."""

    packages: tuple[str, ...]  # whose versions are printed

    def index(self) -> None:
        """Index the folder for the first time."""

    def update(self) -> None:
        """Bring the index into step with the folder, by the means that the library has."""

    def search(self, question: str, count: int) -> list[tuple[str, str]]:
        """Return text and path of the best passages, best first."""


def embedding(url: str) -> Embed:
    """Return what asks an endpoint of OpenAI's shape, over one connection that stays open."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port)

    def embed(asked: list[str]) -> list[list[float]]:
        body = json.dumps({"model": "ours", "input": asked})
        connection.request("POST", f"{address.path}/embeddings", body.encode())
        reply = json.loads(connection.getresponse().read())
        return [row["embedding"] for row in reply["data"]]

    return embed


def main(module: str, url: str, folder: str, options: str) -> None:
    """Answer each line of stdin until it ends."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no line of ours
    quickstart = importlib.import_module(module).quickstart
    made: Quickstart = quickstart(embedding(url), Path(folder), **json.loads(options))
    _say(lines, {"versions": {name: version(name) for name in made.packages}})
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "search":
            found = made.search(asked["question"], asked["count"])
            _say(lines, {"passages": [{"text": text, "path": path} for text, path in found]})
        else:
            (made.index if asked["do"] == "index" else made.update)()
            _say(lines, {})


def _say(lines: Any, reply: object) -> None:
    lines.write(json.dumps(reply) + "\n")
    lines.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
