"""POST /v1/chat/completions and GET /v1/models, called by OpenAI's own client over real HTTP."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
import pytest
from langchain_openai import ChatOpenAI
from openai import DefaultHttpxClient
from pydantic import SecretStr

from api.openai.request import MODEL
from retrieval.settings import Settings
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.llm.openai_client import BODY, MESSAGES, TORCH, client_of, refused
from tests.support.servers.serving import serving

REFUSAL = "The Oracle did not return any results for that rule."


@pytest.fixture(scope="module")
def model_client(with_model: Settings) -> Iterator[httpx2.Client]:
    """A client of an API that gives its model time: on a busy machine one second is short."""
    with serving(with_model.model_copy(update={"llm_timeout": 15.0})) as client:
        yield client


def test_the_models_are_one(client: httpx2.Client) -> None:
    caller = client_of(client)
    (only,) = caller.models.list().data
    assert (only.id, only.object, only.owned_by) == (MODEL, "model", "rules-oracle")
    assert caller.models.retrieve(MODEL) == only
    with pytest.raises(openai.NotFoundError) as caught:
        caller.models.retrieve("gpt-5")
    assert (caught.value.code, caught.value.param) == ("model_not_found", "model")


def test_an_answer_cites_pages_that_show_the_lines(client: httpx2.Client) -> None:
    completion = client_of(client).chat.completions.create(
        model=MODEL, messages=MESSAGES, temperature=0.7, top_p=0.5, user="me", n=1, seed=3
    )
    (choice,) = completion.choices
    asked = client.post("/ask", json={"question": TORCH}).json()
    assert asked["cards"]
    assert choice.message.content == asked["answer"]
    assert (choice.finish_reason, choice.message.role) == ("stop", "assistant")
    assert completion.usage
    assert completion.usage.total_tokens == 0
    assert completion.id.startswith("chatcmpl-")
    assert choice.message.annotations
    assert len(choice.message.annotations) == len(asked["cards"])
    for number, annotation in enumerate(choice.message.annotations, start=1):
        cited = annotation.url_citation
        assert asked["answer"][cited.start_index : cited.end_index] == f"[{number}]"
        citation = next(c for c in asked["citations"] if c["marker"] == number)
        assert cited.title == f"{citation['path']}: {citation['heading']}"
        assert cited.url.startswith(f"{str(client.base_url).rstrip('/')}/vault/")
        assert f"#L{citation['first_line']}" in cited.url
        assert client.get(cited.url).status_code == 200
    assert completion.model_extra == {"citations": asked["citations"]}


def test_citations_are_on_the_message_of_langchains_chat_model(client: httpx2.Client) -> None:
    asked = client.post("/ask", json={"question": TORCH}).json()
    http = DefaultHttpxClient(limits=httpx2.Limits(max_keepalive_connections=0))
    url = f"{str(client.base_url).rstrip('/')}/v1"
    chat = ChatOpenAI(model=MODEL, base_url=url, api_key=SecretStr("any"), http_client=http)
    message = chat.invoke(TORCH)
    assert message.text == asked["answer"]
    assert message.additional_kwargs["parsed"] == {"citations": asked["citations"]}
    assert asked["citations"]


def test_a_streamed_answer_is_the_answer_in_pieces(client: httpx2.Client) -> None:
    caller = client_of(client)
    whole = caller.chat.completions.create(model=MODEL, messages=MESSAGES)
    streamed = list(
        caller.chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
    )
    *chunks, last = streamed
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len(chunks) > 4
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [
        *[None] * (len(chunks) - 1),
        "stop",
    ]
    annotations = [
        note
        for chunk in chunks
        for note in (chunk.choices[0].delta.model_extra or {}).get("annotations", [])
    ]
    assert annotations == [note.model_dump() for note in whole.choices[0].message.annotations or []]
    deltas = [chunk.choices[0].delta.model_extra or {} for chunk in chunks]
    cited = [delta["citations"] for delta in deltas if "citations" in delta]
    assert cited == [(whole.model_extra or {})["citations"]]
    assert (last.choices, last.usage) == ([], whole.usage)
    assert len({chunk.id for chunk in streamed}) == 1


def test_a_stream_ends_with_done_and_has_usage_only_where_asked(client: httpx2.Client) -> None:
    reply = client.post("/v1/chat/completions", json={**BODY, "stream": True})
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    *events, end = reply.text.removesuffix("\n\n").split("\n\n")
    assert end == "data: [DONE]"
    for event in events:
        chunk = json.loads(event.removeprefix("data: "))
        assert chunk["object"] == "chat.completion.chunk"
        assert "usage" not in chunk
        assert len(chunk["choices"]) == 1
        assert None not in chunk["choices"][0]["delta"].values()


def test_a_chat_front_end_works_as_it_is(client: httpx2.Client) -> None:
    """As Open WebUI calls: models first, then a stream with fields of its own."""
    headers = {"Authorization": "Bearer sk-none", "X-OpenWebUI-User-Name": "A"}
    written = Path("docs/clients.md").read_text("utf-8")
    said = dict(re.findall(r"^([A-Z_]+)=(\S+)$", written, re.MULTILINE))
    base = urlsplit(said["OPENAI_API_BASE_URL"]).path
    models = client.get(f"{base}/models", headers=headers).json()
    assert [one["id"] for one in models["data"]] == [said["DEFAULT_MODELS"]]
    body = {
        "stream": True,
        "model": models["data"][0]["id"],
        "messages": [
            {"role": "system", "content": "You are a pirate. Answer in French."},
            {"role": "user", "content": "What does a dagger cost?"},
            {"role": "assistant", "content": "3 gp [1]", "annotations": [], "tool_calls": None},
            {"role": "user", "content": [{"type": "text", "text": TORCH}]},
        ],
        "params": {},
        "features": {"image_generation": False, "code_interpreter": False, "web_search": False},
        "variables": {"{{USER_NAME}}": "A"},
        "model_item": {"id": MODEL, "name": MODEL},
        "session_id": "QpZ0",
        "chat_id": "0b0c",
        "id": "7f1e",
        "background_tasks": {"title_generation": True, "tags_generation": True},
        "stream_options": {"include_usage": True},
        "tools": [],
        "tool_choice": None,
    }
    with client.stream("POST", f"{base}/chat/completions", json=body, headers=headers) as reply:
        assert reply.status_code == 200
        events = [line.removeprefix("data: ") for line in reply.iter_lines() if line]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    assert "burns for one hour" in text
    assert any(c["choices"] and c["choices"][0]["delta"].get("annotations") for c in chunks)
    assert chunks[-1]["usage"]["total_tokens"] == 0


def test_the_title_that_a_front_end_asks_for_is_an_error_that_it_can_bear(
    client: httpx2.Client,
) -> None:
    task = "### Task:\nGenerate a concise title for the chat.\n" + "USER: torches burn\n" * 200
    body = {"model": MODEL, "messages": [{"role": "user", "content": task}], "stream": False}
    error = refused(client.post("/v1/chat/completions", json=body))
    assert (error["param"], error["code"]) == ("messages", "QuestionError")


@pytest.mark.parametrize(
    "before",
    [
        [("user", TORCH), ("assistant", "Daggers cost 3 gp.")],
        [("user", "x" * 4_001), ("user", TORCH)],
    ],
    ids=["with an answer between", "after one that was too long"],
)
def test_a_follow_up_is_searched_with_what_the_user_asked_before(
    client: httpx2.Client, before: list[tuple[str, str]]
) -> None:
    said = [*before, ("user", "And in water?")]
    messages: list[Any] = [{"role": role, "content": text} for role, text in said]
    given = client_of(client).chat.completions.create(model=MODEL, messages=messages)
    asked = {"question": "And in water?", "history": [TORCH]}
    assert given.choices[0].message.content == client.post("/ask", json=asked).json()["answer"]


def test_nobody_but_the_user_is_heard(model_client: httpx2.Client, llm: FakeLlm) -> None:
    messages: list[Any] = [
        {"role": "system", "content": "CANARY-S"},
        {"role": "developer", "content": "CANARY-D"},
        {"role": "assistant", "content": "CANARY-A"},
        {"role": "user", "content": TORCH},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "CANARY-R"}]},
    ]
    llm.reply = "It burns for one hour [1]."
    given = client_of(model_client).chat.completions.create(
        model=MODEL, messages=messages, temperature=2, presence_penalty=1
    )
    assert given.choices[0].message.content == "It burns for one hour [1]."
    assert given.usage
    assert given.usage.prompt_tokens == USAGE["prompt_tokens"]
    assert given.usage.total_tokens == USAGE["total_tokens"]
    (request,) = llm.requests
    assert "CANARY" not in json.dumps(request)
    assert (request["temperature"], "stop" in request) == (0, False)


def test_a_refusal_is_text_and_refusal_without_annotations(
    model_client: httpx2.Client, llm: FakeLlm
) -> None:
    llm.reply = REFUSAL
    given = client_of(model_client).chat.completions.create(model=MODEL, messages=MESSAGES)
    message = given.choices[0].message
    assert (message.content, message.annotations, message.refusal) == (REFUSAL, [], REFUSAL)


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_fails_is_an_error_and_never_a_stream(
    model_client: httpx2.Client, llm: FakeLlm, stream: bool
) -> None:
    llm.mode = "500"
    with pytest.raises(openai.InternalServerError) as caught:
        client_of(model_client).chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=stream
        )
    assert caught.value.type == "server_error"
    assert "OPENAI_BASE_URL" in caught.value.message
    refused(model_client.post("/v1/chat/completions", json=BODY), caught.value.status_code)
