"""A small vault with questions for a retriever that is not ours, and a server that is one."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RULES, write_vault

TORCH, FALL = "A torch burns for one hour.", "A fall deals 1d6 for each 10' fallen."
QUESTIONS = (
    ("torch", "How long does a torch burn?", "1. Light/Torches.md", TORCH),
    ("falling", "damage from falling", "2. Arms/Hazards.md", FALL),
)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options that name a small vault with two questions, in a working folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_vault(tmp_path / "rules", RULES)
    lines = [
        {"id": i, "question": q, "kind": "prose", "split": "gate",
         "gold": [{"path": path, "quote": quote}]}
        for i, q, path, quote in QUESTIONS
    ]  # fmt: skip
    lines.append({"id": "off", "question": "Who won?", "kind": "offtopic", "split": "gate",
                  "why_unanswerable": "sports"})  # fmt: skip
    Path("q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return ["--dataset", "q.jsonl", "--vault", "rules"]


@contextmanager
def answering(
    status: int, body: bytes, seconds: float = 0.0, asked: list[Any] | None = None
) -> Iterator[str]:
    """Yield the URL of a server that answers every POST so, after so many seconds.

    What it is sent is appended to `asked`.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            if asked is not None:
                asked.append(json.loads(sent))
            time.sleep(seconds)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/search"
    server.shutdown()
    server.server_close()
