"""Readers of what a model wrote: what they deny is not shown, what they agree to is not enough."""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from api.checks import review
from api.checks.passage_lines import Source
from api.checks.readers.by_entailment import EntailmentReader
from api.checks.readers.by_llm import LlmReader, stands
from api.checks.readers.verifier import Asked, Readers, Verdicts, Verifier, denies_all, findings
from api.llm.client import LanguageModel
from api.schema.guard import ReaderName
from retrieval.encoder import weights
from retrieval.encoder.bi_encoder import ModelThread
from retrieval.encoder.entailment import EntailmentModel
from retrieval.errors import ModelUnavailableError
from retrieval.settings import Settings
from tests.api.checks.test_review import CLAIMS, HITS, QUESTION
from tests.retrieval.ranking.test_reranking import build
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.llm.llm_fixtures import configured
from tests.support.servers.serving import events, serving

OATH = "A guard takes an oath before a watch [2]."
LAMP = "A lamp burns for four hours [1]."
TORCH = "How long does a torch burn?"
RIGHT = "A torch burns for one hour [1]. It lights 30’ around its bearer [1]."


class Scripted:
    """A reader that says the same of every claim."""

    name: ReaderName = "llm"

    def __init__(self, why: str) -> None:
        self.why = why

    def verdicts(self, asked: Asked) -> Verdicts:
        """Deny every claim with `why`, or none where it is ""."""
        denied = {claim.number: self.why for claim in asked.claims if self.why}
        return Verdicts(self.name, "read", len(asked.claims), denied)


def shown(text: str, *readers: Verifier) -> review.Review:
    reading = review.read(text, HITS, QUESTION)
    return review.settled(reading, findings(reading, Readers(readers).read(reading, 9.0)))


@pytest.mark.proves("promise 10")
@pytest.mark.parametrize("reply", [" ".join(CLAIMS), f"{LAMP} It lights 90 feet [1]. {OATH}"])
def test_a_reader_that_agrees_with_everything_catches_what_the_rules_do(reply: str) -> None:
    assert shown(reply, Scripted("")) == shown(reply)


def test_what_a_reader_denies_goes_and_only_that() -> None:
    class Second(Scripted):
        def verdicts(self, asked: Asked) -> Verdicts:
            return Verdicts("llm", "read", len(asked.claims), {2: "not in the text"})

    seen = shown(f"{OATH} {LAMP}", Second(""))
    assert seen.text == f"{OATH} “A lamp burns for four hours on a flask of oil” [1]."
    (fault,) = seen.faults
    assert (fault.claim, fault.finding.kind, fault.finding.message) == (
        2, "unsupported", "not in the text",
    )  # fmt: skip


def test_a_reader_that_denies_everything_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    readers = Readers([Scripted("no")])
    reading = review.read(f"{LAMP} {OATH}", HITS, QUESTION)
    with caplog.at_level(logging.WARNING, logger="api"):
        for _ in range(9):
            readers.read(reading, 9.0)
        assert caplog.messages == []
        for _ in range(20):
            readers.read(reading, 9.0)
    (told,) = caplog.messages
    assert "'llm' denied 20 of the last 20 claims" in told
    assert "GUARD_LLM=off" in told
    assert denies_all(20, 20)
    assert not denies_all(19, 19)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("A lamp burns for four hours", True),
        ("a **lamp** burns for four hours on a flask of oil.", True),
        ("| Hooded | 9 | 30 |", True),
        ("lamp burns ... a flask of oil", True),
        ("a lamp burns for five hours", False),
        ("A lamp burns … takes an oath", False),  # of two passages
        ("lamp", False),
        ("", False),
    ],
)
def test_the_words_of_a_reader_are_looked_up(words: str, found: bool) -> None:
    assert stands(words, [Source("a", h.chunk.heading, "", h.chunk.text) for h in HITS]) is found


def verdicts(*words: str) -> str:
    return json.dumps(
        {"verdicts": [{"claim": n, "words": said} for n, said in enumerate(words, start=1)]}
    )


def by_llm(llm: FakeLlm, reply: str, seconds: float = 5.0, **options: bool) -> Verdicts:
    llm.reply = reply
    reading = review.read(f"{LAMP} {OATH}", HITS, QUESTION)
    with closing(LanguageModel(configured(openai_base_url=llm.url, llm_timeout=6.0))) as model:
        (found,) = Readers([LlmReader(model, **options)]).read(reading, seconds)
    return found


