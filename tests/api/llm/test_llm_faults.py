"""The table of faults: each way in which a model's server can misbehave has one named outcome."""

import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_network

import pytest

from api.llm import blocked_hosts, faults
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.llm.faults import OUTCOMES, Fault
from retrieval.errors import LlmError, LlmReplyError, LlmUnreachableError
from tests.support.llm.fake_llm import FakeLlm
from tests.support.llm.llm_fixtures import ASK, configured
from tests.support.llm.misbehaviour import BROKEN_STREAMS, MISBEHAVIOUR, RETRIED

# What each mode of the fake server is to a call that wants the reply whole.
WHOLE: dict[str, Fault] = {
    "429": Fault.BUSY,
    "401": Fault.REJECTED,
    "500": Fault.FAILED,
    "502 with HTML": Fault.FAILED,
    "503": Fault.BUSY,
    "200 with HTML": Fault.NO_COMPLETION,
    "another content type": Fault.NO_COMPLETION,
    "no JSON": Fault.NO_COMPLETION,
    "no body": Fault.NO_COMPLETION,
    "deep JSON": Fault.NO_COMPLETION,
    "no choices": Fault.EMPTY,
    "choices are no list": Fault.NO_COMPLETION,
    "null": Fault.NO_COMPLETION,
    "half a character": Fault.NO_COMPLETION,
    "50 MB": Fault.TOO_LARGE,
    "silence": Fault.TIMED_OUT,
    "headers, then silence": Fault.TIMED_OUT,
    "a byte now and then": Fault.TIMED_OUT,
    "headers, a byte now and then": Fault.TIMED_OUT,
    "closes at once": Fault.CUT,
    "closes in the middle": Fault.CUT,
    "null content": Fault.EMPTY,
    "empty content": Fault.EMPTY,
    "only spaces": Fault.EMPTY,
    "cut off by its length": Fault.TOO_LONG,
    "cut off by a filter": Fault.FILTERED,
    "far too long": Fault.TOO_LONG,
    "redirect": Fault.REJECTED,
    "redirect to metadata": Fault.REJECTED,
    "packed": Fault.TOO_LARGE,
}
# And to one that wants it streamed: JSON is no stream, whatever it holds.
STREAMED: dict[str, Fault] = {
    **WHOLE,
    "no choices": Fault.NO_COMPLETION,
    "50 MB": Fault.NO_COMPLETION,  # of JSON, of which no byte is read
    "stream: invalid JSON": Fault.NO_COMPLETION,
    "stream: two JSON in one event": Fault.NO_COMPLETION,
    "stream: an error": Fault.FAILED,
    "stream: no choices": Fault.NO_COMPLETION,
    "stream: no end": Fault.CUT,
    "stream: half an event": Fault.CUT,
    "stream: 50 MB": Fault.TOO_LARGE,
}
# Faults that are no mode: tests of their own below and in test_llm_stream.py.
OTHERS = {Fault.NO_CONNECTION, Fault.FORBIDDEN_ADDRESS, Fault.GIVEN_UP}

Ask = Callable[[LanguageModel], Reply]


def whole(model: LanguageModel) -> Reply:
    return model.reply(ASK)


def streamed(model: LanguageModel) -> Reply:
    *_, last = model.stream(ASK)
    assert isinstance(last, Reply)
    return last


BOTH = pytest.mark.parametrize("ask", [whole, streamed])


def test_the_tables_hold_every_mode_and_every_fault() -> None:
    assert set(WHOLE) == set(MISBEHAVIOUR)
    assert set(STREAMED) == {*MISBEHAVIOUR, *BROKEN_STREAMS}
    assert {*WHOLE.values(), *STREAMED.values()} | OTHERS == set(Fault) == set(OUTCOMES)
    assert {mode for mode in MISBEHAVIOUR if OUTCOMES[WHOLE[mode]].retried} == RETRIED


