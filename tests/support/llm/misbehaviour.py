"""How a language model's server can misbehave: the modes of `fake_llm`, and what it sends."""

JSON, EVENTS = "application/json", "text/event-stream"

# Replies that are wrong in themselves: status, content type, body.
BROKEN: dict[str, tuple[int, str, bytes]] = {
    "429": (429, JSON, b'{"error": {"message": "slow down"}}'),
    "401": (401, JSON, b'{"error": {"message": "who are you?"}}'),
    "500": (500, JSON, b'{"error": {"message": "internal"}}'),
    "502 with HTML": (502, "text/html", b"<html><h1>Bad Gateway</h1></html>"),
    "503": (503, JSON, b'{"error": {"message": "loading"}}'),
    "200 with HTML": (200, "text/html", b"<html><h1>Welcome</h1></html>"),
    "another content type": (200, "text/plain", b'{"choices": [{"message": {"content": "1"}}]}'),
    "no JSON": (200, JSON, b'{"choices": [{"message"'),
    "no body": (200, JSON, b""),
    "deep JSON": (200, JSON, b"[" * 100_000),
    "no choices": (200, JSON, b'{"choices": []}'),
    "choices are no list": (200, JSON, b'{"choices": {"a": 1}}'),
    "null": (200, JSON, b"null"),
    "half a character": (200, JSON, rb'{"choices": [{"message": {"content": "\ud800 [1]."}}]}'),
    "50 MB": (200, JSON, b" " * 50_000_000),
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
REDIRECTS = {"redirect": "/elsewhere", "redirect to metadata": "http://169.254.169.254/latest"}
MISBEHAVIOUR = (*BROKEN, *UNFINISHED, *EMPTY, *REDIRECTS, "packed")
# Of these the client asks once more.
RETRIED = {"429", "500", "502 with HTML", "503", "closes at once", "closes in the middle"}
# The body of a stream after its first piece, in place of the rest.
BROKEN_STREAMS: dict[str, bytes] = {
    "stream: invalid JSON": b'data: {"choices": [{"delta"\n\ndata: [DONE]\n\n',
    "stream: two JSON in one event": b'data: {"choices": []}{"choices": []}\n\ndata: [DONE]\n\n',
    "stream: an error": b'data: {"error": {"message": "out of memory"}}\n\ndata: [DONE]\n\n',
    "stream: no choices": b'data: {"object": "chunk"}\n\ndata: [DONE]\n\n',
    "stream: no end": b"",
    "stream: half an event": b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n',
    "stream: 50 MB": (b": " + b"x" * 996 + b"\n\n") * 50_000,
}
# Events that servers really send, and that are no fault.
ODD_EVENTS = [
    b": ping\n\n",
    b"data:\n\n",
    b'data: {"choices": []}\r\n\r\n',
    b'data: {"choices": [{"delta": null}]}\n\n',
    b'event: x\ndata: {"choices": [{"delta": {"role": "assistant", "content": null}}]}\n\n',
]
