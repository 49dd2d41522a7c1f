"""A language model that follows a script: a real chat server on loopback, without any model.

It reads the passages of the prompt and replies as its script says, rightly or wrong in one known
way, so that what leaves the API can be measured without a key and equally every time.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from api.answer import prompt
from evals.answers.fake_replies import Prompt, Replied, Script
from evals.labels.dataset import Question

_PASSAGE = re.compile(r"<passage-(\w+) number=\d+[^>\n]*>\n(.*?)\n</passage-\1>", re.DOTALL)


class ScriptedModel:
    """The server. Say with `turn` which question comes next; `planted` is what its reply hid.

    `planted` holds the words of the last reply that must not leave the API; `replies` counts the
    requests that had passages. A request that is not understood gets status 400, which is an error
    of the answer that was asked for, so it is never taken for a good one.
    """

    def __init__(self, script: Script) -> None:
        self.planted: tuple[str, ...] = ()
        self.replies = 0
        self._script = script
        self._question: Question | None = None
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        serve = {"poll_interval": 0.02}
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs=serve, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL, as OPENAI_BASE_URL wants it."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def turn(self, question: Question) -> None:
        """Begin with the next question: its labels are what the script knows of the answer."""
        self._question, self.planted = question, ()

    def reply(self, messages: list[dict[str, str]]) -> str:
        """Return the reply to a prompt; ValueError where it is none that a script can read."""
        if self._question is None:
            raise ValueError("no question was announced")
        text = "\n".join(str(message["content"]) for message in messages)
        passages = tuple(match[2] for match in _PASSAGE.finditer(text))
        if not passages:  # no question of rules: to make a follow-up stand for itself
            return " ".join([*self._question.history[-1:], self._question.question])
        may_refuse = prompt.REFUSAL in str(messages[0]["content"])
        made: Replied = self._script(self._question, Prompt(passages, may_refuse))
        self.planted = made.planted
        self.replies += 1
        return made.text

    def close(self) -> None:
        """End the server and free its port."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@contextmanager
def scripted(script: Script) -> Iterator[ScriptedModel]:
    """Yield a running model, which is closed in the end."""
    model = ScriptedModel(script)
    try:
        yield model
    finally:
        model.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: ScriptedModel


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            text = self.server.owner.reply(request["messages"])
        except (ValueError, KeyError, TypeError) as error:
            self._send(400, "application/json", {"error": {"message": str(error)}})
            return
        if request.get("stream"):
            self._stream(text)
        else:
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._send(200, "application/json", _completion(text, [choice]))

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""

    def _stream(self, text: str) -> None:
        pieces = [piece for piece in re.split(r"(?<=\s)", text) if piece]
        choices: list[dict[str, Any]] = [
            {"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces
        ]
        choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        events = [_completion(text, [choice]) for choice in choices] + [_completion(text, [])]
        data = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self._send(200, "text/event-stream", data)

    def _send(self, status: int, kind: str, body: object) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _completion(text: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    words = len(text.split())
    usage = {"prompt_tokens": 0, "completion_tokens": words, "total_tokens": words}
    return {
        "id": "chatcmpl-script", "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": choices, "usage": usage,
    }  # fmt: skip