@pytest.mark.proves("row 31", "promise 8", "promise 10")
@pytest.mark.parametrize(
    ("ask", "mode", "fault"),
    [
        *((whole, mode, fault) for mode, fault in WHOLE.items()),
        *((streamed, mode, fault) for mode, fault in STREAMED.items()),
    ],
)
def test_a_fault_has_its_outcome_within_the_deadline(
    llm: FakeLlm, ask: Ask, mode: str, fault: Fault
) -> None:
    llm.mode = mode
    seconds = 1.0 if fault is Fault.TIMED_OUT else 10.0
    settings = configured(openai_base_url=llm.url, llm_timeout=seconds)
    with closing(LanguageModel(settings)) as model:
        started = time.monotonic()
        with pytest.raises(LlmError, match=r"OPENAI_|LLM_TIMEOUT") as raised:
            ask(model)
        assert time.monotonic() - started < seconds + 0.5
        calls = 2 if mode in RETRIED else 1
        assert type(raised.value) is OUTCOMES[fault].error
        assert "OPENAI_BASE_URL" in raised.value.public
        assert "127.0.0.1" not in raised.value.public
        assert model.faults == {fault: calls}
    assert llm.paths == ["/v1/chat/completions"] * calls  # and nothing followed


@pytest.mark.proves("row 31")
@BOTH
def test_a_refused_connection_is_an_unreachable_model(ask: Ask) -> None:
    gone = FakeLlm()
    gone.shutdown()
    with closing(LanguageModel(configured(openai_base_url=gone.url, llm_timeout=10))) as model:
        with pytest.raises(LlmUnreachableError, match="OPENAI_BASE_URL"):
            ask(model)
        assert model.faults == {Fault.NO_CONNECTION: 2}


@BOTH
def test_a_second_try_may_succeed(llm: FakeLlm, model: LanguageModel, ask: Ask) -> None:
    llm.modes = ["500"]
    assert ask(model).text == llm.reply
    assert len(llm.requests) == 2
    assert llm.times[1] - llm.times[0] >= 0.5
    assert model.faults == {Fault.FAILED: 1}


@pytest.mark.proves("row 31")
@BOTH
def test_there_is_no_third_try(llm: FakeLlm, model: LanguageModel, ask: Ask) -> None:
    llm.modes = ["500", "429"]
    with pytest.raises(LlmUnreachableError, match="status 429"):
        ask(model)
    assert len(llm.requests) == 2


def test_the_second_try_waits_as_long_as_the_server_wishes(
    llm: FakeLlm, model: LanguageModel
) -> None:
    llm.modes, llm.retry_after = ["429"], "1"
    assert model.reply(ASK).text == llm.reply
    assert 1 <= llm.times[1] - llm.times[0] < 3


@BOTH
def test_a_server_that_wishes_more_than_the_deadline_is_not_waited_for(
    llm: FakeLlm, model: LanguageModel, ask: Ask
) -> None:
    llm.modes, llm.retry_after = ["503"], "60"
    started = time.monotonic()
    with pytest.raises(LlmUnreachableError, match="wants 60 s of pause"):
        ask(model)
    assert time.monotonic() - started < 5
    assert len(llm.requests) == 1


@pytest.mark.proves("row 31")
def test_after_the_first_piece_there_is_no_second_try(llm: FakeLlm, model: LanguageModel) -> None:
    llm.modes = ["stream: an error"]
    stream = model.stream(ASK)
    assert next(stream) == "A"
    with pytest.raises(LlmReplyError, match="failed"):
        next(stream)
    assert len(llm.requests) == 1


@pytest.mark.proves("row 36")
@BOTH
def test_a_name_that_leads_to_metadata_gets_no_byte(
    llm: FakeLlm, model: LanguageModel, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if loopback were such an address, of which the model knew nothing as it began.
    loopback = ip_network("127.0.0.0/8")
    monkeypatch.setattr(blocked_hosts, "_REFUSED", (loopback,))
    with pytest.raises(LlmUnreachableError, match=r"127\.0\.0\.1.*nothing was sent") as raised:
        ask(model)
    assert "nothing was sent" in raised.value.public
    assert "127.0.0.1" not in raised.value.public
    assert model.faults == {Fault.FORBIDDEN_ADDRESS: 1}
    assert llm.requests == []


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("0", 0), ("30", 30), ("", None), ("soon", None), ("-1", None), ("9" * 400, 999_999_999)],
)
def test_any_retry_after_can_be_read(header: str, seconds: float | None) -> None:
    assert faults._seconds(header) == seconds


def test_a_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    seconds = faults._seconds(date)
    assert seconds is not None
    assert 25 < seconds <= 30
