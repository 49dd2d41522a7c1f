"""Read a chat completion, whole or streamed: what comes out is a whole reply or a named fault."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
from pydantic import BaseModel

from api.llm.faults import Fault, LlmFault

_MOST_CHARACTERS = 10_000  # of a reply, should its server not keep to the tokens asked for


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's whole reply with the tokens that its server counted (0 where it did not say)."""

    text: str
    prompt_tokens: int
    completion_tokens: int


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """What is read of a completion; the client library itself would pass on any JSON."""

    choices: list[_Choice]
    usage: _Usage | None = None


class _Change(BaseModel):
    delta: _Message | None = None
    finish_reason: str | None = None


class _Chunk(BaseModel):
    """What is read of one event of a stream; the one that counts tokens has no choices."""

    choices: list[_Change] | None
    usage: _Usage | None = None


class _Report(BaseModel):
    """How servers say in the middle of a stream that they failed."""

    error: Any


def whole(response: httpx2.Response) -> Iterator[Reply]:
    """Yield the one reply of a response that is not streamed.

    Raises LlmFault where it is none, ValidationError where its shape is another.
    """
    kind = _media_type(response)
    if kind != "application/json" and not kind.endswith("+json"):
        raise LlmFault(Fault.NO_COMPLETION)
    completion = _Completion.model_validate_json(response.read())
    if not completion.choices:
        raise LlmFault(Fault.EMPTY)
    first = completion.choices[0]
    yield _checked(first.message.content or "", first.finish_reason, completion.usage)


def streamed(response: httpx2.Response) -> Iterator[str | Reply]:
    """Yield the pieces of a streamed reply as they come, then the whole reply.

    There is no Reply where the stream ends before the model did. Raises LlmFault for that and for
    all that `whole` does, ValidationError where an event's shape is another.
    """
    pieces: list[str] = []
    length = 0
    reason: str | None = None
    usage: _Usage | None = None
    ended = False
    for event in httpx2.EventSource(response):
        if ended := event.data == "[DONE]":
            break
        chunk = _chunk(event.data)
        usage = chunk.usage or usage
        for change in (chunk.choices or [])[:1]:
            reason = change.finish_reason or reason
            piece = (change.delta.content if change.delta else None) or ""
            pieces.append(piece)
            length += len(piece)
            _check_length(length)
            if piece:
                yield piece
    if reason is None and not ended:
        raise LlmFault(Fault.CUT)
    yield _checked("".join(pieces), reason, usage)


def _chunk(data: str) -> _Chunk:
    if not data:  # an event that only keeps the connection open
        return _Chunk(choices=None)
    if '"error"' in data and '"choices"' not in data:
        _Report.model_validate_json(data)
        raise LlmFault(Fault.FAILED, "it reported an error in its stream")
    return _Chunk.model_validate_json(data)


def _checked(content: str, reason: str | None, usage: _Usage | None) -> Reply:
    text = content.strip()
    _check_length(len(text))
    if reason == "length":
        raise LlmFault(Fault.TOO_LONG, f"{len(text):,} characters, then its limit of tokens")
    if reason == "content_filter":
        raise LlmFault(Fault.FILTERED)
    if not text:
        raise LlmFault(Fault.EMPTY)
    counted = usage or _Usage()
    return Reply(text, counted.prompt_tokens or 0, counted.completion_tokens or 0)


def _check_length(characters: int) -> None:
    if characters > _MOST_CHARACTERS:
        raise LlmFault(Fault.TOO_LONG, f"over {_MOST_CHARACTERS:,} characters")


def _media_type(response: httpx2.Response) -> str:
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()
