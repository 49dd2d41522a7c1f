"""What a question asks for: a list, two things, two questions in one, a name, or one answer."""

import pytest

from api.answer.question import intent
from retrieval.models import Terms
from retrieval.text.question_phrases import without_command
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES

WHICH = [
    "which things can I do in the harbour",
    "what sailors can I hire and for how much",
    "how many kinds of flags are there",
    "how many flags can I choose from",
    "what can you do in the harbour",
    "Which weapons can a cleric use?",
    "What weapons may a cleric use?",
    "Which monsters are immune to fire?",
    "Which spells do priests get?",
    "What classes are there?",
    "What flags exist?",
    "What ships need a pilot?",
    "What treasures does a kraken have?",
    "What steps are needed to found a stronghold?",
    "which poisons go on a blade",
    "which 2nd level priest spells heal",
    "what level 3 magic-user spells are there",
    "What are the limits of a captain's power?",
]
LISTS = [
    "List all potions",
    "list all of the potions",
    "please list the classes",
    "Enumerate the ships",
    "name the gods of the sea",
    "Remind me of the steps of combat",
    "give me all the spells of a priest",
    "give me every flag",
    "Show me all flags",
    "tell me all the rules",
    "all flags",
    "every sailor",
    "What kinds of armour are there?",
    "types of dragons",
    "What sorts of ships exist?",
    "ways to open a door",
    "What are the ways to leave the harbour?",
    "What are the restrictions for thieves?",
    "What are all the conditions?",
    "exceptions to the rule of two",
    "Give me an overview of combat",
    "the whole table of wages",
    "full list of flags",
    "What can I buy at the harbour?",
    "What food can I buy?",
    "a table of wages from 1 to 10",
    "Everything you know about sailing",
    "flags list, all of em",
    "spells that are on both the priest and the mage list",
    "day by day what happens to a crew",
    "list of flags and what they mean",
    "what armour is there",
    "every way to leave the harbour",
    "spells of protection - which ones",
    "What are a vampire's weaknesses?",
]
PLAIN = [
    "How long does a torch burn?",
    "What is the morale of a kraken?",
    "What is the armour class and morale of a kraken?",
    "Is it all right to swim?",
    "Can I sail all night?",
    "What happens all the time in storms?",
    "What happens when it storms and the mast breaks?",
    "What does a boss cost?",
    "What class is a cleric?",
    "What bonus do I get?",
    "What always happens in a storm?",
    "Which series is this?",
    "Does a kraken attack ships?",
    "How many sailors does a ship need?",
    "May a ship carry its tools?",
    "Can a cleric use any weapon?",
    "What is the name of the harbour master?",
    "Who lists the cargo?",
    "What happens when a ship lists?",
    "Does every ship need a pilot?",
    "Does a storm cost every ship hull points?",
    "How does a mutiny end?",
    "Who pays the crew?",
    "What is this made of?",
    "Do sailors eat bread and cheese?",
    "Can a kraken or a selkie swim?",
    "Does a kraken sing or a storm end?",
    "Is it better to pay the crew?",
    "As a captain, how do I end a mutiny?",
    "Tell me about the harbour toll, please.",
    "what kraken",
    "and other beasts that bite, do they bother her?",
]
KEYWORDS = [
    "kraken",
    "harbour toll",
    "kraken morale",
    "Calm spell range",
    "hit dice selkie",
    "secret doors",
    "tolls 1650",
]


@pytest.fixture(scope="module")
def terms() -> Terms:
    return terms_of(FILES)


@pytest.mark.parametrize("asked", LISTS)
def test_a_whole_list_is_asked_for(asked: str, terms: Terms) -> None:
    assert intent.asks_for_all(asked)
    assert intent.read(asked, terms) == intent.Reading("list")


@pytest.mark.parametrize(
    ("asked", "noun"),
    [
        ("animals i can buy to ride, prices", "animals"),
        ("monsters that drain levels", "monsters"),
        ("sailors without a ship", "sailors"),
        ("sailors that hurt krakens or klabauters", "sailors"),  # nothing is compared
        ("list the flags that forbid landing", ""),  # all of them
        ("things that float", ""),  # no list is called so
    ],
)
def test_a_described_list_is_called_as_its_things(asked: str, noun: str, terms: Terms) -> None:
    reading = intent.read(asked, terms)
    assert (reading.form, reading.several) == ("list", (noun,) if noun else ())


