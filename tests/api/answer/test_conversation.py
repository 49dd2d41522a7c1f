"""Questions that go on with a conversation, and new ones in it.

The texts are of no vault that anything was fitted on.
"""

from dataclasses import replace

import pytest

from api.answer import conversation
from api.answer.card_reply import AskOptions, card_reply
from retrieval.context import SearchContext
from retrieval.models import SearchResult
from retrieval.search_trace import Timings
from tests.support.index.indexed_text import terms_of
from tests.support.index.ingested import IndexFiles

VAULT = {
    "Chants/Ember Rain.md": (
        "# Ember Rain\n\n- **Range:** 80 paces\n- **Duration:** 3 turns\n- **Price:** 40 marks\n"
        "- **Verses:** 6\n\n"
        "Sparks fall on all within 12 paces.\n"
    ),
    "Chants/Find Object.md": (
        "# Find Object\n\n- **Range:** 20 paces\n- **Duration:** 9 turns\n- **Price:** 5 marks\n"
        "- **Verses:** 2\n\n"
        "The singer feels where it is; the range is told by the pull.\n"
    ),
    "Beasts/Bog Ram.md": "# Bog Ram\n\n- **Temper:** 9\n- **Hide:** 4\n\nIt butts.\n",
    "Temper.md": (
        "# Temper\n\nEvery beast has a temper of 2 to 12. Roll two dice: over it, it flees.\n"
    ),
    "Goods.md": "# Goods\n\n| Thing | Price |\n|---|---|\n| Lamp | 3 marks |\n| Rope | 1 mark |\n",
}


@pytest.fixture(scope="module")
def context(index_files: IndexFiles) -> SearchContext:
    return index_files(VAULT, rag_threshold=-9.0)


def first(context: SearchContext, question: str, *history: str) -> str:
    return card_reply(context, question, AskOptions(history=history)).cards[0].path


def test_what_was_named_last_is_gone_on_with(context: SearchContext) -> None:
    history = ("ember rain", "what about the bog ram?")
    assert first(context, "does it butt", *history) == "Beasts/Bog Ram.md"
    assert first(context, "how far do its sparks fly", "bog ram", "and ember rain?") == (
        "Chants/Ember Rain.md"
    )


@pytest.mark.parametrize(
    "typed",
    [
        "whats the range",
        "what is the range",
        "whats its range",
        "what is its range?",
        "how far",
        "how long does it last",
        "how long?",
        "what does it cost",
        "price?",
        "how much does it cost",
    ],
)
def test_a_field_is_asked_of_what_was_spoken_of_before(context: SearchContext, typed: str) -> None:
    assert first(context, typed, "how much does ember rain burn") == "Chants/Ember Rain.md"


def test_fields_one_after_the_other_are_of_the_same_thing(context: SearchContext) -> None:
    asked = ("tell me about ember rain", "whats the range")
    assert first(context, "how long does it last", *asked) == "Chants/Ember Rain.md"


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("what is temper", "Temper.md"),
        ("how much does a lamp cost among the goods", "Goods.md"),
        ("what is the range of find object", "Chants/Find Object.md"),
        ("bog ram temper", "Beasts/Bog Ram.md"),
    ],
)
def test_what_names_a_thing_or_asks_what_a_field_is_is_new(
    context: SearchContext, typed: str, path: str
) -> None:
    assert first(context, typed, "how much does ember rain burn") == path


MORE = {
    "Chants/Charm Folk.md": (
        "# Charm Folk\n\nOne of the folk is charmed by the singer.\n\n## Waking up\n\n"
        "The charmed one tries to wake once a week.\n"
    ),
    "Chants/Charm Beast.md": (
        "# Charm Beast\n\nA beast is charmed by the singer.\n\n## Waking up\n\n"
        "How often does a beast try to wake again? Every day, and again every night.\n"
    ),
    "Hirelings.md": (
        "# Hirelings\n\n| Hireling | Marks a month | What he does |\n|---|---|---|\n"
        "| Cook | 9 | Soups |\n| Fiddler | 40 | Dances |\n| Groom | 4 | Horses |\n"
    ),
}


@pytest.fixture(scope="module")
def more(index_files: IndexFiles) -> SearchContext:
    return index_files(MORE, rag_threshold=-9.0)


def test_a_follow_up_goes_on_with_what_was_asked(more: SearchContext) -> None:
    asked = "how often do they try to wake again"
    assert first(more, asked, "what does charm folk do") == "Chants/Charm Folk.md"
    assert first(more, asked, "what does charm beast do") == "Chants/Charm Beast.md"


def test_the_row_that_alone_was_chosen_is_gone_on_with(more: SearchContext) -> None:
    history = ("which hireling is the most expensive?",)
    card = card_reply(more, "whats he do for that", AskOptions(history=history)).cards[0]
    assert "Fiddler" in card.best.quote


def test_the_number_of_a_field_is_asked_of_what_was_spoken_of(context: SearchContext) -> None:
    assert first(context, "how many verses", "tell me about ember rain") == "Chants/Ember Rain.md"


