"""What an OpenAI client asks for: the question in its messages, and the fields that are refused."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.search import QUESTION_LIMIT

MODEL: Final = "rules-oracle"
_HISTORY = 20  # earlier questions, as many as POST /ask takes
_ABSENT: tuple[Any, ...] = (None, False, 0, "", "none", "auto", [], {})  # they ask for nothing
_IMPOSSIBLE = {
    "tools": "no tools are called",
    "functions": "no functions are called",
    "tool_choice": "no tools are called",
    "function_call": "no functions are called",
    "logprobs": "there are no probabilities of tokens",
    "top_logprobs": "there are no probabilities of tokens",
    "audio": "answers are text",
    "max_tokens": "an answer is as long as its lines, and none is cut; leave it out",
    "max_completion_tokens": "an answer is as long as its lines, and none is cut; leave it out",
    "stop": "an answer is whole, and none is cut; leave it out",
    "logit_bias": "answers are the rules' own words",
    "store": "no completion is kept to be fetched later",
}
# What the operator alone decides. Without this list they would be left out silently.
_OPERATOR = (
    "api_base", "api_key", "base_url", "prompt", "prompt_template", "sql", "system_prompt",
    "threshold", "vault",
)  # fmt: skip
_TYPE_NAME = re.compile(r"\[|^(?:str|int|bool)$")


class Message(BaseModel):
    """A message of the conversation; only what a user wrote is read."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Any = Field(default=None, description='text, or a list of {"type": "text", "text"}')


class StreamOptions(BaseModel):
    """How to stream; other options change nothing."""

    include_usage: bool | None = False


class ChatRequest(BaseModel):
    """The body of POST /v1/chat/completions; `check` says which further fields are refused."""

    # Chat front ends add fields of their own (chat_id, features), so unknown ones are no error.
    model_config = ConfigDict(extra="allow")

    model: str
    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    filters: dict[str, Any] | None = Field(
        default=None, description="of which files, as of POST /ask; clients call it extra_body"
    )


class RequestFaultError(Exception):
    """A request that cannot be answered as it was asked: status, field, and a name for programs."""

    def __init__(
        self, message: str, param: str | None, code: str | None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.param = param
        self.code = code
        self.status = status


def check(body: ChatRequest) -> None:
    """Raise RequestFaultError for another model and for a field that cannot be done as asked.

    Fields that only tune which words a model chooses, or how the request is kept and billed, and
    fields that nobody knows are accepted and change nothing (docs/api.md): answers are the rules'
    own words, or are checked against them.
    """
    if body.model != MODEL:
        raise RequestFaultError(
            f"there is no model {body.model[:80]!r} here; GET /v1/models lists {MODEL!r}",
            "model",
            "model_not_found",
            404,
        )
    fields = body.model_extra or {}
    for name, reason in _IMPOSSIBLE.items():
        if fields.get(name) not in _ABSENT:
            raise _unsupported(name, reason)
    for name in _OPERATOR:
        if name in fields:
            raise _unsupported(name, "only the server's configuration sets it")
    if fields.get("web_search_options") is not None:  # {} asks for it as well
        raise _unsupported("web_search_options", "only the indexed rules are searched")
    if fields.get("n") not in (None, 1):
        raise _unsupported("n", "there is one answer to a question; leave it out, or set 1")
    if fields.get("modalities") not in (None, [], ["text"]):
        raise _unsupported("modalities", "answers are text")
    if not _is_plain_text(fields.get("response_format")):
        raise _unsupported("response_format", "answers are Markdown text, never JSON")


def asked(messages: Sequence[Message]) -> tuple[str, list[str]]:
    """Return the last message of a user, and those before it as the history, oldest first.

    Messages of the system, a developer or the assistant are accepted and not read: no request can
    change how questions are answered. An earlier question that is too long to be one is left out:
    it was refused, and the chat goes on. Raises RequestFaultError where no user wrote anything.
    """
    questions = [
        _text(message.content, f"messages[{index}].content")
        for index, message in enumerate(messages)
        if message.role == "user"
    ]
    if not questions:
        raise RequestFaultError(
            "no message has the role 'user'; the last of them is the question", "messages", None
        )
    earlier = [question for question in questions[:-1] if len(question) <= QUESTION_LIMIT]
    return questions[-1], earlier[-_HISTORY:]


def parameter(loc: Sequence[str | int]) -> str | None:
    """Return where a validation error is as OpenAI writes it: "messages[0].role"."""
    name = ""
    for part in loc:
        if isinstance(part, int):
            name += f"[{part}]"
        elif not _TYPE_NAME.search(part):  # pydantic names the members of a union, too
            name += f".{part}" if name else part
    return name or None


def _unsupported(name: str, reason: str) -> RequestFaultError:
    return RequestFaultError(f"{name} is not supported: {reason}", name, "unsupported_parameter")


def _is_plain_text(response_format: Any) -> bool:
    return response_format is None or response_format == {"type": "text"}


def _text(content: Any, where: str) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise RequestFaultError(f"{where} is neither text nor a list of texts", where, None)
    texts: list[str] = []
    for index, part in enumerate(content):
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
        if not isinstance(text, str):
            reason = 'only parts {"type": "text", "text": "…"} can be read'
            raise RequestFaultError(f"{where}[{index}]: {reason}", f"{where}[{index}]", None)
        texts.append(text)
    return "\n".join(texts)
