"""What asks nothing of the rules is talked about; what may ask something is searched."""

import pytest

from api.answer.fixed_texts import DEFAULT, Texts
from api.answer.question import small_talk
from api.answer.question.small_talk import Talk
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES

SAID: list[tuple[Talk, list[str]]] = [
    (
        "greeting",
        [
            "hi",
            "Hi!",
            "hiii",
            "hello there",
            "hey oracle",
            "yo",
            "Howdy",
            "greetings",
            "good morning",
            "hi, anyone there?",
            "hello, how are you today?",
        ],
    ),
    (
        "thanks",
        [
            "thanks",
            "Thank you!",
            "thx",
            "cheers",
            "many thanks",
            "ok thanks",
            "thanks a lot, that helps",
            "great, thank you very much",
            "perfect. thanks for the help",
            "bye",
            "goodbye",
            "see you later",
            "good night",
        ],
    ),
    (
        "about",
        [
            "help",
            "help me please",
            "?",
            "???",
            "what can you do?",
            "hi, what can you do?",
            "what can I ask you",
            "who are you",
            "what are you?",
            "are you a bot?",
            "what is this",
            "what's this thing",
            "how does this work?",
            "how do I use this",
            "what kind of questions can I ask here",
        ],
    ),
]
ASKED = [
    "hi what is the wage of a cook?",
    "Hi! What is the wage of a cook?",
    "hello, how long does calm last?",
    "hey kraken morale",
    "hey, can you list the sailors",
    "good morning, when does a mutiny begin?",
    "good evening watch",
    "good day labourers' wage",
    "greetings spell range",
    "hello world spell",
    "thanks, and what about the pilot?",
    "thank you! how far does Calm reach?",
    "help a drowning sailor",
    "help action",
    "what can a cleric do?",
    "what is this spell",
    "how does this spell work?",
    "how do you work metal",
    "what do you know about krakens",
    "who are your gods?",
    "are you allowed to swim",
    "hit points",
    "high tide",
    "history of the harbour",
    "yo-yo",
    "thankless work",
    "kraken",
    "no",
    "",
    " ",
]


@pytest.mark.parametrize(
    ("talk", "message"), [(talk, one) for talk, messages in SAID for one in messages]
)
def test_what_asks_nothing_is_small_talk(talk: Talk, message: str) -> None:
    assert small_talk.kind(message) == talk
    assert small_talk.kind(f"  {message.upper()} \n") == talk


@pytest.mark.parametrize("message", ASKED)
def test_what_may_ask_something_is_none(message: str) -> None:
    assert small_talk.kind(message) is None


def test_a_greeting_is_answered_with_what_the_rules_are_about() -> None:
    terms = terms_of(FILES)
    text = small_talk.reply("greeting", DEFAULT, terms)
    assert text.startswith(f"{DEFAULT.greeting}\n\nThese rules are about: Crew, ")
    assert text.split("\n\n", 1)[1] == small_talk.reply("about", DEFAULT, terms)
    titles = text.split("about: ")[1].split(".\n")[0].split(", ")
    assert len(titles) == len(set(titles)) == 8
    assert set(titles) <= set(terms.headings)


def test_three_questions_are_offered_about_things_of_the_vault() -> None:
    terms = terms_of(FILES)
    *_, last = small_talk.reply("about", DEFAULT, terms).split("\n\n")
    offered = [line.split(" say about ")[1].rstrip("?") for line in last.splitlines()]
    assert len(set(offered)) == 3
    assert set(offered) <= set(terms.headings)


def test_of_a_small_vault_every_title_is_named_once() -> None:
    terms = terms_of({"a.md": "# Oil\n\nIt burns.\n", "b.md": "# Oil\n\nIt floats.\n"})
    text = small_talk.reply("about", DEFAULT, terms)
    assert "about: Oil." in text
    assert text.count("- What do the rules say about") == 1


def test_thanks_and_the_words_of_all_are_the_vault_s_own() -> None:
    own = Texts(greeting="Ahoy.", thanks="Aye.", about="Of {titles}!", tries="Ask:")
    terms = terms_of({"a.md": "# Oil\n\nIt burns.\n"})
    assert small_talk.reply("thanks", own, terms) == "Aye."
    assert small_talk.reply("greeting", own, terms) == (
        "Ahoy.\n\nOf Oil!\n\nAsk:\n\n- What do the rules say about Oil?"
    )