@pytest.mark.parametrize("asked", WHICH)
def test_a_list_may_be_asked_for(asked: str, terms: Terms) -> None:
    assert intent.asks_which(asked)
    assert intent.read(asked, terms) == intent.Reading("which")


@pytest.mark.parametrize("asked", PLAIN)
def test_one_answer_is_asked_for(asked: str, terms: Terms) -> None:
    assert not intent.asks_for_all(asked)
    assert intent.read(asked, terms) == intent.PLAIN


@pytest.mark.parametrize("asked", KEYWORDS)
def test_a_few_words_without_a_question_are_a_name(asked: str, terms: Terms) -> None:
    assert intent.read(asked, terms) == intent.Reading("keyword")


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("monsters on dungeon level 1", "which"),
        ("what injuries give you a mark", "which"),
        ("what rooms cost nothing", "which"),
        ("what does a room cost", "plain"),
        ("sailors for less than 10 gp", "which"),
        ("which sailors cost 10 gp or less", "which"),
        ("which ship is fastest?", "open"),
        ("what undead are there", "list"),
        ("what can a captain build for at most 100 gp", "open"),
        ("how much does each flag cost", "open"),
        ("what is forbidden in the harbour", "open"),
        ("sailors a captain can press", "open"),
        ("damage of a bolt for 8th level", "plain"),
        ("what are the odds of a storm", "plain"),
        ("what happens to whoever falls from 40 feet", "plain"),
        ("what does a sailor need to level up to 5", "plain"),
    ],
)
def test_a_limit_or_each_of_several_may_want_a_list(asked: str, form: str, terms: Terms) -> None:
    assert intent.read(asked, terms).form == form


@pytest.mark.parametrize(
    ("asked", "name", "several"),
    [
        ("2nd  level\nmage spells pls", "", ("mage spells",)),
        ("mage spells level 2", "mage spells level 2", ("mage spells",)),
        ("colours of foreign flags", "colours of foreign flags", ("colours",)),
        ("lost both my spare keys", "", ("spare keys",)),
        ("crew wages and harbour tolls", "", ("crew wages", "harbour tolls")),
    ],
)
def test_a_plural_of_three_words_may_want_a_list_that_is_called_so(
    asked: str, name: str, several: tuple[str, ...], terms: Terms
) -> None:
    assert intent.read(asked, terms) == intent.Reading("which", name=name, several=several)


def test_space_does_not_matter(terms: Terms) -> None:
    assert intent.read("  harbour \n toll ", terms).form == "keyword"


@pytest.mark.parametrize(
    ("asked", "form"),
    [
        ("chance to find secret docks", "plain"),
        ("price of lanterns", "keyword"),
        ("toll for foreign ships", "keyword"),
        ("colours of foreign flags", "which"),
        ("COLOURS OF FOREIGN FLAGS", "which"),
        ("spells for mages level 2", "which"),
    ],
)
def test_a_few_words_ask_for_what_stands_before_of_and_to(
    asked: str, form: str, terms: Terms
) -> None:
    assert intent.read(asked, terms).form == form


def test_what_is_done_with_a_thing_is_no_name_and_no_list(terms: Terms) -> None:
    assert intent.read("how do I press the kraken", terms).form == "plain"
    assert intent.read("finding secret docks", terms).several == ("secret docks",)
    named = terms_of({"Docks.md": "# Docks\n\n## Secret docks\n\nBehind the reeds.\n"})
    assert intent.read("finding secret docks", named) == intent.Reading("keyword")


def test_what_a_thing_is_asks_for_the_section_of_its_name(terms: Terms) -> None:
    for asked in ("What is a kraken?", "tell me about the kraken", "what does a kraken do"):
        assert intent.read(asked, terms) == intent.Reading("keyword", name="kraken")
    assert intent.read("What is a mermaid?", terms) == intent.PLAIN
    assert intent.read("What does a kraken eat?", terms) == intent.PLAIN


@pytest.mark.parametrize(
    ("asked", "of"),
    [
        ("please list all of the potions", "potions"),
        ("Show me the whole table of wages", "wages"),
        ("What types of dragons are there", "dragons"),
        ("mage spells", "mage spells"),
    ],
)
def test_without_its_command_a_list_is_what_it_is_of(asked: str, of: str) -> None:
    assert without_command(asked).split() == of.split()
