"""Bodies that are no question: each is refused with the field and the reason."""

import gzip
import json
from typing import Any

import httpx2
import pytest

from retrieval.context import SearchContext

WHERE = ["/ask", "/search"]
QUESTION = "How long does a torch burn?"
# Body and what the reason names.
WRONG: dict[str, tuple[Any, str]] = {
    "no question": ({}, "question"),
    "empty": ({"question": ""}, "question"),
    "only spaces": ({"question": " \t\n\u00a0\u3000"}, "question"),
    "only invisible characters": ({"question": "\u200b\u2060\ufeff"}, "question"),
    "10,000 characters": ({"question": "x" * 10_000}, "question"),
    "too many word pieces": ({"question": "torch " * 600}, "question"),
    "NUL": ({"question": "a\0torch"}, "question"),
    "half a character": ({"question": "torch \ud800"}, "question"),
    "a number": ({"question": 7}, "question"),
    "a truth": ({"question": True}, "question"),
    "null": ({"question": None}, "question"),
    "a list": ({"question": [QUESTION]}, "question"),
    "an object": ({"question": {"text": QUESTION}}, "question"),
    "top_k 0": ({"question": QUESTION, "top_k": 0}, "top_k"),
    "top_k 51": ({"question": QUESTION, "top_k": 51}, "top_k"),
    "top_k -1": ({"question": QUESTION, "top_k": -1}, "top_k"),
    "top_k as text": ({"question": QUESTION, "top_k": "3"}, "top_k"),
    "top_k as a fraction": ({"question": QUESTION, "top_k": 2.5}, "top_k"),
    "top_k as a truth": ({"question": QUESTION, "top_k": True}, "top_k"),
    "top_k of 400 digits": ({"question": QUESTION, "top_k": 10**400}, "top_k"),
    "a long question before": ({"question": QUESTION, "history": ["x" * 4_001]}, "history.0"),
    "an array": ([QUESTION], "body"),
    "a string": (QUESTION, "body"),
    "null alone": (None, "body"),
    "a field with half a character": ({"question": QUESTION, "\ud800": 1}, "body"),
}
# Sent as they are.
BYTES: dict[str, bytes] = {
    "no JSON": b"How long does a torch burn?",
    "nothing": b"",
    "cut": b'{"question": "How long',
    "no UTF-8": b'{"question": "\xff\xfe"}',
    "UTF-16": '{"question": "torch"}'.encode("utf-16")[:-1],
    "deep": b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a number of 5,000 digits": b'{"question": "torch", "top_k": ' + b"9" * 5_000 + b"}",
    "NaN": b'{"question": "torch", "top_k": NaN}',
}
JSON = {"Content-Type": "application/json"}
ASKED = b'{"question": "torch"}'
FOREIGN = ["model", "prompt", "base_url", "temperature", "threshold", "vault", "messages", "sql"]


