"""Misspelt words become the vault's nearest ones; words of the vault or of English stay."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.answer.question import spelling
from api.answer.question.spelling import Correction
from retrieval.models import NO_TERMS
from tests.support.index.cutting import tokens
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES

TERMS = terms_of(FILES)
LONG = sorted(word for word in TERMS.words if word.isalpha() and len(word) >= 8)


def corrected(question: str) -> tuple[str, tuple[Correction, ...]]:
    return spelling.corrected(question, TERMS, tokens().is_word)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("krakn", "kraken"),
        ("krakken", "kraken"),
        ("krakne", "kraken"),
        ("karken", "kraken"),
        ("selkei", "selkie"),
        ("slekie", "selkie"),
        ("mutinny", "mutiny"),
        ("harbuor", "harbour"),
        ("habour", "harbour"),
        ("clas", "class"),
        ("saylmaker", "sailmaker"),
        ("sailmakr", "sailmaker"),
        ("boatswian", "boatswain"),
        ("boatswein", "boatswain"),
        ("carpentre", "carpenter"),
        ("lihgtning", "lightning"),
        ("forcastle", "forecastle"),
        ("forecastel", "forecastle"),
        ("tentacels", "tentacles"),
        ("tenticles", "tentacles"),
        ("trasure", "treasure"),
        ("duraton", "duration"),
        ("cauking", "caulking"),
        ("hammmers", "hammers"),
        ("mcuh", "much"),
        ("wich", "which"),
        ("logn", "long"),
    ],
)
def test_a_slip_is_corrected(typed: str, meant: str) -> None:
    assert corrected(f"What of the {typed}?") == (
        f"What of the {meant}?",
        (Correction(typed, meant),),
    )


@pytest.mark.parametrize(
    "asked",
    [
        "What is the morale of a kraken?",
        "krakens selkies' KRAKEN",  # known in another form
        "the kraken's Berth",
        "the armor of the harbor",  # spelt as in America
        "penguin and dolphin and photosynthesis",  # English
        "kubernetes",
        "whats dont theyre",
        "THAC0 of 1d6, x1d6y, toll1, krakn1",  # with digits
        "wat sta ern kra hul",  # short
        "qwertyuiop zxcvbn drgaon",  # near to nothing
        "rkaken braken",  # the first letter is wrong
        "tole most cock",  # other words of English, near to words of the vault
        "",
        "?!",
    ],
)
def test_a_word_stays_that_is_known_short_or_far_from_all(asked: str) -> None:
    assert corrected(asked) == (asked, ())


@pytest.mark.parametrize(
    "word", ["without", "discover", "horseback", "takeaway", "layout", "ketchup", "moreover"]
)
def test_a_word_that_only_ends_as_a_particle_stays(word: str) -> None:
    vault = terms_of({"a.md": "# A\n\nWith horse, disc, take, lay, ketch, more, check and log.\n"})
    assert spelling.corrected(word, vault, lambda _: True)[0] == word
    assert spelling.corrected("checkout", vault, lambda _: True)[0] == "check out"
    assert spelling.corrected("pickup", vault, lambda _: True)[0] == "pickup"  # no "pick" in it


def test_what_is_between_the_words_stays_and_each_correction_is_told() -> None:
    asked = "  Krakn –\n(tentacels)?!  "
    text, found = corrected(asked)
    assert text == "  kraken –\n(tentacles)?!  "
    assert found == (Correction("Krakn", "kraken"), Correction("tentacels", "tentacles"))


def test_of_equally_near_words_the_commonest_is_taken() -> None:
    words = terms_of({"a.md": "# Fish\n\nMarlot, marlot and marlow swim.\n"})
    assert spelling.corrected("marlo", words, lambda _: False)[0] == "marlot"


def test_short_words_of_asking_are_turned_round() -> None:
    words = terms_of({"a.md": "# Farm\n\nThe charge for late collection is 9.\n"})
    asked = "whats teh charge for late collection"
    assert spelling.corrected(asked, words, lambda _: False)[0] == asked.replace("teh", "the")


def test_a_vowel_that_is_left_out_is_the_lesser_slip() -> None:
    words = terms_of({"a.md": "# Farm\n\nTicks and ticks bite. Tickets are sold.\n"})
    assert spelling.corrected("tickts", words, lambda _: False)[0] == "tickets"


def test_a_vault_without_words_corrects_nothing() -> None:
    assert spelling.corrected("krakn", NO_TERMS, tokens().is_word) == ("krakn", ())


@given(
    st.lists(st.sampled_from(sorted(TERMS.words)), max_size=9),
    st.sampled_from([str.lower, str.upper, str.title]),
    st.sampled_from([" ", ", ", " – ", "\n"]),
)
def test_a_question_of_the_vault_s_words_is_never_changed(
    words: list[str], case: object, gap: str
) -> None:
    assert callable(case)
    asked = case(gap.join(words))
    assert corrected(asked) == (asked, ())


@given(st.sampled_from(LONG), st.data())
def test_one_slip_in_a_long_word_is_left_or_becomes_a_word_of_the_vault(
    word: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(1, len(word) - 2))
    turned = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    text, found = corrected(turned)
    assert text in TERMS.words or (text == turned and not found)
    assert corrected(text) == (text, ())


def test_a_word_that_makes_a_name_with_the_next_one_is_taken_first() -> None:
    spells = {
        "Lightning Bolt.md": "# Lightning Bolt\n\nIt strikes.\n",
        "a.md": "Listening takes a turn.\n",
    }
    known = terms_of(spells)
    meant = {
        asked: spelling.corrected(asked, known, tokens().is_word)[0]
        for asked in ("how far does a litening bolt go", "litening at a door")
    }
    assert meant == {
        "how far does a litening bolt go": "how far does a lightning bolt go",
        "litening at a door": "listening at a door",
    }


def test_a_spoken_short_form_is_searched_as_the_word_that_the_vault_has() -> None:
    assert corrected("calm per lvl") == ("calm per level", (Correction("lvl", "level"),))
    assert corrected("dmg of a kraken") == ("dmg of a kraken", ())  # no word of this vault


def test_a_name_of_two_words_is_parted_where_it_is_typed_as_one() -> None:
    known = terms_of({"a.md": "# War Hammer\n\nA sword is sharp.\n"})
    assert spelling.corrected("mace or warhammers", known, tokens().is_word) == (
        "mace or war hammers",
        (Correction("warhammers", "war hammers"),),
    )
    assert spelling.corrected("swordwar hammerwar", known, lambda _: True)[1] == ()


def test_a_slip_of_an_alias_is_corrected_and_another_form_of_it_is_none() -> None:
    terms = replace(TERMS, aliases={"resurrect": ("raise",), "checklists": ("worksheets",)})

    def searched(word: str) -> str:
        return spelling.corrected(word, terms, lambda _: False)[0]

    assert searched("resurect") == "resurrect"
    assert searched("resurrecting") == "resurrecting"
    assert searched("checklist") == "checklist"


@pytest.mark.parametrize(
    "question",
    [
        "does the krakon fight the kraken",  # two things: the question holds the one already
        "what does a pint of tea cost",  # an everyday word, though the vault knows "paint"
    ],
)
def test_no_word_becomes_one_of_the_question_nor_an_everyday_one_another(question: str) -> None:
    terms = terms_of(FILES | {"Paint.md": "# Paint\n\nA tin of paint costs 9.\n"})
    assert spelling.corrected(question, terms, tokens().is_word) == (question, ())


def test_a_word_of_english_alone_is_a_slip_where_a_name_of_the_vault_has_its_neighbour() -> None:
    terms = terms_of({"Holy Water.md": "# Holy Water\n\nA vial of it burns a wight.\n"})

    def searched(question: str) -> str:
        return spelling.corrected(question, terms, tokens().is_word)[0]

    assert searched("how do i make holly watter") == "how do i make holy water"
    assert searched("holly wreath") == "holly wreath"
    assert searched("hotel water") == "hotel water"  # two slips


def test_of_a_word_without_its_end_the_end_is_added() -> None:
    terms = terms_of({"a.md": "# Frost\n\nA lake may freeze. Kobolds are many.\n"})
    is_word = tokens().is_word
    assert spelling.corrected("how do i freez it", terms, is_word)[0] == "how do i freeze it"
    assert spelling.corrected("has a kobold fur", terms, is_word)[0] == "has a kobold fur"


@pytest.mark.parametrize("question", ["good card", "team room", "hard axe", "rates card"])
def test_a_word_that_people_use_is_no_slip_of_a_name(question: str) -> None:
    page = "# Gold card\n\nx\n\n## Tea room\n\nx\n\n## Hand axe\n\nx\n\n## Rate card\n\nx\n"
    assert spelling.corrected(question, terms_of({"a.md": page}), tokens().is_word)[0] == question
