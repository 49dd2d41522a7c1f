"""The parts of a question: two questions in one, two things, and the names in it."""

import pytest

from api.answer.question import intent, parts
from retrieval.models import Terms
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES

PARTS = {
    "does a pilot or a cook sleep aft, which cargo do they load": (
        "does a pilot or a cook sleep aft",
        "which cargo do they load (pilot cook sleep aft)",
    ),
    "What is the wage of a cook, and what is the wage of a pilot?": (
        "What is the wage of a cook",
        "what is the wage of a pilot",
    ),
    "How fast do trolls heal and how do you stop it?": (
        "How fast do trolls heal",
        "how do you stop it (fast trolls heal)",
    ),
    "my cook knows Calm, how long does it last and what is the wage of a pilot": (
        "my cook knows Calm, how long does it last",
        "what is the wage of a pilot",
    ),
    "What is the toll for a ship and what for a boat?": (
        "What is the toll for a ship",
        "What is the toll for a boat",
    ),
    "range of web? and can you burn it": ("range of web", "and can you burn it (range web)"),
    "Who pays the crew; when are they paid?": (
        "Who pays the crew",
        "when are crew paid",
    ),
    "When is dinner and can my mate eat with me?": (
        "When is dinner",
        "can my mate eat with me",
    ),
    "when can i load cargo and what am i not allowed to load": (
        "when can i load cargo",
        "what am i not allowed to load",
    ),
    "How long does Calm last? What is its range?": (
        "How long does Calm last",
        "What is Calm's range",
    ),
}
# Neither thing is a name of the vault.
BY_FORM = [
    ("whats the difference between the rope course and the lead course", "rope", "lead"),
    ("whats the differnce between a ghoul and a skeleton", "ghoul", "skeleton"),
    ("difference between the ward for children and the quiet one in visits", "", ""),
    ("which is cheaper, ten swims or a monthly pass", "ten swims", "monthly pass"),
    ("who is faster, the fighter or the thief", "fighter", "thief"),
    ("student or school staff, who gets more off?", "student", "staff"),
    ("is a single room more expensive than a room for two", "single", "for two"),
    ("storage of teams vs business", "", ""),  # as "save vs magic" is no comparison
    ("if I lose my card or key, what do I do", "", ""),
    ("who is the treasurer, Anna or Bert", "", ""),
    ("can i keep a different pet, a rat and a dog", "", ""),
    ("is it cheaper than it was", "", ""),
    ("a single room or a double room", "", ""),
]
COMPARED = [
    ("Which is tougher, a kraken or a selkie?", "kraken", "selkie"),
    ("Is the kraken faster than a selkie?", "kraken", "selkie"),
    ("kraken or selkie, who has more arms", "kraken", "selkie"),
    ("kraken vs selkie", "kraken", "selkie"),
    ("kraken or selkie, which one bites", "kraken", "selkie"),
    ("which of these bites, a kraken or a selkie", "kraken", "selkie"),
    ("What is the difference between Calm and Fog?", "Calm", "Fog"),
    ("Who earns more, a pilot or a cook?", "pilot", "cook"),
    ("Calm compared to Fog", "Calm", "Fog"),
    ("Calm vs Fog, whats the difference?", "Calm", "Fog"),
    ("Calm or Fog which is worse", "Calm", "Fog"),
    ("compare Calm and Fog ranges", "Calm", "Fog"),
    ("Does the kraken or the selkie have more hit dice?", "kraken", "selkie"),
    ("hit dice of a kraken and a selkie", "kraken", "selkie"),
    ("what is the armour class of the kraken and the selkie", "kraken", "selkie"),
]
NOT_COMPARED = [
    "the kraken bit the pilot and the cook is gone, what now",
    "the armour class and hit dice of a kraken",  # two fields of one thing
    "a kraken with a pilot and a cook",  # no field of either
    "what counts as cargo and what doesn't",
    "what does a temple offer and how big a gift",
    "does a kraken flee from a pilot and a cook",
    "when does a kraken attack vs the pilot",  # against
    "selkie bonus versus kraken",
]


@pytest.fixture(scope="module")
def terms() -> Terms:
    return terms_of(FILES)


@pytest.mark.parametrize(("asked", "parts"), PARTS.items())
def test_of_two_questions_in_one_each_is_whole(
    asked: str, parts: tuple[str, ...], terms: Terms
) -> None:
    assert intent.read(asked, terms) == intent.Reading("parts", parts)


@pytest.mark.parametrize(("asked", "one", "other"), COMPARED)
def test_a_comparison_asks_for_each_of_two_things(
    asked: str, one: str, other: str, terms: Terms
) -> None:
    found = intent.read(asked, terms)
    assert (found.form, len(found.parts)) == ("comparison", 2)
    assert [(one in part, other in part) for part in found.parts] == [(True, False), (False, True)]


@pytest.mark.parametrize(("asked", "one", "other"), BY_FORM)
def test_a_question_may_compare_by_its_form(asked: str, one: str, other: str, terms: Terms) -> None:
    found = intent.read(asked, terms)
    assert (found.form == "comparison") == bool(one)
    if one:
        assert [(one in part, other in part) for part in found.parts] == [
            (True, False), (False, True),
        ]  # fmt: skip


@pytest.mark.parametrize("asked", NOT_COMPARED)
def test_two_names_are_not_two_things_that_are_asked_about(asked: str, terms: Terms) -> None:
    assert intent.read(asked, terms).form != "comparison"


def test_more_than_three_questions_are_asked_as_they_stand(terms: Terms) -> None:
    asked = "Who pays the crew? Who pays the cook? Who pays the pilot? Who pays the toll?"
    assert intent.read(asked, terms).parts == ()


@pytest.mark.parametrize(
    ("asked", "things"),
    [
        ("How long does Calm last, and Fog?", ["Calm", "Fog"]),
        ("Are KRAKENS worse than a Kraken?", ["KRAKENS", "Kraken"]),
        ("kraken, kraken", ["kraken"]),
        ("What is the morale of a whale?", []),
        ("What is the harbour toll for old tolls 1650?", ["toll", "tolls 1650"]),
    ],
)
def test_things_are_the_names_of_the_vault_and_no_fields(
    asked: str, things: list[str], terms: Terms
) -> None:
    assert parts.things_in(asked, terms) == things


def test_what_was_typed_is_no_template_of_an_expression(terms: Terms) -> None:
    typed = r"What were the tolls\1650 and what did they cost a ship"
    assert parts.clauses(typed, terms)[1] == r"what did tolls\1650 cost a ship"


@pytest.mark.parametrize(
    "asked",
    [
        "bringing my own canoe, what do I have to do to launch it",
        "last morning aboard, what jobs do we have",
        "how do you sort the cargo, what goes where",
        "my mate is 15, what may he load",
        "The kraken has been in the hold for weeks, how fast does it lose its worth?",
        "my mate is 7 on friday and has her birthday on sunday, which age do you go by",
        "lost my key, who do i tell",
        "when the ship sinks, who is paid and who is not",
        "when are there more than ten, what does it cost",
    ],
)
def test_what_says_when_or_of_what_is_no_question_of_its_own(asked: str) -> None:
    assert parts.clauses(asked, terms_of(FILES)) == ()


@pytest.mark.parametrize(
    "asked",
    [
        "opening times, what days are you closed",
        "training fees, who pays",
        "i wonder whether guests may vote and when the bar is open",
        "i am a member, can dogs come in and where may i park",
    ],
)
def test_a_few_words_before_a_comma_may_be_a_question(asked: str) -> None:
    assert len(parts.clauses(asked, terms_of(FILES))) == 2
