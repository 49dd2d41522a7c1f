"""A streamed reply: pieces as they come, then the whole one; given up as soon as nobody listens."""

import threading
import time
from contextlib import closing

import pytest

from api.answer import stream_filter
from api.http.client_disconnect import ClientDisconnect
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.llm.faults import Fault
from api.schema.steps import Delta
from retrieval.errors import LlmReplyError, LlmUnreachableError
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.llm.llm_fixtures import ASK, configured

LONG = " ".join(["word"] * 400)


@pytest.mark.parametrize("odd_events", [False, True])
def test_a_stream_yields_pieces_and_then_the_reply_with_its_tokens(
    llm: FakeLlm, model: LanguageModel, odd_events: bool
) -> None:
    llm.odd_events = odd_events
    *pieces, reply = model.stream(ASK)
    assert pieces == ["A", " torch", " burns", " for", " one", " hour", " [1]."]
    assert reply == Reply(llm.reply, USAGE["prompt_tokens"], USAGE["completion_tokens"])
    (request,) = llm.requests
    assert (request["stream"], request["temperature"]) == (True, 0)


def test_a_piece_comes_when_the_model_writes_it_not_at_the_end(
    llm: FakeLlm, model: LanguageModel
) -> None:
    llm.pace = 0.4
    started = time.monotonic()
    stream = model.stream(ASK)
    next(stream)
    first = time.monotonic() - started
    *_, last = stream
    assert isinstance(last, Reply)
    assert first < (time.monotonic() - started) / 2


def test_a_listener_may_be_slower_than_the_deadline(llm: FakeLlm) -> None:
    with closing(LanguageModel(configured(openai_base_url=llm.url, llm_timeout=3))) as model:
        stream = model.stream(ASK)
        next(stream)
        time.sleep(3.2)  # the server has long sent everything
        *_, last = stream
    assert last == Reply(llm.reply, USAGE["prompt_tokens"], USAGE["completion_tokens"])


@pytest.mark.proves("row 31", "promise 8")
def test_a_stream_that_drips_on_ends_by_the_deadline(llm: FakeLlm) -> None:
    llm.reply, llm.pace = LONG, 0.1
    with closing(LanguageModel(configured(openai_base_url=llm.url, llm_timeout=2))) as model:
        stream = model.stream(ASK)
        started = time.monotonic()
        assert next(stream) == "word"
        with pytest.raises(LlmUnreachableError, match="in 2 s"):
            list(stream)
        assert time.monotonic() - started < 2.5
    assert llm.hung_up.wait(2)


@pytest.mark.proves("row 30")
def test_closing_a_stream_ends_the_call_within_a_token(llm: FakeLlm, model: LanguageModel) -> None:
    llm.reply, llm.pace = LONG, 0.1
    stream = model.stream(ASK)
    next(stream)
    closed = time.monotonic()
    stream.close()
    assert time.monotonic() - closed < 0.5
    assert llm.hung_up.wait(1)
    assert model.faults == {}


@pytest.mark.proves("row 30")
@pytest.mark.parametrize("mode", ["silence", "headers, then silence", "a byte now and then"])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_hangup_ends_a_call_that_waits_for_its_first_byte(
    llm: FakeLlm, model: LanguageModel, mode: str, streamed: bool
) -> None:
    llm.mode = mode
    disconnect = ClientDisconnect()
    left: list[float] = []

    def leave() -> None:
        while not llm.requests:
            time.sleep(0.01)
        left.append(time.monotonic())
        disconnect.end_all()

    threading.Thread(target=leave).start()
    with pytest.raises(LlmUnreachableError, match="given up"):
        list(model.stream(ASK, disconnect) if streamed else [model.reply(ASK, disconnect)])
    assert time.monotonic() - left[0] < 1
    assert llm.hung_up.wait(1)
    assert model.faults == {Fault.GIVEN_UP: 1}


def test_who_has_left_before_the_call_makes_none(llm: FakeLlm, model: LanguageModel) -> None:
    disconnect = ClientDisconnect()
    disconnect.end_all()
    with pytest.raises(LlmUnreachableError, match="given up"):
        list(model.stream(ASK, disconnect))
    time.sleep(0.5)
    assert llm.requests == [] or llm.hung_up.is_set()


def test_a_hangup_ends_the_pause_before_a_second_try(llm: FakeLlm, model: LanguageModel) -> None:
    llm.mode, llm.retry_after = "429", "8"
    disconnect = ClientDisconnect()
    threading.Timer(1.0, disconnect.end_all).start()
    started = time.monotonic()
    with pytest.raises(LlmUnreachableError, match="given up"):
        model.reply(ASK, disconnect)
    assert time.monotonic() - started < 4
    assert len(llm.requests) == 1


def test_closing_the_model_ends_its_calls(llm: FakeLlm) -> None:
    llm.mode = "silence"
    model = LanguageModel(configured(openai_base_url=llm.url, llm_timeout=10))
    threading.Timer(1.0, model.close).start()
    with pytest.raises(LlmUnreachableError, match="given up"):
        model.reply(ASK)
    assert llm.hung_up.wait(2)


def test_a_draft_is_shown_by_whole_sentences_that_a_check_has_seen() -> None:
    seen: list[str] = []

    def shown(sentence: str) -> str:
        seen.append(sentence)
        return "" if "://" in sentence else sentence

    reply = Reply("One hour [1]. See https://evil.example/?q=1 now. And 3.5 gp", 0, 0)
    parts: list[str | Reply] = [
        "One ho",
        "ur [1]. See htt",
        "ps://evil.example/",
        "?q=1 now. A",
        "nd 3.5",
        " gp",
        reply,
    ]
    assert list(stream_filter.deltas(parts, shown, attempt=2)) == [
        Delta(text="One hour [1].", attempt=2, claim=1),
        Delta(text=" And 3.5 gp", attempt=2, claim=3),
        reply,
    ]
    assert seen == ["One hour [1].", " See https://evil.example/?q=1 now.", " And 3.5 gp"]


def test_a_draft_that_breaks_off_is_no_reply(llm: FakeLlm, model: LanguageModel) -> None:
    llm.mode = "stream: no end"
    draft = stream_filter.deltas(model.stream(ASK), str)
    with pytest.raises(LlmReplyError, match="broke off"):
        list(draft)
