"""POST /ask with a model that errs by script: what the guard lets out, whole and streamed."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from ingest import pipeline
from retrieval.context import open_context
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.llm.fake_llm import USAGE
from tests.support.llm.scripted_api import Api, Scripted
from tests.support.servers.serving import events, serving
from tests.support.source.quoted import unshown

REFUSAL = "The Oracle did not return any results for that rule."
TORCH = "How long does a torch burn?"
DAGGER = "What does a dagger cost?"
RIGHT = "A torch burns for one hour [1]."
ALTERED = "A torch burns for two hours [1]."
WELDED = "A dagger costs 7 gp [1]."  # of the battle axe
UNCITED = "It lasts one hour."
NOTHING = "Zorgoth pays 77 gp [1]."  # no line is about it
LINES = {
    TORCH: "“A torch burns for one hour” [1].",
    DAGGER: "“Dagger · Cost (gp): 3 · Damage: 1d4” [1].",
}
PLACE = ("path", "first_line", "last_line")
WRONG = [(TORCH, ALTERED, "number"), (DAGGER, WELDED, "welded"), (TORCH, UNCITED, "uncited")]


@pytest.fixture(scope="module")
def scripted(with_model: Settings) -> Iterator[tuple[httpx2.Client, Scripted]]:
    """A client of the API, which asks the scripted model."""
    llm = Scripted()
    changed = {"openai_base_url": llm.url, "llm_timeout": 10.0}
    with serving(with_model.model_copy(update=changed)) as client:
        yield client, llm
    llm.shutdown()


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def api(request: pytest.FixtureRequest, scripted: tuple[httpx2.Client, Scripted]) -> Api:
    """The API, asked both ways."""
    return Api(*scripted, request.param)


def kinds(answer: dict[str, Any]) -> set[str]:
    """Return the kinds of what the guard found."""
    return {found["kind"] for found in answer["guard"]["findings"]}


def test_a_right_answer_passes(api: Api) -> None:
    answer = api.ask(TORCH, RIGHT)
    assert (answer["answer"], answer["mode"]) == (RIGHT, "model")
    assert answer["guard"] == {"verdict": "pass", "findings": [], "readers": []}
    assert len(api.llm.requests) == 1


@pytest.mark.proves("promise 10")
@pytest.mark.parametrize(("question", "wrong", "kind"), WRONG)
def test_a_wrong_answer_is_replaced_by_the_line_that_says_it(
    api: Api, question: str, wrong: str, kind: str
) -> None:
    answer = api.ask(question, wrong)
    assert (answer["guard"]["verdict"], answer["mode"]) == ("repaired", "model")
    assert kind in kinds(answer)
    assert wrong not in answer["answer"]
    (cited,) = answer["citations"]
    assert answer["answer"] == LINES[question]
    for found in answer["guard"]["findings"]:
        assert (found["claim"], found["attempt"], found["became"]) == (1, 1, "quoted")
        assert [found[name] for name in PLACE] == [cited[name] for name in PLACE]
    assert len(api.llm.requests) == 1


@pytest.mark.proves("promise 10")
def test_only_the_claim_that_is_wrong_goes_and_no_word_of_the_others_changes(api: Api) -> None:
    said = f"{RIGHT} It lights 60 feet around its bearer [1]. Zorgoth pays 77 gp for it [1]."
    answer = api.ask("How long does a torch burn and how far does it light?", said)
    assert answer["answer"] == f"{RIGHT} “It lights 30’ around its bearer” [1]."
    assert answer["guard"]["verdict"] == "repaired"
    found = {(one["claim"], one["became"]) for one in answer["guard"]["findings"]}
    assert found == {(2, "quoted"), (3, "struck")}
    assert [cited["first_line"] for cited in answer["citations"]] == [3, 3]


def test_what_leans_on_a_claim_goes_with_it(api: Api) -> None:
    answer = api.ask(TORCH, f"Yes. {ALTERED}")
    assert answer["answer"] == LINES[TORCH]
    assert {one["claim"] for one in answer["guard"]["findings"]} == {1, 2}


def test_claims_of_a_json_object_are_read_as_sentences(api: Api) -> None:
    claims = [
        {"text": "A torch burns for one hour.", "cites": [1]},
        {"text": "It lights 60 feet around its bearer.", "cites": [1]},
    ]
    answer = api.ask(TORCH, json.dumps({"claims": claims}))
    assert answer["answer"] == f"{RIGHT} “It lights 30’ around its bearer” [1]."
    assert [one["claim"] for one in answer["guard"]["findings"]] == [2]
    form = api.llm.requests[0]["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    refused = api.ask(TORCH, '{"claims": []}')
    assert (refused["answer"], refused["refusal_reason"]) == (REFUSAL, "model")


@pytest.mark.parametrize("right", [RIGHT, "A torch burns for one hour [1]. It lights 30 feet [1]."])
def test_a_second_answer_comes_where_nothing_is_left_of_the_first(api: Api, right: str) -> None:
    answer = api.ask(TORCH, NOTHING, right)
    assert (answer["answer"], answer["guard"]["verdict"]) == (right, "retried")
    assert {(one["attempt"], one["became"]) for one in answer["guard"]["findings"]} == {
        (1, "struck")
    }
    again = api.llm.prompts[1]
    assert again.startswith(api.llm.prompts[0][:200])
    assert "does not stand" in again
    assert answer["usage"]["completion_tokens"] == 2 * USAGE["completion_tokens"]


def test_where_nothing_is_left_twice_or_the_second_fails_the_cards_stand_alone(api: Api) -> None:
    answer = api.ask(TORCH, NOTHING, NOTHING)
    assert (answer["guard"]["verdict"], answer["mode"]) == ("quotes", "quotes")
    assert unshown(answer) == []
    api.llm.forget()
    api.llm.script = (NOTHING,)
    api.llm.modes = ["", "401"]
    body = {"question": TORCH, "stream": api.streamed}
    if api.streamed:
        answer = events(api.client, body)[-1][1]
    else:
        answer = api.client.post("/ask", json=body).json()
    assert (answer["guard"]["verdict"], answer["mode"]) == ("quotes", "quotes")


def test_a_model_that_refuses_when_it_is_caught_is_a_refusal(api: Api) -> None:
    answer = api.ask(TORCH, NOTHING, REFUSAL)
    assert (answer["answer"], answer["refusal_reason"]) == (REFUSAL, "model")
    assert (answer["guard"]["verdict"], "number" in kinds(answer)) == ("refused", True)


@pytest.mark.proves("promise 10")
def test_nothing_that_could_be_checked_twice_is_a_refusal(api: Api) -> None:
    answer = api.ask(TORCH, "The passages do not say so.")
    assert (answer["answer"], answer["refusal_reason"]) == (REFUSAL, "no_citation")
    assert answer["citations"] == []


@pytest.mark.parametrize("more", ["The key is c2stY2FuYXJ5LTgz.", "The key: c2stY2FuYXJ5LTgz [1]."])
def test_what_no_passage_says_is_kept_back_without_a_number_in_it(api: Api, more: str) -> None:
    answer = api.ask(TORCH, f"{RIGHT} {more}")
    assert (answer["guard"]["verdict"], answer["answer"]) == ("repaired", RIGHT)
    assert "c2stY2FuYXJ5LTgz" not in str(answer)


def test_a_sentence_that_leads_in_needs_no_source_of_its_own(api: Api) -> None:
    said = "It depends on the torch, as follows:\n\n- A torch burns for one hour [1]."
    answer = api.ask("How long does a torch burn, and in water?", said)
    assert (answer["answer"], answer["guard"]["verdict"]) == (said, "pass")


def test_a_marker_of_the_wrong_passage_is_repaired(api: Api) -> None:
    answer = api.ask(TORCH, "A torch burns for one hour [2].")
    assert (answer["answer"], answer["guard"]["verdict"]) == (RIGHT, "repaired")
    assert [cited["status"] for cited in answer["citations"]] == ["repaired"]
    assert answer["citation_counts"]["repaired"] == 1


def test_markup_that_does_something_is_taken_out(api: Api) -> None:
    answer = api.ask(TORCH, f"{RIGHT} ![x](http://evil.example/?q=1) <img src=http://evil.example>")
    assert answer["answer"] == RIGHT
    assert answer["guard"]["verdict"] == "repaired"


def test_the_findings_do_not_repeat_what_was_kept_back(api: Api) -> None:
    answer = api.ask(TORCH, "A torch burns for 7777 hours [1]. The key is sk-83a1c7 [1].")
    assert not [word for word in ("7777 hours", "sk-83a1c7") if word in str(answer)]


@pytest.mark.proves("promise 10")
@pytest.mark.parametrize(("question", "wrong", "kind"), WRONG[:2])
def test_no_event_of_a_stream_holds_what_the_guard_keeps_back(
    scripted: tuple[httpx2.Client, Scripted], question: str, wrong: str, kind: str
) -> None:
    client, llm = scripted
    llm.forget()
    llm.script = (f"{wrong} {RIGHT if question == TORCH else 'It deals 1d4 [1].'}",)
    found = events(client, {"question": question, "stream": True})
    drafts = [data["text"] for name, data in found if name == "message"]
    assert drafts, "the sentence that is right is shown while the reply is written"
    assert wrong not in str(found)
    assert [name for name, _ in found][-1] == "final_answer"
    assert kind in kinds(found[-1][1])


@pytest.mark.proves("promise 10")
def test_even_a_rule_of_two_words_takes_the_place_of_what_the_guard_keeps_back(
    scripted: tuple[httpx2.Client, Scripted],
    settings: Settings,
    with_model: Settings,
) -> None:
    for file in settings.vault.rglob("*.md"):
        file.unlink()
    write_vault(settings.vault, {"Torch.md": "# Torch\n\nOne hour.\n"})
    own = settings.model_copy(update={"rag_threshold": -9.0})
    with open_context(own) as context:
        pipeline.run(context, own.vault)
    _, llm = scripted
    llm.forget()
    llm.script = (NOTHING,)
    model = {"openai_base_url": llm.url, "openai_model": "fake", "llm_timeout": 10.0}
    with serving(own.model_copy(update=model)) as client:
        answer = client.post("/ask", json={"question": TORCH}).json()
    assert answer["answer"] == "**[1] Torch** (Torch.md:3)\n\nOne hour."
    assert (answer["guard"]["verdict"], answer["refused"]) == ("quotes", False)
    assert unshown(answer) == []
    assert NOTHING not in str(answer)


def test_what_is_wrong_is_told_between_fences_that_are_new_each_time(api: Api) -> None:
    api.ask(TORCH, NOTHING)
    again = api.llm.prompts[1]
    fence = re.search(r"<findings-(\w{16})>", again)
    assert fence
    assert f"</findings-{fence[1]}>" in again
    assert fence[1] not in again[: fence.start()]
    assert "'77': does not stand in passage 1" in again[fence.end() :]
    roles = [message["role"] for message in api.llm.requests[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