def test_a_follow_up_goes_on_in_the_section_that_answered(index_files: IndexFiles) -> None:
    text = (
        "# Tools\n\n## Ship winches\n\n- Hands do not have master rights. Mates may ask for them; "
        "the grant runs for 90 days.\n- A winch is oiled every week.\n\n## Own tools\n\n"
        "Own tools may be used on deck.\n\nCooks are an exception: they may open the store with "
        "their own tools, for as long as their shift lasts.\n"
    )
    context = index_files({"Tools.md": text}, rag_threshold=-9.0)
    options = AskOptions(history=("can i have master rights on my winch",))
    card = card_reply(context, "how long do they last", options).cards[0]
    assert card.heading == "Tools > Ship winches"


CLUB = {
    "Keys.md": (
        "# Keys\n\nEvery member has a key to the boat house.\n\nA lost key costs nothing if it is "
        "told on the same day, and 45 marks if it is told later.\n"
    ),
    "Bites.md": (
        "# Bites\n\nWhoever is bitten by a dog tells the warden within 30 minutes.\n\n"
        "A doctor sees every bite on the same day, and the club pays for it.\n"
    ),
    "Illness.md": "# Illness\n\nWhoever is ill for four days brings a note of a doctor.\n",
    "Parking.md": "# Parking\n\nThere are two spaces in the yard, for 20 minutes.\n",
    "Boats.md": (
        "# Boats\n\n| Boat | Marks a day |\n|---|---|\n| Dinghy | 9 |\n| Canoe | 4 |\n"
        "\nA boat goes out when two members are aboard.\n"
    ),
}


@pytest.fixture(scope="module")
def club(index_files: IndexFiles) -> SearchContext:
    return index_files(CLUB, rag_threshold=-9.0)


@pytest.mark.parametrize(
    ("before", "typed", "path"),
    [
        ("i lost my key, what does it cost me", "i only noticed 3 days later", "Keys.md"),
        ("a dog has bitten me, who do i tell", "do i need a doctor", "Bites.md"),
        ("i have been ill for a week", "do i need a doctor", "Illness.md"),
        ("what is a dinghy a day", "canoe", "Boats.md"),
        ("what is a dinghy a day", "ok and where can i park my car", "Parking.md"),
        ("a dog has bitten me, who do i tell", "how long may i park in the yard", "Parking.md"),
    ],
)
def test_what_a_question_leaves_out_is_taken_from_the_one_before(
    club: SearchContext, before: str, typed: str, path: str
) -> None:
    assert first(club, typed, before) == path


def test_a_conversation_that_the_encoder_cannot_read_whole_is_asked_without_it(
    club: SearchContext,
) -> None:
    options = AskOptions(history=(" ".join(f"key{n}" for n in range(200)),))
    reply = card_reply(club, "i only noticed 3 days later", options)
    assert reply.question == "i only noticed 3 days later"


NOTHING = SearchResult("", (), (), "off", "off", 0.0, "1.1", Timings(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("typed", "is_own"),
    [
        ("who won the world cup in 1998", True),
        ("how far away is the moon", True),
        ("are there gunslingers?", True),  # one word, which no rule has
        ("how far", False),
        ("in the shower", False),
        ("is it loud", False),
    ],
)
def test_what_is_refused_alone_is_its_own_where_it_says_what_of(typed: str, is_own: bool) -> None:
    terms = terms_of({"a.md": "# Loud\n\nFar and loud.\n"})
    alone = replace(NOTHING, certainty="refused", confidence=0.0, terms=terms)
    together = replace(NOTHING, certainty="answered", confidence=0.9, terms=terms)
    assert conversation.is_of_its_own(typed, alone, together) is is_own


def test_a_folder_is_listed_whatever_was_asked_before(index_files: IndexFiles) -> None:
    context = index_files({**VAULT, **MORE}, rag_threshold=-9.0)
    reply = card_reply(context, "list all chants", AskOptions(history=["what is a rope?"]))
    assert [len(one.files) for one in reply.folders] == [4]


@pytest.mark.parametrize("sign", ["'", "?!", "\N{FIRE}\N{DRAGON}?"])
def test_signs_alone_ask_nothing_of_what_was_spoken_of(context: SearchContext, sign: str) -> None:
    for history in (), ("bog ram",):
        reply = card_reply(context, sign, AskOptions(history=history))
        assert reply.talk
        assert not reply.cards


def test_greetings_and_slips_stay_with_the_question_that_had_them(context: SearchContext) -> None:
    history = ("hello", "how much does a lmap cost", "thanks!")
    reply = card_reply(context, "price of the ember rain", AskOptions(history=history))
    assert "hello" not in reply.question
    assert "thanks" not in reply.question
    assert reply.corrections == ()


def test_what_goes_on_after_a_correction_stands_with_the_rule(index_files: IndexFiles) -> None:
    goods = VAULT["Goods.md"] + "\nWith a rope comes a hook.\n"
    errata = (
        "---\nstatus: errata\nsupersedes: Goods.md\n---\n# Second Printing\n\n"
        "The lamp's price is 4 marks.\n"
    )
    context = index_files({**VAULT, "Goods.md": goods, "Errata.md": errata}, rag_threshold=-9.0)
    history = ["how much does a lamp cost?"]
    assert card_reply(context, history[0]).cards[0].path == "Errata.md"
    reply = card_reply(context, "and what do I get with a rope?", AskOptions(history=history))
    assert "Second Printing" not in reply.question
    assert reply.cards[0].path == "Goods.md"
