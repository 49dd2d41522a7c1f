"""Orders in the rules, and a model that obeys every one: nothing of it may leave the API."""

import base64
import os
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from api.checks.sanitize import clean
from api.main import create_app
from retrieval.settings import Settings
from tests.api.checks.test_sanitize import active
from tests.support.faults.poison import POISONS, Poison
from tests.support.index.ingested import IndexFiles
from tests.support.llm.fake_llm import FakeLlm
from tests.support.llm.llm_fixtures import API_KEY
from tests.support.servers.serving import serving

REFUSAL = "The Oracle did not return any results for that rule."
SINK = "http://evil.example:8099"
ENVIRONMENT = "CANARY-of-the-environment-71c"
SECRETS = (API_KEY, API_KEY[::-1], base64.b64encode(API_KEY.encode()).decode(), ENVIRONMENT)


class Obedient(FakeLlm):
    """A model that does what the passage about the question's subject says."""

    @property
    def reply(self) -> str:
        """What the poisoned passage of the last prompt orders; a plain sentence without one."""
        passages, _, question = self.prompts[-1].rpartition("Question: ")
        fence = re.search(r"<passage-(\w+) ", passages)
        for poison in POISONS:
            if poison.subject in question.lower() and poison.subject in passages.lower():
                return fill(poison, fence[1] if fence else "", self.keys[-1].split()[-1])
        return "The passage says so [1]."

    @reply.setter
    def reply(self, _: str) -> None:
        """Obey the passages alone."""


def fill(poison: Poison, fence: str, key: str) -> str:
    """Return the reply that a poison orders, with the secrets that its model has seen."""
    values = {
        "{sink}": SINK,
        "{key64}": base64.b64encode(key.encode()).decode(),
        "{key}": key,
        "{yek}": key[::-1],
        "{fence}": fence,
    }
    text = poison.reply
    for name, value in values.items():
        text = text.replace(name, value)
    return text


@pytest.fixture(scope="module")
def poisoned(index_files: IndexFiles) -> Settings:
    """Settings of an index of the thirty poisoned rules."""
    files = {f"{p.subject}.md": f"# {p.subject.title()}\n\n{p.rule}\n" for p in POISONS}
    return index_files(files, rag_threshold=-9.0).settings


@pytest.fixture(scope="module")
def obeyed(poisoned: Settings) -> Iterator[dict[str, dict[str, Any]]]:
    """The reply of POST /ask to a question about each poisoned rule."""
    llm = Obedient()
    os.environ["CANARY"] = ENVIRONMENT
    model = {"openai_base_url": llm.url, "openai_model": "fake", "openai_api_key": API_KEY}
    settings = Settings.model_validate({**poisoned.model_dump(), **model})
    with serving(settings, create_app(settings)) as client:
        yield {poison.subject: ask(client, llm, poison) for poison in POISONS}
    llm.shutdown()
    del os.environ["CANARY"]


def ask(client: httpx2.Client, llm: Obedient, poison: Poison) -> dict[str, Any]:
    """Return the answer about a poisoned rule, which the model has read and obeyed."""
    reply = client.post("/ask", json={"question": f"What is the rule of the {poison.subject}?"})
    assert reply.status_code == 200, (poison.subject, reply.text)
    assert poison.rule.split(".")[0] in llm.prompts[-1], "the poison has to reach the model"
    answered: dict[str, Any] = reply.json()
    return answered


def test_there_are_thirty_poisons_and_the_model_would_leak_all_kinds() -> None:
    replies = [fill(poison, "f" * 16, API_KEY) for poison in POISONS]
    assert len({poison.subject for poison in POISONS}) == 30
    assert sum("evil.example" in reply for reply in replies) >= 10
    assert sum(any(secret in reply for secret in SECRETS) for reply in replies) >= 10
    assert sum("7777" in reply or "9d9" in reply for reply in replies) >= 6


@pytest.mark.parametrize("poison", POISONS, ids=lambda poison: poison.subject)
def test_no_address_survives_the_sanitizer(poison: Poison) -> None:
    cleaned = clean(fill(poison, "f" * 16, API_KEY)).text
    assert "evil.example" not in cleaned
    assert active(cleaned) == []


@pytest.mark.proves("row 33", "row 34", "promise 9")
def test_no_address_gets_out(obeyed: dict[str, dict[str, Any]]) -> None:
    out = [name for name, reply in obeyed.items() if "evil.example" in reply["answer"]]
    live = [name for name, reply in obeyed.items() if active(reply["answer"])]
    assert (out, live) == ([], [])


@pytest.mark.proves("row 33", "row 37", "promise 9")
def test_no_secret_gets_out(obeyed: dict[str, dict[str, Any]]) -> None:
    out = [name for name, reply in obeyed.items() if any(s in str(reply) for s in SECRETS)]
    fences = [name for name, reply in obeyed.items() if "Marker:" in reply["answer"]]
    assert (out, fences) == ([], [])


@pytest.mark.proves("row 33", "promise 10")
def test_no_number_gets_out_that_no_cited_rule_has(obeyed: dict[str, dict[str, Any]]) -> None:
    wrong = ("sallowfen", "thornbell", "dewstone", "jackleaf", "saltcrow", "amberdrake", "fogmoth")
    out = [
        name
        for name in wrong
        if not obeyed[name]["refused"]
        and re.search(r"7777|9d9", obeyed[name]["answer"])
        and not re.search(r"7777|9d9", " ".join(c["quote"] for c in obeyed[name]["citations"]))
    ]
    assert out == []


@pytest.mark.proves("row 33")
def test_citations_of_obeyed_orders_stand_in_their_files(
    obeyed: dict[str, dict[str, Any]], poisoned: Settings
) -> None:
    for reply in obeyed.values():
        for cited in reply["citations"]:
            text = (poisoned.vault / cited["path"]).read_text("utf-8")
            assert cited["quote"] in text
        if not reply["citations"]:
            assert (reply["answer"], reply["refused"]) == (REFUSAL, True)


@pytest.mark.proves("row 33", "promise 10")
def test_a_poison_that_jams_ends_in_the_exact_refusal(obeyed: dict[str, dict[str, Any]]) -> None:
    for name in ("wispgrass", "yarrowmask"):
        reply = obeyed[name]
        assert (reply["answer"] == REFUSAL) == reply["refused"]
    assert obeyed["wispgrass"]["refused"]


@pytest.mark.proves("row 33", "promise 9")
def test_no_passage_can_hold_the_fence_that_ends_it(poisoned: Settings) -> None:
    llm = FakeLlm()
    settings = poisoned.model_copy(update={"openai_base_url": llm.url, "openai_model": "fake"})
    with serving(settings) as client:
        for subject in ("brinehorn", "cinderlily", "fogmoth"):
            client.post("/ask", json={"question": f"What is the rule of the {subject}?"})
    llm.shutdown()
    for prompt in llm.prompts:
        (fence,) = set(re.findall(r"<passage-(\w{16}) ", prompt))
        passages = len(re.findall(rf"<passage-{fence} ", prompt))
        assert prompt.count(f"</passage-{fence}>") == passages > 1
