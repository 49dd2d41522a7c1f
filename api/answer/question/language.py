"""Notice a question in another language than the vault's."""

from functools import lru_cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from retrieval.models import Terms
from retrieval.text.words import WORD

# What people write in; the library knows 130 more, some of them all but English.
_KNOWN = (
    "ar bg ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk "
    "sl sr sv th tr uk vi zh"
)
_SURE = 0.6  # probability
_LEAST = 3  # words
_FAR = "\u2e80"  # from here on scripts that are written without spaces
_FAMILIAR = 0.6  # share of words that the vault knows: such a question is in its language
# English as it is typed without its ': "door wont budge".
_SHORT_FORM_WORDS = (
    "aint arent cant couldnt didnt doesnt dont hasnt havent im isnt ive shouldnt thats theres "
    "theyre wasnt werent whats whos wont wouldnt youre"
)
_SHORT_FORMS = frozenset(_SHORT_FORM_WORDS.split())
NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "nl": "Dutch", "pt": "Portuguese", "pl": "Polish",
}  # fmt: skip


def of_vault(terms: Terms) -> str:
    """Return the code of the language that a vault is written in, by its commonest words."""
    return _language(terms.commonest) if terms.commonest else "en"


def foreign(question: str, own: str, terms: Terms) -> str | None:
    """Return the code of the language a question is written in; None where it may be `own`.

    A short question, or one most of whose words the vault has, is never called foreign.
    """
    words = [word.lower() for word in WORD.findall(question) if not word.isdigit()]
    if sum(map(_is_far, question)) > len(question) / 2:  # no spaces to count words by
        words = list(question)
    familiar = sum(word in terms.words or word in _SHORT_FORMS for word in words)
    if len(words) < _LEAST or familiar > _FAMILIAR * len(words):
        return None
    language, probability = _identifier().classify(question)
    return language if language != own and probability >= _SURE else None


def _is_far(letter: str) -> bool:
    return letter >= _FAR and letter.isalpha()


@lru_cache(maxsize=8)
def _language(text: str) -> str:
    found: str = _identifier().classify(text)[0]
    return found


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    """Loaded at the first question that is in doubt: a second."""
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_KNOWN.split())
    return identifier
