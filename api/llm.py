"""Any OpenAI-compatible chat server, with one deadline for the whole reply."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as DeadlineError
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
from openai import DefaultHttpxClient, OpenAI
from pydantic import BaseModel, ValidationError

from api.bounded import bound
from retrieval.errors import ConfigurationError, LlmReplyError, LlmUnreachableError
from retrieval.settings import Settings

_OPENAI = "https://api.openai.com/v1"
_MOST_TOKENS = 600  # of a reply: the prompt asks for three sentences
_MOST_CHARACTERS = 10_000  # of a reply, should its server not keep to that
_UNFINISHED = {"length", "content_filter"}  # reasons to end in the middle
_CALLS = 8  # at once; more wait, and their waiting counts against the deadline


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply with the tokens that its server counted (0 where it did not say)."""

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
    """What is read of a chat completion; the client itself would pass on any JSON."""

    choices: list[_Choice]
    usage: _Usage | None = None


class LanguageModel:
    """A client of one chat server and model."""

    def __init__(self, settings: Settings) -> None:
        if settings.openai_model is None:
            raise ConfigurationError("OPENAI_MODEL is not set; name the model to ask")
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError("OPENAI_API_KEY holds characters that no HTTP header can")
        self._model = settings.openai_model
        self._timeout = settings.llm_timeout
        self._client = OpenAI(
            api_key=key,  # "none": local servers ask for no key, but the client does
            # Not None: the client would read the variable itself, and an empty line as "".
            base_url=_checked(settings.openai_base_url or _OPENAI),
            timeout=settings.llm_timeout,
            max_retries=0,  # the default of two makes a 30 s deadline 90 s
            http_client=DefaultHttpxClient(
                follow_redirects=False,  # nobody but the operator says where questions go
                event_hooks={"response": [bound(settings.llm_timeout)]},
            ),
        )
        self._threads = ThreadPoolExecutor(max_workers=_CALLS, thread_name_prefix="llm")

    def reply(self, messages: Sequence[dict[str, str]]) -> Reply:
        """Return the model's reply at temperature 0.

        Raises LlmUnreachableError where no reply came within LLM_TIMEOUT seconds, LlmReplyError
        where it was none: an error status, no choices, no text, cut off.
        """
        call = self._threads.submit(self._complete, list(messages))
        try:
            # The client's own time-out starts anew with every byte; this one does not.
            return call.result(timeout=self._timeout)
        except (DeadlineError, openai.APITimeoutError) as error:
            call.cancel()  # one that still waits for a thread; nobody waits for it any more
            raise LlmUnreachableError(
                f"the language model at {self._where} gave no answer in {self._timeout:g} s; "
                "try again, or raise LLM_TIMEOUT"
            ) from error
        except openai.APIStatusError as error:
            raise LlmReplyError(
                f"the language model at {self._where} answered with status {error.status_code}; "
                "check OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY, and its log"
            ) from error
        except openai.APIConnectionError as error:
            raise LlmUnreachableError(
                f"no language model at {self._where}; start it, correct OPENAI_BASE_URL, "
                "or unset OPENAI_MODEL to be answered with quotes"
            ) from error
        except (openai.OpenAIError, ValidationError) as error:
            raise LlmReplyError(
                f"the language model at {self._where} sent no chat completion; check that "
                "OPENAI_BASE_URL is the address of its API (it mostly ends in /v1)"
            ) from error

    def close(self) -> None:
        """End the connections; a call that still runs fails."""
        self._client.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def _where(self) -> str:
        return str(self._client.base_url.copy_with(userinfo=b""))

    def _complete(self, messages: list[Any]) -> Reply:
        response = self._client.chat.completions.with_raw_response.create(
            model=self._model, messages=messages, temperature=0, max_tokens=_MOST_TOKENS
        )
        completion = _Completion.model_validate_json(response.content)
        choice = completion.choices[0] if completion.choices else None
        text = (choice.message.content or "").strip() if choice else ""
        if choice is None or not text:
            raise LlmReplyError(
                f"the language model at {self._where} sent an empty reply; try again, or set "
                "OPENAI_MODEL to another one"
            )
        if choice.finish_reason in _UNFINISHED or len(text) > _MOST_CHARACTERS:
            raise LlmReplyError(
                f"the reply of the language model at {self._where} is not whole "
                f"(finish_reason {choice.finish_reason!r}, {len(text):,} characters); ask for "
                "less, or set OPENAI_MODEL to another one"
            )
        usage = completion.usage or _Usage()
        return Reply(text, usage.prompt_tokens or 0, usage.completion_tokens or 0)


def _checked(base_url: str) -> str:
    try:
        scheme = httpx2.URL(base_url).scheme
    except httpx2.InvalidURL as error:
        raise ConfigurationError(f"OPENAI_BASE_URL is no address: {error}") from error
    if scheme not in {"http", "https"}:
        raise ConfigurationError(
            f"OPENAI_BASE_URL begins with {scheme!r}, not with http:// or https://"
        )
    return base_url
