"""Everything that can go wrong with a language model's server: each fault has one outcome."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from time import monotonic
from typing import TYPE_CHECKING

import httpx2
from pydantic import ValidationError

from retrieval.errors import LlmAbandonedError, LlmError, LlmReplyError, LlmUnreachableError

if TYPE_CHECKING:
    from openai import OpenAIError

RETRY = 15.0  # seconds until a server that was not there is asked again


class Fault(Enum):
    """What went wrong. The value is plain enough to be the label of a count."""

    NO_CONNECTION = "no_connection"  # refused, no such host, no TLS
    FORBIDDEN_ADDRESS = "forbidden_address"  # the host's name leads to a metadata address
    TIMED_OUT = "timed_out"  # not whole by the deadline: silence, or a byte now and then
    GIVEN_UP = "given_up"  # the client left, or this server stops
    BUSY = "busy"  # 429 and 503
    FAILED = "failed"  # any other 5xx, or an error in the middle of a stream
    REJECTED = "rejected"  # any other status that is not 2xx; redirects are not followed
    CUT = "cut"  # the connection closed before the reply was whole
    NO_COMPLETION = "no_completion"  # another type or shape than a chat completion's
    EMPTY = "empty"  # a completion without text
    TOO_LONG = "too_long"  # ended by its length, or over the most characters
    FILTERED = "filtered"  # ended by the server's filter
    TOO_LARGE = "too_large"  # more bytes than any reply needs, or packed so that nobody knows


@dataclass(frozen=True, slots=True)
class Outcome:
    """The error that a fault becomes, and whether the call is made once more before that."""

    error: type[LlmError]
    retried: bool  # once, and only while no part of the reply was passed on
    happened: str
    advice: str


OUTCOMES: dict[Fault, Outcome] = {
    Fault.NO_CONNECTION: Outcome(
        LlmUnreachableError,
        True,
        "no language model at {where}",
        "start it, correct OPENAI_BASE_URL, or unset OPENAI_MODEL to be answered with quotes",
    ),
    Fault.FORBIDDEN_ADDRESS: Outcome(
        LlmUnreachableError,
        False,
        "{where} leads to {detail} of machine metadata, so nothing was sent",
        "correct OPENAI_BASE_URL",
    ),
    Fault.TIMED_OUT: Outcome(
        LlmUnreachableError,
        False,
        "the language model at {where} gave no answer in {timeout:g} s",
        "try again, or raise LLM_TIMEOUT",
    ),
    Fault.GIVEN_UP: Outcome(
        LlmAbandonedError,
        False,
        "the call of the language model at {where} was given up",
        "nobody waits for it; ask again, and look at OPENAI_BASE_URL's server if many leave",
    ),
    Fault.BUSY: Outcome(
        LlmUnreachableError,
        True,
        "the language model at {where} is busy ({detail})",
        "ask again later, or set OPENAI_BASE_URL to one with room",
    ),
    Fault.FAILED: Outcome(
        LlmReplyError,
        True,
        "the language model at {where} failed ({detail})",
        "look at its log; OPENAI_BASE_URL and OPENAI_MODEL say which it is",
    ),
    Fault.REJECTED: Outcome(
        LlmReplyError,
        False,
        "the language model at {where} answered with {detail}",
        "check OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY, and its log",
    ),
    Fault.CUT: Outcome(
        LlmReplyError,
        True,
        "the language model at {where} broke off before its reply was whole",
        "look at the log of OPENAI_BASE_URL's server, or try again",
    ),
    Fault.NO_COMPLETION: Outcome(
        LlmReplyError,
        False,
        "the language model at {where} sent no chat completion",
        "check that OPENAI_BASE_URL is the address of its API (it mostly ends in /v1)",
    ),
    Fault.EMPTY: Outcome(
        LlmReplyError,
        False,
        "the language model at {where} sent an empty reply",
        "try again, or set OPENAI_MODEL to another one",
    ),
    Fault.TOO_LONG: Outcome(
        LlmReplyError,
        False,
        "the reply of the language model at {where} is not whole ({detail})",
        "ask for less, or set OPENAI_MODEL to another one",
    ),
    Fault.FILTERED: Outcome(
        LlmReplyError,
        False,
        "the server at {where} filtered its model's reply",
        "ask in other words, or set OPENAI_MODEL to another one",
    ),
    Fault.TOO_LARGE: Outcome(
        LlmReplyError,
        False,
        "the language model at {where} sent {detail}",
        "check that OPENAI_BASE_URL is the address of its API (it mostly ends in /v1)",
    ),
}


class LlmFault(Exception):
    """A fault on its way to its outcome; `pause` is the server's Retry-After in seconds.

    `status` is the HTTP status that it came with, 0 for none.
    """

    def __init__(
        self, fault: Fault, detail: str = "", pause: float | None = None, status: int = 0
    ) -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.detail = detail
        self.pause = pause
        self.status = status

    def error(self, where: str, timeout: float) -> LlmError:
        """Return the error; `where` is the server, which callers are not told."""

        def told(where: str, detail: str) -> str:
            happened = outcome.happened.format(where=where, timeout=timeout, detail=detail)
            return f"{happened}; {outcome.advice}"

        outcome = OUTCOMES[self.fault]
        error = outcome.error(told(where, self.detail))
        is_address = self.fault is Fault.FORBIDDEN_ADDRESS
        error.public = told("OPENAI_BASE_URL", "a host" if is_address else self.detail)
        return error


def named(error: OpenAIError | httpx2.HTTPError | ValidationError) -> LlmFault:
    """Return the fault behind an error of the client library, of its transport, or of parsing."""
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, APIStatusError):
        return _of_status(error.response)
    cause = error.__cause__ if isinstance(error, APIConnectionError) else error
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError):
        return LlmFault(Fault.NO_CONNECTION)
    if isinstance(cause, httpx2.TimeoutException):
        return LlmFault(Fault.TIMED_OUT)
    if isinstance(cause, httpx2.SSEError):  # a subclass of the next: another content type
        return LlmFault(Fault.NO_COMPLETION)
    if isinstance(cause, httpx2.TransportError):
        return LlmFault(Fault.CUT)
    return LlmFault(Fault.NO_COMPLETION)


def _of_status(response: httpx2.Response) -> LlmFault:
    status = response.status_code
    pause = _seconds(response.headers.get("Retry-After", ""))
    wish = "" if pause is None else f", wants {pause:.0f} s of pause"
    detail = f"status {status}{wish}"
    if status in {429, 503}:
        return LlmFault(Fault.BUSY, detail, pause)
    fault = Fault.FAILED if status >= 500 else Fault.REJECTED
    return LlmFault(fault, detail, pause, status)


def _seconds(retry_after: str) -> float | None:
    """Read a Retry-After of RFC 9110, section 10.2.3: seconds or a date; None: neither."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])  # a header may hold more digits than a float can
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    known = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (known - datetime.now(UTC)).total_seconds())


class Reachability:
    """Whether a server was there when it was last asked; one that was not is left alone a while."""

    def __init__(self) -> None:
        self.is_lost = False
        self._retry_at = 0.0

    @property
    def is_down(self) -> bool:
        """Whether it need not be asked now."""
        return self.is_lost and monotonic() < self._retry_at

    def note(self, fault: Fault | None) -> None:
        """Note how a call ended; None: well."""
        self.is_lost = fault is Fault.NO_CONNECTION
        self._retry_at = monotonic() + RETRY
