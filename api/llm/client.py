"""Any OpenAI-compatible chat server, with one deadline for the whole reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock
from typing import TYPE_CHECKING, Any

import httpx2
from pydantic import ValidationError

from api.http.client_disconnect import ClientDisconnect
from api.llm import blocked_hosts, completion, traced_call
from api.llm.call_deadline import CURRENT, Call, bound, watch
from api.llm.completion import Reply
from api.llm.faults import OUTCOMES, Fault, LlmFault, Reachability, named
from retrieval.errors import ConfigurationError
from retrieval.settings import Settings

if TYPE_CHECKING:
    from openai import OpenAI

_OPENAI = "https://api.openai.com/v1"
_MOST_TOKENS = 600  # of an answer: the prompt asks for three sentences
_CALLS = 8  # at once; more wait, and their waiting counts against the deadline
_FORMAT = "response_format"
_REFUSES_FORM = {400, 404, 415, 422}  # how servers say that they know no JSON schema
_PAUSE = 0.5  # seconds before the second try, where the server names none

_Part = str | Reply
_Parts = SimpleQueue[_Part | BaseException]
_Read = Callable[[httpx2.Response], Iterator[_Part]]


class LanguageModel:
    """A client of one chat server and model.

    `name` is the model's; `faults` counts what went wrong, also before a second try succeeded.
    """

    def __init__(self, settings: Settings) -> None:
        if settings.openai_model is None:
            raise ConfigurationError("OPENAI_MODEL is not set; name the model to ask")
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else "none"
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError("OPENAI_API_KEY holds characters that no HTTP header can")
        self.faults: Counter[Fault] = Counter()
        self._counting = Lock()
        self.reach = Reachability()
        self.name = settings.openai_model
        self._timeout = settings.llm_timeout
        self._takes_schema = settings.openai_json_schema
        # Not None: the client would read the variable itself, and an empty line as "".
        self._client = _client(blocked_hosts.checked(settings.openai_base_url or _OPENAI), key)
        # Looked up now: the library loads its parts on first use, which takes a second.
        self._create = self._client.chat.completions.with_streaming_response.create
        self._threads = ThreadPoolExecutor(max_workers=_CALLS, thread_name_prefix="llm")
        self._closing = ClientDisconnect()

    def reply(
        self,
        messages: Sequence[dict[str, str]],
        disconnect: ClientDisconnect | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        tokens: int = _MOST_TOKENS,
    ) -> Reply:
        """Return the model's whole reply at temperature 0.

        It has at most `tokens` and comes within `seconds`, by default LLM_TIMEOUT, with at most one
        second try. `schema` (of OpenAI's `json_schema`) is asked for where the server takes it: a
        reply may be prose all the same. Raises the LlmError of each fault in api/llm/faults.py,
        soon after `disconnect` too.
        """
        wish: dict[str, Any] = {"max_tokens": tokens} | ({_FORMAT: schema} if schema else {})
        call = Call(min(seconds or self._timeout, self._timeout))
        for part in self._parts(call, messages, completion.whole, wish, disconnect):
            if isinstance(part, Reply):
                return part
        raise AssertionError("a call ended with neither a reply nor an error")

    def stream(
        self,
        messages: Sequence[dict[str, str]],
        disconnect: ClientDisconnect | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> Generator[_Part]:
        """Yield the pieces of the reply as the model writes them, then the whole Reply.

        A reply that breaks off is an error, never a Reply; what was yielded before is then worth
        nothing. Raises as `reply` does; a second try comes only before the first piece. Closing
        the generator, or `disconnect` from another thread, ends the call at the server.
        """
        # Without being asked for them, servers count no tokens of a stream.
        asked = {"stream": True, "stream_options": {"include_usage": True}}
        wish = asked | {"max_tokens": _MOST_TOKENS} | ({_FORMAT: schema} if schema else {})
        call = Call(self._timeout)
        return self._parts(call, messages, completion.streamed, wish, disconnect)

    @property
    def timeout(self) -> float:
        """The seconds that a whole reply may take."""
        return self._timeout

    def close(self) -> None:
        """End the connections; a call that still runs fails."""
        self._closing.end_all()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def _parts(
        self,
        call: Call,
        messages: Sequence[dict[str, str]],
        read: _Read,
        wish: dict[str, Any],
        disconnect: ClientDisconnect | None,
    ) -> Generator[_Part]:
        """Make the call in a thread and pass its parts on; nobody waits longer than allowed."""
        disconnect, parts = disconnect or ClientDisconnect(), _Parts()

        def give_up() -> None:
            parts.put(LlmFault(Fault.GIVEN_UP))  # first: ending the call looks like a cut
            call.end()

        with self._closing.ends(give_up), disconnect.ends(give_up):
            running = self._threads.submit(
                copy_context().run, self._work, call, parts, read, list(messages), wish
            )
            running.add_done_callback(lambda done: _pass_on(done, parts))
            try:
                while True:
                    part = self._next(call, parts)
                    yield part
                    if isinstance(part, Reply):
                        return
            finally:
                running.cancel()  # one that still waits for a thread
                call.end()

    def _next(self, call: Call, parts: _Parts) -> _Part:
        try:
            part = parts.get(timeout=call.left())
        except Empty:
            part = LlmFault(Fault.TIMED_OUT)
        if isinstance(part, LlmFault):
            self._count(part.fault)
            raise part.error(self._where, self._timeout) from part
        if isinstance(part, BaseException):
            raise part
        self.reach.note(None)
        return part

    def _work(
        self, call: Call, parts: _Parts, read: _Read, messages: list[Any], wish: dict[str, Any]
    ) -> None:
        CURRENT.set(call)
        with traced_call.chat(self.name, self._client.base_url, wish["max_tokens"]) as span:
            for part in self._tried(call, read, messages, wish):
                if isinstance(part, Reply):
                    traced_call.counted(span, part)
                parts.put(part)

    def _tried(
        self, call: Call, read: _Read, messages: list[Any], wish: dict[str, Any]
    ) -> Iterator[_Part]:
        passed_on = False
        try:
            for part in self._formatted(call, read, messages, wish):
                passed_on = True
                yield part
            return
        except LlmFault as fault:
            pause = _PAUSE if fault.pause is None else fault.pause
            if passed_on or not OUTCOMES[fault.fault].retried or not call.pause(pause):
                raise
            self._count(fault.fault)
        yield from self._formatted(call, read, messages, wish)

    def _formatted(
        self, call: Call, read: _Read, messages: list[Any], wish: dict[str, Any]
    ) -> Iterator[_Part]:
        """A reply in the form that is wished for; without one once the server refused it."""
        schema = wish.get(_FORMAT)
        plain = {name: value for name, value in wish.items() if name != _FORMAT}
        if schema is None or not self._takes_schema:
            yield from self._attempt(call, read, messages, plain)
            return
        form = {_FORMAT: {"type": "json_schema", "json_schema": schema}}
        try:
            yield from self._attempt(call, read, messages, plain | form)
            return
        except LlmFault as fault:
            if fault.fault is not Fault.REJECTED or fault.status not in _REFUSES_FORM:
                raise
        for part in self._attempt(call, read, messages, plain):
            self._takes_schema = False  # first: whoever has the part may ask again at once
            yield part

    def _attempt(
        self, call: Call, read: _Read, messages: list[Any], wish: dict[str, Any]
    ) -> Iterator[_Part]:
        from openai import OpenAIError

        try:
            with self._create(
                model=self.name, messages=messages, temperature=0, timeout=call.timeouts(), **wish
            ) as response:
                yield from read(response.http_response)
        except (OpenAIError, httpx2.HTTPError, ValidationError) as error:
            raise named(error) from error

    def _count(self, fault: Fault) -> None:
        with self._counting:
            self.faults[fault] += 1
        self.reach.note(fault)

    @property
    def _where(self) -> str:
        return str(self._client.base_url)


def _client(url: httpx2.URL, key: str) -> OpenAI:
    from openai import DefaultHttpxClient, OpenAI  # half a second, where there is a model to ask

    return OpenAI(
        api_key=key,  # "none": local servers ask for no key, but the client does
        base_url=url.copy_with(userinfo=b""),  # libraries log addresses as they are
        max_retries=0,  # the default of two makes a 30 s deadline 90 s
        default_headers={"Accept-Encoding": "identity"},  # only so is a body's size known
        http_client=DefaultHttpxClient(
            auth=httpx2.BasicAuth(url.username, url.password) if url.userinfo else None,
            follow_redirects=False,  # nobody but the operator says where questions go
            limits=httpx2.Limits(max_keepalive_connections=0),  # see `watch`
            event_hooks={"request": [watch, traced_call.propagated], "response": [bound]},
        ),
    )


def _pass_on(done: Future[None], parts: _Parts) -> None:
    if not done.cancelled() and (error := done.exception()):
        parts.put(error)
