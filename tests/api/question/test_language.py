"""A question in another language than the vault's is noticed; a short or familiar one is not."""

import pytest

from api.answer.question.small_talk import foreign_language, language_of
from retrieval.models import NO_TERMS, Terms
from tests.support.index.indexed_text import terms_of
from tests.support.vaults.made_vault import FILES

GERMAN = {
    "a.md": (
        "# Licht\n\nEine Fackel brennt eine Stunde lang und leuchtet dreißig Fuß weit. "
        "Wer ins Wasser fällt, dem geht sie sofort aus, und niemand kann sie dort anzünden.\n"
    )
}


@pytest.fixture(scope="module")
def terms() -> Terms:
    return terms_of(FILES)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("Wie lange brennt eine Fackel?", "de"),
        ("Was kostet ein Langschwert im Laden?", "de"),
        ("Wie hoch ist der Harbour Toll pro Mast?", "de"),
        ("Combien de temps dure une torche ?", "fr"),
        ("Quel est le salaire du cuisinier ?", "fr"),
        ("¿Cuánto dura una antorcha?", "es"),
        ("Cuanto cuesta una espada larga", "es"),
        ("Quanto costa una spada lunga?", "it"),
        ("Hoe lang brandt een fakkel?", "nl"),
        ("Ile kosztuje długi miecz?", "pl"),
        ("Сколько стоит меч?", "ru"),
        ("Hur länge brinner en fackla?", "sv"),
        ("Jak dlouho hoří pochodeň?", "cs"),
    ],
)
def test_a_foreign_question_is_noticed(asked: str, code: str, terms: Terms) -> None:
    assert foreign_language(asked, "en", terms) == code


@pytest.mark.parametrize(
    "asked",
    [
        "How long does a torch burn?",
        "What is the wage of a cook?",
        "what des a kraken et",
        "hw mch dos a swrd cst",
        "longbow dmg vs plate",
        "spell save dc",
        "1d6 2d8 3d10",
        "per diem et cetera",
        "de facto captain",
        "pro rata fee",
        "harbour wont budge",
        "",
    ],
)
def test_english_however_it_is_typed_is_not(asked: str, terms: Terms) -> None:
    assert foreign_language(asked, "en", terms) is None


@pytest.mark.parametrize("asked", ["Guten Tag", "Kraken Moral", "hola", "была", "20 30 guten 40"])
def test_what_is_shorter_than_three_words_is_not(asked: str, terms: Terms) -> None:
    assert foreign_language(asked, "en", terms) is None


def test_a_question_of_the_vault_s_words_is_in_its_language(terms: Terms) -> None:
    french = {
        **FILES,
        "10. Names.md": "# Ports\n\nPort du Salut; Quai de la Lune; Rue des Voiles.\n",
    }
    asked = "Port du Salut, Quai de la Lune"
    assert foreign_language(asked, "en", terms) == "fr"
    assert foreign_language(asked, "en", terms_of(french)) is None


def test_the_language_of_a_vault_is_that_of_its_words(terms: Terms) -> None:
    assert language_of(terms) == "en"
    assert language_of(terms_of(GERMAN)) == "de"
    assert language_of(NO_TERMS) == "en"


def test_to_a_german_vault_english_is_foreign() -> None:
    terms = terms_of(GERMAN)
    assert foreign_language("How much does a long sword cost?", "de", terms) == "en"
    assert foreign_language("Was kostet ein langes Schwert?", "de", terms) is None
