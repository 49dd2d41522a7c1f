"""Any OpenAI-compatible chat server, with one deadline for the whole reply."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as DeadlineError
from dataclasses import dataclass
from typing import Any

import openai
from openai import OpenAI

from retrieval.errors import ConfigurationError, LlmReplyError, LlmUnreachableError
from retrieval.settings import Settings

_OPENAI = "https://api.openai.com/v1"
_MOST_TOKENS = 600  # of a reply: the prompt asks for three sentences
_CALLS = 8  # at once; more wait, and their waiting counts against the deadline


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply with the tokens that its server counted (0 where it did not say)."""

    text: str
    prompt_tokens: int
    completion_tokens: int


class LanguageModel:
    """A client of one chat server and model."""

    def __init__(self, settings: Settings) -> None:
        if settings.openai_model is None:
            raise ConfigurationError("OPENAI_MODEL is not set; name the model to ask")
        key = settings.openai_api_key
        self._model = settings.openai_model
        self._timeout = settings.llm_timeout
        self._client = OpenAI(
            # Local servers ask for no key, but the client does.
            api_key=key.get_secret_value() if key else "none",
            # Not None: the client would read the variable itself, and an empty line as "".
            base_url=settings.openai_base_url or _OPENAI,
            timeout=settings.llm_timeout,
            max_retries=0,  # the default of two makes a 30 s deadline 90 s
        )
        self._threads = ThreadPoolExecutor(max_workers=_CALLS, thread_name_prefix="llm")

    def reply(self, messages: Sequence[dict[str, str]]) -> Reply:
        """Return the model's reply at temperature 0.

        Raises LlmUnreachableError where no reply came within LLM_TIMEOUT seconds, LlmReplyError
        where it was none: an error status, no choices, no text, cut off by its length.
        """
        call = self._threads.submit(self._complete, list(messages))
        try:
            # The client's own time-out starts anew with every byte; this one does not.
            return call.result(timeout=self._timeout)
        except (DeadlineError, openai.APITimeoutError) as error:
            raise LlmUnreachableError(
                f"the language model at {self._where} gave no answer in {self._timeout:g} s; "
                "try again, or raise LLM_TIMEOUT"
            ) from error
        except openai.APIStatusError as error:
            raise LlmReplyError(
                f"the language model at {self._where} answered with status {error.status_code}; "
                "check OPENAI_MODEL and OPENAI_API_KEY, and its log"
            ) from error
        except openai.APIConnectionError as error:
            raise LlmUnreachableError(
                f"no language model at {self._where}; start it, correct OPENAI_BASE_URL, "
                "or unset OPENAI_MODEL to be answered with quotes"
            ) from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            # The client reads what it is given: a reply of another shape fails where it is used.
            raise LlmReplyError(
                f"the language model at {self._where} sent no chat completion "
                f"({type(error).__name__})"
            ) from error

    def close(self) -> None:
        """End the connections; a call that still runs fails."""
        self._client.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def _where(self) -> str:
        return str(self._client.base_url.copy_with(userinfo=b""))

    def _complete(self, messages: list[Any]) -> Reply:
        completion = self._client.chat.completions.create(
            model=self._model, messages=messages, temperature=0, max_tokens=_MOST_TOKENS
        )
        choice = completion.choices[0] if completion.choices else None
        text = choice.message.content if choice else None
        if choice is None or not isinstance(text, str) or not text.strip():
            raise LlmReplyError(f"the language model at {self._where} sent an empty reply")
        if choice.finish_reason == "length":
            raise LlmReplyError(
                f"the reply of the language model at {self._where} was cut off after "
                f"{_MOST_TOKENS} tokens"
            )
        usage = completion.usage
        return Reply(
            text.strip(),
            usage.prompt_tokens if usage else 0,
            usage.completion_tokens if usage else 0,
        )