@pytest.mark.parametrize(
    ("reply", "denied", "outcome"),
    [
        (verdicts("burns for four hours", "takes an oath before a watch"), set(), "read"),
        ("```json\n" + verdicts("burns for four hours", "") + "\n```", {2}, "read"),
        (verdicts("burns for nine hours", "takes an oath before a watch"), {1}, "read"),
        (verdicts("burns for four hours"), {2}, "read"),
        ("All of it is supported.", {1, 2}, "failed"),
        ('{"verdicts": 7}', {1, 2}, "failed"),
    ],
)
def test_a_language_model_must_copy_the_words_of_each_claim(
    llm: FakeLlm, reply: str, denied: set[int], outcome: str
) -> None:
    found = by_llm(llm, reply)
    assert (set(found.denied), found.outcome, found.claims) == (denied, outcome, 2)
    assert found.usage.prompt_tokens == USAGE["prompt_tokens"]
    assert len(llm.requests) == 1


def test_a_reader_that_fails_denies_all_within_the_deadline(llm: FakeLlm) -> None:
    llm.mode = "silence"
    began = time.monotonic()
    found = by_llm(llm, "", 0.5, always=True)
    assert time.monotonic() - began < 2
    assert (set(found.denied), found.outcome) == ({1, 2}, "failed")


def test_a_reader_is_left_out_where_the_deadline_does_not_allow_it(llm: FakeLlm) -> None:
    found = by_llm(llm, "", 1.5)
    assert (found.outcome, found.claims, found.denied) == ("skipped", 0, {})
    assert llm.requests == []


NLI = ("contradiction", "entailment", "neutral")


@pytest.fixture(scope="module")
def entailment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Verifier]]:
    """A reader of a small model that gives always the same label."""
    thread = ModelThread()

    def made(says: int, labels: Sequence[str] = NLI) -> Verifier:
        folder: Path = tmp_path_factory.mktemp("nli") / "tiny"
        build(folder, labels, says)
        model = EntailmentModel(weights.find(str(folder), offline=True), thread)
        model.warm()
        return EntailmentReader(model)

    yield made
    thread.close()


def test_a_model_of_entailment_denies_what_no_line_says(
    entailment: Callable[..., Verifier],
) -> None:
    reply = f"{LAMP} {OATH}"
    assert shown(reply, entailment(1)).text == reply
    for reader in (entailment(0), entailment(2), entailment(1, ("LABEL_0",))):
        seen = shown(reply, reader)
        assert {fault.finding.kind for fault in seen.faults} == {"unsupported"}
        assert LAMP not in seen.text
    with pytest.raises(ModelUnavailableError, match="GUARD_MODEL"):
        entailment(0, ("LABEL_0", "LABEL_1"))


@pytest.fixture(scope="module")
def read(with_model: Settings) -> Iterator[httpx2.Client]:
    """A client of the API, which has the model read what it wrote."""
    changed = {"guard_llm": "on", "llm_timeout": 10.0}
    with serving(with_model.model_copy(update=changed)) as client:
        yield client


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_was_read_says_by_whom_and_at_what_cost(
    read: httpx2.Client, llm: FakeLlm, streamed: bool
) -> None:
    said = [RIGHT, verdicts("burns for one hour", "")]

    def turn() -> None:
        llm.reply = said[len(llm.requests) - 1]

    llm.before_reply = turn
    body = {"question": TORCH, "stream": streamed}
    answer = events(read, body)[-1][1] if streamed else read.post("/ask", json=body).json()
    assert (
        answer["answer"] == "A torch burns for one hour [1]. “It lights 30’ around its bearer” [1]."
    )
    (reader,) = answer["guard"]["readers"]
    assert (reader["reader"], reader["outcome"], reader["claims"], reader["denied"]) == (
        "llm", "read", 2, 1,
    )  # fmt: skip
    assert reader["usage"]["completion_tokens"] == USAGE["completion_tokens"]
    assert answer["usage"]["completion_tokens"] == 2 * USAGE["completion_tokens"]
    counted = read.get("/metrics").text
    assert 'rag_guard_readers_total{outcome="read",reader="llm"}' in counted
    assert 'rag_guard_read_claims_total{reader="llm",verdict="unsupported"}' in counted
