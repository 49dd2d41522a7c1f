"""Run by the Python of a peer's own environment: one quickstart, asked in JSON lines.

`python serve.py MODULE FOLDER OPTIONS`. A module's `quickstart(embed, folder, **options)` returns
an object with `packages`, whose versions are printed, `index()` and `update()` by the means that
the library has, and `search(question, count)`: text and path of the best passages, best first.

Nothing of ours can be imported there, and what the library prints goes to stderr. First comes
{"versions": {…}}, then for each line that is read one is written: {"do": "index"},
{"do": "update"} and {"do": "search", "question", "count"}. {"embed": […]} that is written in
between is answered with the vectors of these texts. A library that raises ends the process, with
its traceback on stderr.
"""

import importlib
import json
import os
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main(module: str, folder: str, options: str) -> None:
    """Answer each line of stdin until it ends."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no line of ours
    asking = threading.Lock()  # a library may have threads

    def embed(texts: list[str]) -> list[list[float]]:
        with asking:
            _say(lines, {"embed": texts})
            vectors: list[list[float]] = json.loads(sys.stdin.readline())
        return vectors

    quickstart = importlib.import_module(module).quickstart
    made = quickstart(embed, Path(folder), **json.loads(options))
    _say(lines, {"versions": {name: version(name) for name in made.packages}})
    while line := sys.stdin.readline():
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