def refused(reply: httpx2.Response, status: int = 422) -> str:
    """Return the reason of a refusal, after a look at its form."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    assert problem["title"]
    assert problem["request_id"] == reply.headers["X-Request-ID"]
    reason: str = problem["detail"]
    assert "Traceback" not in reason
    return reason


@pytest.mark.proves("row 27", "promise 8")
@pytest.mark.parametrize("path", WHERE)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_body_is_a_422_that_names_the_field(
    client: httpx2.Client, name: str, path: str
) -> None:
    body, named = WRONG[name]
    headers = {"Content-Type": "application/json"}
    reason = refused(client.post(path, content=json.dumps(body), headers=headers))
    assert named in reason
    assert len(reason) < 500  # the value is not echoed


@pytest.mark.proves("row 27")
@pytest.mark.parametrize("name", BYTES)
def test_a_body_that_is_no_json_is_a_422(client: httpx2.Client, name: str) -> None:
    headers = {"Content-Type": "application/json"}
    reason = refused(client.post("/ask", content=BYTES[name], headers=headers))
    assert "body" in reason or "top_k" in reason


@pytest.mark.parametrize(
    ("headers", "body", "reason"),
    [
        ({}, ASKED, "body: there is no Content-Type; send application/json"),
        ({"Content-Type": "text/plain"}, ASKED, "body: Content-Type is 'text/plain'; send applic"),
        (
            {"Content-Encoding": "gzip"},
            gzip.compress(ASKED, mtime=0),
            "Content-Encoding 'gzip' is not read",
        ),
        ({"Content-Encoding": "gzip"}, ASKED, "Content-Encoding 'gzip' is not read"),
        (JSON, '{"question": "Zürich"}'.encode("latin-1"), "body: byte 15 is not UTF-8"),
        (JSON, b"[" * 5_000, "body: nested too deeply"),
        (JSON, BYTES["a number of 5,000 digits"], "body: a number with too many digits"),
        (JSON, b'{"question": "a", "question": "b"}', "body: the name 'question' is there twice"),
        (JSON, b"null", "body: Input should be a JSON object"),
        (JSON, b"[]", "body: Input should be a JSON object"),
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/feedback", "/v1/chat/completions"])
def test_an_odd_body_is_told_what_is_odd(
    client: httpx2.Client, path: str, headers: dict[str, str], body: bytes, reason: str
) -> None:
    given = headers if "Content-Type" in headers or not headers else {**JSON, **headers}
    reply = client.post(path, content=body, headers=given)
    assert reply.status_code == (400 if path.startswith("/v1") else 422)
    told = reply.json()
    assert reason in (told["error"]["message"] if path.startswith("/v1") else told["detail"])


@pytest.mark.proves("row 39", "row 36")
@pytest.mark.parametrize("path", WHERE)
@pytest.mark.parametrize("field", FOREIGN)
def test_what_is_the_operators_to_say_is_no_field(
    client: httpx2.Client, field: str, path: str
) -> None:
    reply = client.post(path, json={"question": QUESTION, field: "http://169.254.169.254/"})
    reason = refused(reply)
    assert field in reason
    assert "169.254" not in reason


@pytest.mark.proves("row 28", "promise 8")
def test_a_body_of_10_mb_is_refused_unread(client: httpx2.Client) -> None:
    body = json.dumps({"question": "x" * 10_000_000})
    reply = client.post("/ask", content=body, headers={"Content-Type": "application/json"})
    assert "too large" in refused(reply, status=413)
    for path in ("/feedback", "/page/ask", "/v1/chat/completions", "/mcp"):
        assert client.post(path, content=body[:300_000], headers=JSON).status_code == 413, path
    assert client.post("/sign-in", data={"key": body[:300_000], "to": "/"}).status_code == 413


@pytest.mark.proves("row 28", "promise 8")
def test_a_body_in_pieces_is_counted_as_well(client: httpx2.Client) -> None:
    pieces = (b"x" * 100_000 for _ in range(10))
    reply = client.post("/ask", content=pieces, headers={"Content-Type": "application/json"})
    refused(reply, status=413)


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/ask", 405)]
)
def test_the_frameworks_own_errors_have_the_same_form(
    client: httpx2.Client, method: str, path: str, status: int
) -> None:
    refused(client.request(method, path), status=status)


@pytest.mark.proves("promise 4")
def test_the_longest_question_is_answered_and_not_cut(
    client: httpx2.Client, search_context: SearchContext
) -> None:
    room = search_context.embedder.limit - 2
    assert client.post("/ask", json={"question": "torch " * room}).status_code == 200
    assert "shorten it" in refused(client.post("/ask", json={"question": "torch " * (room + 1)}))


def test_odd_but_readable_questions_are_answered(client: httpx2.Client) -> None:
    odd = ("?", "'; DROP TABLE chunk; --", "\u202etorch", "🔥", "torch & !axe | (", "[1]")
    for question in odd:
        assert client.post("/ask", json={"question": question}).status_code == 200, question
    assert client.post("/ask", json={"question": QUESTION, "top_k": None}).status_code == 200


def test_whatever_needs_a_key_lists_that_wrong_ones_are_too_many(client: httpx2.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    found = [
        (path, method)
        for path, methods in paths.items()
        for method, one in methods.items()
        if "401" in one["responses"]
    ]
    assert {("/status", "get"), ("/v1/models", "get")} < set(found)
    assert not [one for one in found if "429" not in paths[one[0]][one[1]]["responses"]]


def test_the_description_lists_openais_errors_and_the_types_of_what_is_streamed(
    client: httpx2.Client,
) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    wanted = {
        ("/v1/chat/completions", "post"): {"401", "403", "413", "429", "502", "503"},
        ("/v1/models", "get"): {"401", "403", "429"},
        ("/v1/models/{model}", "get"): {"401", "403", "404", "429"},
    }
    for (path, method), statuses in wanted.items():
        described = paths[path][method]["responses"]
        assert statuses <= described.keys(), path
        for status in statuses:
            schema = described[status]["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorReply"}
    streamed = paths["/v1/chat/completions"]["post"]["responses"]["200"]["content"]
    assert streamed.keys() == {"application/json", "text/event-stream"}
    text = paths["/llms-full.txt"]["get"]["responses"]["200"]["content"]
    assert text == {"text/plain": {"schema": {"type": "string"}}}
