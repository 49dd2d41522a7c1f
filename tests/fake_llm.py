"""An OpenAI-compatible chat server on loopback that can misbehave, over real HTTP."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 321, "completion_tokens": 7, "total_tokens": 328}
_DRIP = 0.3  # seconds between bytes: less than the client's time-out for one read

# Replies that are wrong in themselves: status, content type, body.
BROKEN: dict[str, tuple[int, str, bytes]] = {
    "429": (429, "application/json", b'{"error": {"message": "slow down"}}'),
    "500": (500, "application/json", b'{"error": {"message": "internal"}}'),
    "502 with HTML": (502, "text/html", b"<html><h1>Bad Gateway</h1></html>"),
    "200 with HTML": (200, "text/html", b"<html><h1>Welcome</h1></html>"),
    "no JSON": (200, "application/json", b'{"choices": [{"message"'),
    "no body": (200, "application/json", b""),
    "deep JSON": (200, "application/json", b"[" * 100_000),
    "no choices": (200, "application/json", b'{"choices": []}'),
    "choices are no list": (200, "application/json", b'{"choices": {"a": 1}}'),
    "null": (200, "application/json", b"null"),
    "half a character": (
        200,
        "application/json",
        rb'{"choices": [{"message": {"content": "One hour \ud800 [1]."}}]}',
    ),
    "50 MB": (200, "application/json", b" " * 50_000_000),
}
# Replies that come late, cut, or from elsewhere.
UNFINISHED = (
    "silence",
    "headers, then silence",
    "a byte now and then",
    "headers, a byte now and then",
    "closes at once",
    "closes in the middle",
)
# Whole replies that hold no answer: content and finish_reason.
EMPTY: dict[str, tuple[str | None, str]] = {
    "null content": (None, "stop"),
    "empty content": ("", "stop"),
    "only spaces": (" \n", "stop"),
    "cut off by its length": ("One hour [1] and then", "length"),
    "cut off by a filter": ("One hour [1] and then", "content_filter"),
    "far too long": ("One hour [1]. " * 10_000, "stop"),
}
MISBEHAVIOUR = (*BROKEN, *UNFINISHED, *EMPTY, "redirect")


class FakeLlm:
    """Answers every chat completion with `reply`, or as `mode` (of MISBEHAVIOUR) says."""

    def __init__(self) -> None:
        self.forget()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def forget(self) -> None:
        """Begin anew: behave, and forget what was asked."""
        self.reply = "The passage says so [1]."
        self.mode = ""
        self.body: bytes | None = None  # sent instead of a completion, with status 200
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.hung_up = threading.Event()  # set when the client leaves in the middle of a reply
        self.stopped = threading.Event()

    @property
    def url(self) -> str:
        """The base URL, as OPENAI_BASE_URL wants it."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The messages of every request, as one text each."""
        return [
            "\n".join(message["content"] for message in request["messages"])
            for request in self.requests
        ]

    def shutdown(self) -> None:
        """End the server and free its port; twice is as good as once."""
        self.stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: FakeLlm


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        llm = self.server.owner
        llm.paths.append(self.path)
        llm.keys.append(self.headers["Authorization"])
        llm.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        try:
            self._answer(llm)
        except (BrokenPipeError, ConnectionResetError):
            llm.hung_up.set()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""

    def _answer(self, llm: FakeLlm) -> None:
        content, reason = EMPTY.get(llm.mode, (llm.reply, "stop"))
        good = llm.body if llm.body is not None else _completion(content, reason)
        if llm.mode in BROKEN:
            self._send(*BROKEN[llm.mode])
        elif llm.mode == "redirect" and self.path != "/elsewhere":
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif llm.mode in UNFINISHED:
            self._misbehave(llm, good)
        else:
            self._send(200, "application/json", good)

    def _misbehave(self, llm: FakeLlm, good: bytes) -> None:
        if llm.mode == "silence":
            llm.stopped.wait(20)
        elif llm.mode == "headers, then silence":
            self._begin(200, "application/json", len(good))
            llm.stopped.wait(20)
        elif llm.mode == "a byte now and then":
            self._begin(200, "application/json", len(good))
            self._drip(llm, good)
        elif llm.mode == "headers, a byte now and then":
            self._drip(llm, b"HTTP/1.1 200 OK\r\nX-Slow: yes\r\n")
        elif llm.mode == "closes in the middle":
            self._begin(200, "application/json", len(good))
            self.wfile.write(good[:20])

    def _drip(self, llm: FakeLlm, data: bytes) -> None:
        for byte in data:
            if llm.stopped.wait(_DRIP):
                return
            self.wfile.write(bytes([byte]))
            self.wfile.flush()

    def _begin(self, status: int, content_type: str, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.flush()

    def _send(self, status: int, content_type: str, body: bytes) -> None:
        self._begin(status, content_type, len(body))
        self.wfile.write(body)


def _completion(content: str | None, finish_reason: str) -> bytes:
    message = {"role": "assistant", "content": content}
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "fake",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": USAGE,
        }
    ).encode()
