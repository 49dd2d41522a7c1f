"""An answer in the shape of OpenAI's chat completions, whole or as the events of a stream."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any, Literal

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as Change
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.chat.chat_completion_message import Annotation, AnnotationURLCitation

from api.openai.request import MODEL
from api.schema.answer import Answer
from api.sources import vault_links

_MARKER = re.compile(r"\[(\d+)\]", re.ASCII)
_PIECE = re.compile(r".{1,40}(?:\s+|$)|.{1,40}", re.DOTALL)  # whole words where they are shorter


def completion(given: Answer, base_url: str) -> ChatCompletion:
    """Return an answer as one reply; its annotations link to the vault below `base_url`."""
    usage = given.usage
    cited = [citation.model_dump(mode="json") for citation in given.citations]
    beside: dict[str, Any] = {"citations": cited}
    message = ChatCompletionMessage(
        role="assistant",
        content=given.answer,
        refusal=given.answer if given.refused else None,  # content has it too, for front ends
        annotations=_annotations(given, base_url),
        **{"parsed": beside},  # the one field beside OpenAI's that ChatOpenAI of LangChain keeps
    )
    return ChatCompletion(
        id=f"chatcmpl-{given.request_id}",
        object="chat.completion",
        created=int(time.time()),
        model=MODEL,
        system_fingerprint=given.generation,
        choices=[Choice(index=0, message=message, finish_reason="stop", logprobs=None)],
        usage=CompletionUsage(
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            total_tokens=usage.prompt_tokens + usage.completion_tokens,
        ),
        **beside,
    )


def _annotations(given: Answer, base_url: str) -> list[Annotation]:
    """One for every marker in the text, in the order of the text; places in code points."""
    # Of the lines of one card the first: that is where its text begins.
    cited = {citation.marker: citation for citation in reversed(given.citations)}
    return [
        Annotation(
            type="url_citation",
            url_citation=AnnotationURLCitation(
                url=base_url.rstrip("/")
                + vault_links.link(found.path, found.first_line, found.last_line),
                title=f"{found.path}: {found.heading}",
                start_index=match.start(),
                end_index=match.end(),
            ),
        )
        for match in _MARKER.finditer(given.answer)
        if (found := cited.get(int(match[1]))) is not None
    ]


def events(completion: ChatCompletion, *, with_usage: bool) -> Iterator[str]:
    """Yield a reply in pieces, as server-sent events."""
    message = completion.choices[0].message
    yield _event(completion, {"role": "assistant", "content": ""})
    for piece in _PIECE.findall(message.content or ""):
        yield _event(completion, {"content": piece})
    if message.annotations:
        cited = (completion.model_extra or {})["citations"]
        yield _event(completion, {"annotations": message.annotations, "citations": cited})
    yield _event(completion, {}, "stop")
    if with_usage:
        yield _event(completion, usage=completion.usage)
    yield "data: [DONE]\n\n"


def _event(
    completion: ChatCompletion,
    delta: dict[str, Any] | None = None,
    reason: Literal["stop"] | None = None,
    usage: CompletionUsage | None = None,
) -> str:
    """One chunk: its delta names only what it adds, and the one with the usage has no choice."""
    change = ChoiceDelta.model_validate(delta or {})
    chunk = ChatCompletionChunk(
        id=completion.id,
        object="chat.completion.chunk",
        created=completion.created,
        model=MODEL,
        system_fingerprint=completion.system_fingerprint,
        choices=[] if delta is None else [Change(index=0, delta=change, finish_reason=reason)],
        **({"usage": usage} if usage else {}),
    )
    return f"data: {json.dumps(chunk.model_dump(exclude_unset=True))}\n\n"
