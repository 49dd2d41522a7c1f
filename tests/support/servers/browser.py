"""A headless Chromium, where there is one, and a loopback server that records what it fetches."""

import os
import shutil
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--virtual-time-budget=4000",
)  # fmt: skip
_TIMEOUT = 120  # seconds, on a machine that does much else


class Sink:
    """A server that gives `page` at "/" and records every other path that is asked for."""

    def __init__(self) -> None:
        self.page = ""
        self.requests: list[str] = []
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: Sink


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        sink = self.server.owner
        if self.path not in {"/", "/favicon.ico"}:
            sink.requests.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(sink.page.encode() if self.path == "/" else b"")

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""


def browse(sink: Sink, html: str) -> str:
    """Show a page in Chromium and return its document after four (virtual) seconds."""
    sink.page = f"<!doctype html><meta charset=utf-8>{html}"
    return document(f"{sink.url}/")


def chromium() -> str:
    """Return the browser's program: the one that CHROMIUM names, else the first one on PATH.

    Without one the test is skipped, or fails where REQUIRE_BROWSER is 1, as CI has it.
    """
    named = os.environ.get("CHROMIUM")
    program = shutil.which(named) if named else next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        reason = f"no browser here: none of {', '.join([named] if named else _NAMES)} is installed"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(f"{reason}, and REQUIRE_BROWSER=1 wants one")
        pytest.skip(reason)
    return program


def document(url: str, *flags: str) -> str:
    """Return the document at `url` as Chromium has it after running its scripts.

    Skips the test, or fails it, where there is no Chromium.
    """
    program = chromium()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        ran = subprocess.run(
            [program, *_FLAGS, f"--user-data-dir={Path(profile)}", *flags, "--dump-dom", url],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
