"""An OpenAI-compatible chat server on loopback that can misbehave, over real HTTP."""

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.llm.misbehaviour import (
    BROKEN,
    BROKEN_STREAMS,
    EMPTY,
    EVENTS,
    JSON,
    ODD_EVENTS,
    REDIRECTS,
    UNFINISHED,
)

USAGE = {"prompt_tokens": 321, "completion_tokens": 7, "total_tokens": 328}
_DRIP = 0.3  # seconds between bytes: less than the client's time-out for one read


class FakeLlm:
    """Answers every chat completion with `reply`, or as a mode says.

    The first of `modes` is for the next request only; after these, `mode` holds.
    """

    def __init__(self) -> None:
        self.forget()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def forget(self) -> None:
        """Begin again: behave, and forget what was asked."""
        self.reply = "A torch burns for one hour [1]."
        self.mode = ""
        self.modes: list[str] = []
        self.retry_after: str | None = None  # a header of the replies in BROKEN
        self.refuses = "nothing"  # "all", or requests with a field of this name get a 400
        self.pace = 0.0  # seconds before each piece of a stream, which is a word
        self.odd_events = False  # send ODD_EVENTS before every stream
        self.before_reply: Callable[[], None] = lambda: None
        self.body: bytes | None = None  # sent instead of a completion, with status 200
        self.requests: list[dict[str, Any]] = []
        self.times: list[float] = []  # of the requests, monotonic
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.traceparents: list[str] = []  # where a request brought one
        self.hung_up = threading.Event()  # set when the client leaves in the middle of a reply
        self.hangups: list[float] = []  # when clients left, monotonic
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
    request_queue_size = 128  # a hundred clients may come at once
    owner: FakeLlm


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        llm = self.server.owner
        stopped = llm.stopped  # the next test has another one
        llm.times.append(time.monotonic())
        llm.paths.append(self.path)
        llm.keys.append(self.headers["Authorization"])
        llm.traceparents += self.headers.get_all("traceparent", [])
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        llm.requests.append(request)
        mode = llm.modes.pop(0) if llm.modes else llm.mode
        llm.before_reply()
        try:
            if llm.refuses == "all" or llm.refuses in request:
                self._send(400, JSON, b'{"error": {"message": "what is response_format?"}}')
                return
            self._answer(llm, mode, stopped, streamed=bool(request.get("stream")))
        except (BrokenPipeError, ConnectionResetError):
            llm.hangups.append(time.monotonic())
            llm.hung_up.set()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""

    def _answer(self, llm: FakeLlm, mode: str, stopped: threading.Event, *, streamed: bool) -> None:
        content, reason = EMPTY.get(mode, (llm.reply, "stop"))
        good = llm.body if llm.body is not None else _completion(content, reason)
        kind = JSON
        if streamed and llm.body is None:
            good, kind = b"".join(_events(content, reason)), EVENTS
        if mode in BROKEN:
            self._send(*BROKEN[mode], llm.retry_after)
        elif mode in REDIRECTS and self.path != "/elsewhere":
            self._begin(307, kind, 0, {"Location": REDIRECTS[mode]})
        elif mode == "packed":
            self._begin(200, kind, len(good), {"Content-Encoding": "gzip"})
            self.wfile.write(good)
        elif mode in UNFINISHED:
            self._misbehave(mode, stopped, good, kind)
        elif kind == EVENTS:
            self._stream(llm, stopped, mode, list(_events(content, reason)))
        else:
            self._send(200, kind, good)

    def _stream(
        self, llm: FakeLlm, stopped: threading.Event, mode: str, events: list[bytes]
    ) -> None:
        self._begin(200, EVENTS, None)  # it ends where the connection does, as of HTTP/1.0
        if mode in BROKEN_STREAMS:
            self.wfile.write(events[0] + BROKEN_STREAMS[mode])
            return
        for event in [*(ODD_EVENTS if llm.odd_events else []), *events]:
            self._wait(stopped, llm.pace)
            self.wfile.write(event)
            self.wfile.flush()

    def _misbehave(self, mode: str, stopped: threading.Event, good: bytes, kind: str) -> None:
        if mode == "silence":
            self._wait(stopped, 20)
        elif mode == "headers, then silence":
            self._begin(200, kind, len(good))
            self._wait(stopped, 20)
        elif mode == "a byte now and then":
            self._begin(200, kind, len(good))
            self._drip(stopped, good)
        elif mode == "headers, a byte now and then":
            self._drip(stopped, b"HTTP/1.1 200 OK\r\nX-Slow: yes\r\n")
        elif mode == "closes in the middle":
            self._begin(200, kind, len(good))
            self.wfile.write(good[:20])

    def _drip(self, stopped: threading.Event, data: bytes) -> None:
        for byte in data:
            self._wait(stopped, _DRIP)
            self.wfile.write(bytes([byte]))
            self.wfile.flush()

    def _wait(self, stopped: threading.Event, seconds: float) -> None:
        """Wait; raise BrokenPipeError as soon as the client has left or the server stops."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if stopped.is_set():
                raise BrokenPipeError
            readable, _, _ = select.select([self.connection], [], [], min(left, 0.02))
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                raise BrokenPipeError

    def _begin(
        self, status: int, kind: str, length: int | None, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.flush()

    def _send(self, status: int, kind: str, body: bytes, retry_after: str | None = None) -> None:
        self._begin(status, kind, len(body), {"Retry-After": retry_after} if retry_after else None)
        self.wfile.write(body)


def _completion(content: str | None, finish_reason: str) -> bytes:
    message = {"role": "assistant", "content": content}
    return _encoded({"index": 0, "message": message, "finish_reason": finish_reason})


def _events(content: str | None, finish_reason: str) -> Iterator[bytes]:
    """Yield a stream as OpenAI sends it: a word an event, the end, the usage, the mark."""
    words = [content] if content is None else content.split(" ")
    for number, word in enumerate(words):
        delta = {"content": f" {word}" if number else word}
        yield b"data: %s\n\n" % _encoded({"index": 0, "delta": delta, "finish_reason": None}, {})
    end = {"index": 0, "delta": {}, "finish_reason": finish_reason}
    yield b"data: %s\n\n" % _encoded(end, {})
    yield b"data: %s\n\n" % _encoded(None)
    yield b"data: [DONE]\n\n"


def _encoded(choice: dict[str, Any] | None, usage: dict[str, int] = USAGE) -> bytes:
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "created": 1,
            "model": "fake",
            "choices": [choice] if choice else [],
            "usage": usage or None,
        }
    ).encode()
