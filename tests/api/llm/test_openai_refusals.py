"""What POST /v1/chat/completions refuses: by the field's name, in the form of OpenAI's errors."""

import json
import re
from pathlib import Path

import httpx2
import pytest

from api.openai.request import parameter
from tests.support.llm.openai_client import BODY, MESSAGES, TORCH, refused


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tools", [{"type": "function", "function": {"name": "f"}}]),
        ("tool_choice", "required"),
        ("functions", [{"name": "f"}]),
        ("function_call", {"name": "f"}),
        ("n", 2),
        ("n", 0),
        ("response_format", {"type": "json_schema", "json_schema": {"name": "x"}}),
        ("response_format", {"type": "json_object"}),
        ("logprobs", True),
        ("top_logprobs", 3),
        ("audio", {"voice": "alloy"}),
        ("modalities", ["text", "audio"]),
        ("web_search_options", {"search_context_size": "low"}),
        ("web_search_options", {}),
        ("store", True),
        *((name, "x") for name in ("base_url", "api_key", "prompt", "system_prompt", "vault")),
        ("sql", "DROP TABLE chunk"),
        ("threshold", 0),
        ("max_tokens", 50),
        ("max_completion_tokens", 50),
        ("stop", ["burns"]),
        ("logit_bias", {"50256": -100}),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(
    client: httpx2.Client, field: str, value: object
) -> None:
    error = refused(client.post("/v1/chat/completions", json={**BODY, field: value}))
    assert (error["param"], error["code"]) == (field, "unsupported_parameter")
    assert error["message"].startswith(f"{field} is not supported")


def test_the_documented_fields_change_nothing(client: httpx2.Client) -> None:
    document = Path("docs/api.md").read_text("utf-8")
    (listed,) = re.findall(r"changing nothing: (.*?), and fields", document, re.DOTALL)
    fields = dict.fromkeys(re.findall(r"`(\w+)`", listed), "high")
    assert {"temperature", "metadata", "reasoning_effort"} < fields.keys()
    bodies = (BODY, {**BODY, **fields, "store": False})
    plain, tuned = (client.post("/v1/chat/completions", json=body).json() for body in bodies)
    assert plain["choices"] == tuned["choices"]


@pytest.mark.parametrize(
    ("changed", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": None}, "messages"),
        ({"messages": TORCH}, "messages"),
        ({"messages": [{"role": "system", "content": TORCH}]}, "messages"),
        ({"messages": [{"role": "user", "content": ""}]}, "messages"),
        ({"messages": [{"role": "user", "content": " \u200b\n"}]}, "messages"),
        ({"messages": [{"role": "user", "content": "x" * 5_000}]}, "messages"),
        ({"messages": [{"role": "user", "content": "a\0b"}]}, "messages"),
        ({"messages": [{"role": "user", "content": "half \ud800"}]}, "messages"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content"),
        ({"messages": [{"role": "tool", "content": TORCH}]}, "messages[0].role"),
        ({"messages": [*MESSAGES, {"content": TORCH}]}, "messages[1].role"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "messages[0].content[0]",
        ),
        ({"messages": MESSAGES * 1_001}, "messages"),
        ({"model": None}, "model"),
        ({"stream": "perhaps"}, "stream"),
        ({"stream_options": {"include_usage": "perhaps"}}, "stream_options.include_usage"),
    ],
)
def test_a_request_without_a_question_is_refused_by_name(
    client: httpx2.Client, changed: dict[str, object], param: str
) -> None:
    body = json.dumps({**BODY, **changed})
    headers = {"Content-Type": "application/json"}
    reply = client.post("/v1/chat/completions", content=body, headers=headers)
    assert refused(reply)["param"] == param


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b"[1]", b'{"model": ' + b"[" * 100_000, b"null"]
)
def test_a_body_that_is_no_request_is_a_400(client: httpx2.Client, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    error = refused(client.post("/v1/chat/completions", content=body, headers=headers))
    assert error["message"]


def test_a_body_over_the_limit_is_a_413(client: httpx2.Client) -> None:
    body = json.dumps({**BODY, "user": "x" * 300_000}).encode()
    headers = {"Content-Type": "application/json"}
    known = client.post("/v1/chat/completions", content=body, headers=headers)
    assert known.status_code == 413  # by its declared length: the framework's own words
    pieces = (body[start : start + 100_000] for start in range(0, len(body), 100_000))
    refused(client.post("/v1/chat/completions", content=pieces, headers=headers), 413)


@pytest.mark.parametrize("model", ["gpt-5", "", "rules-oracle ", "half \ud800"])
def test_another_model_is_not_found(client: httpx2.Client, model: str) -> None:
    body = json.dumps({**BODY, "model": model})
    headers = {"Content-Type": "application/json"}
    reply = client.post("/v1/chat/completions", content=body, headers=headers)
    assert refused(reply, 404)["code"] == "model_not_found"


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/chat/completions"), ("POST", "/v1/embeddings"), ("DELETE", "/v1/models/x")],
)
def test_the_rest_of_openai_is_not_here(client: httpx2.Client, method: str, path: str) -> None:
    error = refused(client.request(method, path), 404)
    assert error["code"] == "unknown_url"
    assert error["message"].startswith(f"there is no {method} {path};")


def test_errors_of_other_paths_keep_their_own_shape(client: httpx2.Client) -> None:
    reply = client.post("/ask", json={"question": ""})
    assert reply.headers["content-type"] == "application/problem+json"


def test_the_field_of_a_validation_error_is_written_as_openai_writes_it() -> None:
    assert parameter(("messages", 0, "content", "list[Part]", 1, "text")) == (
        "messages[0].content[1].text"
    )
    assert parameter(("stream_options", "include_usage")) == "stream_options.include_usage"
    assert parameter(()) is None
