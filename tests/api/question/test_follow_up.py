"""Follow-ups: what is joined with the question before, what stands alone, and what a model may."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from api.answer.question import follow_up, rewriting
from api.answer.question.rewriting import Rewritten
from api.http.client_disconnect import ClientDisconnect
from api.llm.client import LanguageModel
from api.llm.completion import Reply
from api.schema.usage import Usage
from retrieval.errors import LlmAbandonedError, LlmReplyError
from retrieval.settings import Settings
from tests.support.llm.fake_llm import USAGE, FakeLlm

BEFORE = "How much damage does a long sword do?"
FOLLOW_UPS = [
    "and for elves?",
    "and a trebuchet?",
    "And what if he is already 5th level?",
    "what about dire wolves?",
    "How about on horseback?",
    "same for the wand of fear pls",
    "how long does it last?",
    "does it work underwater",
    "can a thief use it",
    "ok and if I roll a 1?",
    "But with a shield?",
    "for a halfling?",
    "elves?",
    "and the one of withering?",
    "Does the giant one hit harder?",
    "What happens when they are cornered?",
    "also if I used to be a cleric?",
    "thanks! then what do they cost?",
    "how heavy is that one",
    "how much is a new one",
    "what does another one cost",
    "And how long does it stay up if I'm a 7th level MU?",
    "and what do I get with a crossbow?",
]
ALONE = [
    "How long does a torch burn?",
    "and how long does a torch burn?",
    "And the Eiffel Tower, how tall is it?",
    "can I draw and drink as a bonus action?",
    "how many men-at-arms come with a duke",
    "range of misty step?",
    "tiefling racial abilities",
    "How long does it take to drink a potion?",
    "Is it true that elves see in the dark?",
    "Which traps re-arm on their own, and how fast?",
    "Goblin king: how many hit dice and does he hit harder than the rest?",
    "What do we get for unidentified magic if we sell it?",
    "how likely is it that an orc tribe has a troll with them",
    "My henchman just made 3rd level, what must I pay him a day now?",
    "What is the range of Cure Light Wounds?",
    "But when does a monster check morale?",
    "Can a cleric turn ghouls?",
    "horse armour: how heavy is it really",
    "what does the medusa's gaze do, and does a mirror stop it?",
    "Do vampires regenerate?",
    "and how do I reach level one of the dungeon?",
]


@pytest.mark.parametrize("question", FOLLOW_UPS)
def test_a_follow_up_is_put_behind_the_question_before(question: str) -> None:
    found = follow_up.self_contained(question, ["What is a gp?", BEFORE])
    assert found == f"{BEFORE} {question}"


@pytest.mark.parametrize("question", ALONE)
def test_a_question_that_stands_alone_is_left_alone(question: str) -> None:
    assert follow_up.self_contained(question, [BEFORE]) == question


def test_without_history_nothing_is_joined() -> None:
    assert follow_up.self_contained("and for elves?", []) == "and for elves?"
    assert follow_up.self_contained("and for elves?", ["", " "]) == "and for elves?"


def test_a_chain_of_follow_ups_goes_back_to_the_question_that_began_it() -> None:
    history = ["What is a gp?", BEFORE, "and a dagger?"]
    found = follow_up.self_contained("and for elves?", history)
    assert found == f"{BEFORE} and a dagger? and for elves?"


def test_what_is_carried_is_short_and_the_question_is_whole() -> None:
    long = " ".join(f"w{number}" for number in range(500)) + " How much does a lance cost?"
    question = "and " + "very " * 100 + "cheap?"
    found = follow_up.self_contained(question, [long, *["and for elves?"] * 19])
    assert found.endswith(f" {question}")
    assert "a lance cost?" in found
    carried = found.removesuffix(question).split()
    assert len(carried) <= follow_up.MOST_CARRIED


@dataclass
class Written:
    """A model that replies with a text, or fails; it counts the calls."""

    text: str | None
    asked: list[str] = field(default_factory=list)

    def reply(self, messages: object, disconnect: object = None) -> Reply:
        self.asked.append(str(messages))
        if self.text is None:
            raise LlmReplyError("no usable answer")
        return Reply(self.text, 1, 1)


RULE = f"{BEFORE} and for elves?"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("How much damage does a long sword do for elves?", True),
        ("How much damage does a long sword do?", False),  # dropped the elves
        ("for elves", True),
        ("", False),
        ("Elves do 1d8 damage with a long sword.", False),  # 1d8 was never said
        ("How much damage does a long sword do for elves and for drow assassins?", False),
        ("for elves? " * 12, False),  # too long
        ("How much damage?\nFor elves?", False),
    ],
)
def test_a_rewriting_is_taken_only_where_it_is_one(text: str, kept: bool) -> None:
    model = Written(text)
    found = rewriting.rewrite(model, "and for elves?", [BEFORE])
    assert found.question == (text.strip() if kept else RULE)
    assert found.usage == Usage(prompt_tokens=1, completion_tokens=1)  # paid for, taken or not
    assert len(model.asked) == 1


def test_a_model_is_not_asked_about_a_question_that_stands_alone() -> None:
    model = Written("Something else?")
    assert rewriting.rewrite(model, ALONE[0], [BEFORE]) == Rewritten(ALONE[0])
    assert model.asked == []


@pytest.fixture
def real_client(llm: FakeLlm) -> Iterator[LanguageModel]:
    """The client that users get, talking to the fake server over HTTP."""
    values = {"openai_base_url": llm.url, "openai_model": "fake", "llm_timeout": 2.0}
    model = LanguageModel(Settings.model_validate(values))
    yield model
    model.close()


def test_over_http_the_rewriting_is_used_and_a_fault_falls_back(
    real_client: LanguageModel, llm: FakeLlm
) -> None:
    llm.reply = "How much damage does a long sword do for elves?"
    found = rewriting.rewrite(real_client, "and for elves?", [BEFORE])
    assert found.question == llm.reply
    assert found.usage.prompt_tokens == USAGE["prompt_tokens"]
    llm.mode = "401"
    assert rewriting.rewrite(real_client, "and for elves?", [BEFORE]) == Rewritten(RULE)


def test_a_client_that_left_is_no_fault_of_the_model(
    real_client: LanguageModel, llm: FakeLlm
) -> None:
    gone = ClientDisconnect()
    gone.end_all()
    with pytest.raises(LlmAbandonedError):
        rewriting.rewrite(real_client, "and for elves?", [BEFORE], gone)


@pytest.mark.parametrize(
    ("question", "needs"),
    [
        ("ok so how much would one have cost me", True),
        ("how do you get one?", True),
        ("and how much if I simply forget?", True),
        ("which one is best?", False),
        ("how do I buy one of the raised beds", False),
        ("what does one do in a storm", False),
        ("can one sail alone", False),
        ("how much if a guest breaks a window", False),
    ],
)
def test_one_and_how_much_if_are_of_what_was_asked_before(question: str, needs: bool) -> None:
    assert follow_up.is_follow_up(question) == needs
