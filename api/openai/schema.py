"""OpenAI's shapes of a chat completion: what is read of a request, and all of a reply.

Source of the names: the reference of OpenAI's chat completions, as the `openai` package has it.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

MODEL: Final = "rules-oracle"


class Message(BaseModel):
    """A message of the conversation; only what a user wrote is read."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Any = Field(default=None, description='text, or a list of {"type": "text", "text"}')


class StreamOptions(BaseModel):
    """How to stream; other options change nothing."""

    include_usage: bool | None = False


class ChatRequest(BaseModel):
    """The body of POST /v1/chat/completions; `api.openai.routes` says which fields are refused."""

    # Chat front ends add fields of their own (chat_id, features), so unknown ones are no error.
    model_config = ConfigDict(extra="allow")

    model: str
    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None


class UrlCitation(BaseModel):
    """Where a marker of the text leads: `text[start_index:end_index]` is the marker."""

    url: str
    title: str
    start_index: int = Field(description="in characters, counted as Unicode code points")
    end_index: int = Field(description="exclusive")


class Annotation(BaseModel):
    """A citation in the text."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitation


class ReplyMessage(BaseModel):
    """The answer. `refusal` repeats a refusal's text: content has it too, for front ends."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: str | None = None
    annotations: list[Annotation]


class Choice(BaseModel):
    """The only choice."""

    index: int = 0
    message: ReplyMessage
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = None


class TokenUsage(BaseModel):
    """Tokens as the language model's server counted them; 0 where none was called."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Head(BaseModel):
    """What a completion and all its chunks share."""

    id: str = Field(description='"chatcmpl-" and the request id')
    created: int = Field(description="seconds since 1970")
    model: Literal["rules-oracle"] = MODEL
    system_fingerprint: str = Field(description="the generation of the index that answered")


class ChatCompletion(Head):
    """The reply of POST /v1/chat/completions."""

    object: Literal["chat.completion"] = "chat.completion"
    choices: list[Choice]
    usage: TokenUsage


class Delta(BaseModel):
    """What a chunk adds to the message."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    annotations: list[Annotation] | None = None


class ChunkChoice(BaseModel):
    """The only choice of a chunk."""

    index: int = 0
    delta: Delta
    finish_reason: Literal["stop"] | None = None


class Chunk(Head):
    """One event of a streamed reply."""

    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    choices: list[ChunkChoice]
    usage: TokenUsage | None = None


class Model(BaseModel):
    """A model as GET /v1/models lists it."""

    id: str
    object: Literal["model"] = "model"
    created: int = Field(description="seconds since 1970, when this process began")
    owned_by: Literal["rules-oracle"] = "rules-oracle"


class Models(BaseModel):
    """The reply of GET /v1/models."""

    object: Literal["list"] = "list"
    data: list[Model]


class Fault(BaseModel):
    """What went wrong; `param` is the field of the request, `code` a name for programs."""

    message: str
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"]
    param: str | None
    code: str | None


class ErrorReply(BaseModel):
    """Every error of the paths below /v1."""

    error: Fault
