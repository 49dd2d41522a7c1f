"""What is said where nothing is asked of the rules: to greetings, thanks, "what can you do", and to
a question in another language than the vault's.
"""

import re
from functools import lru_cache
from typing import Literal

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from api.answer.cards.render import as_text
from api.answer.fixed_texts import Texts
from retrieval.models import Terms
from retrieval.text.words import WORD

_TITLES = 8
Talk = Literal["greeting", "thanks", "about"]

_OPENING = (
    r"(?:hi+|hiya|hello+|hey+|heya|yo|howdy|greetings|hullo|good (?:morning|afternoon|evening|day))"
)
_TAIL = r"(?:\W+(?:there|all|everyone|folks|team|again|bot|oracle|mate|friend|guys))*"
_HOW = r"how (?:are|r) (?:you|u)(?: doing)?(?: today)?"
_GREETING = re.compile(
    rf"\W*(?:{_OPENING}{_TAIL}(?:\W+(?:any(?:one|body) (?:there|here|home)|you there|{_HOW}))?|"
    rf"{_HOW})\W*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\b(?:thanks|thank (?:you|u)|thx|thnx|tx|ty|cheers|appreciated?|bye|goodbye|good night|cya|"
    r"see (?:you|ya))\b",
    re.IGNORECASE,
)
# Words beside a thank or a farewell that ask nothing; with any other one it may be a question.
_POLITE_WORDS = (
    "ok okay great cool nice perfect awesome super ah alright got it good right many much very so "
    "a lot again mate man dude bro all everyone for the your you u ur youre my that this help "
    "helped helps was is lifesaver legend really useful enough have day bot then done im i am will "
    "be back later take care appreciate"
)
_POLITE = frozenset(_POLITE_WORDS.split())
_ABOUT = re.compile(
    rf"\W*(?:{_OPENING}\W+)?(?:help(?: me)?(?: please| pls)?|\?+|"
    r"(?:so )?what (?:all )?can (?:you|u|i|we) (?:do|ask|help|answer|tell)(?: (?:me|you|us|here|"
    r"with|for|about|this|u|with this)){0,3}|(?:who|what) (?:are|r) (?:you|u)|"
    r"are (?:you|u) (?:a |an )?(?:there|real|human|bot|person|robot|ai|machine|program)"
    r"(?: (?:or|a|an|real|human|bot|person|robot|ai|machine|program)){0,5}|"
    r"what(?:'?s| is) this(?: thing| bot)?|"
    r"how (?:do|does|do i use) (?:this|it|you|u)(?: thing| bot)?(?: work)?|"
    r"what do (?:you|u) know|what(?: kind of)? questions can i ask(?: (?:you|u|here))?)\W*",
    re.IGNORECASE,
)
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
LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "nl": "Dutch", "pt": "Portuguese", "pl": "Polish",
}  # fmt: skip


def asks(message: str) -> bool:
    """Tell whether a message may ask something of the rules."""
    return kind(message) is None


def kind(question: str) -> Talk | None:
    """Return which small talk a message is; None where it may ask something of the rules."""
    text = " ".join(question.split())
    if text and (_ABOUT.fullmatch(text) or not WORD.search(text)):  # signs alone ask nothing
        return "about"
    if _GREETING.fullmatch(text):
        return "greeting"
    if _THANKS.search(text) and "?" not in text:
        rest = WORD.findall(_THANKS.sub(" ", text).lower())
        return "thanks" if _POLITE.issuperset(rest) else None
    return None


def reply(talk: Talk, texts: Texts, terms: Terms) -> str:
    """Return what is said: what the rules are about and three questions that they answer."""
    if talk == "thanks":
        return texts.thanks
    opening = [texts.greeting] if talk == "greeting" else []
    titles = [as_text(title) for title in _spread(terms.headings, _TITLES)]
    about = texts.about.format(titles=", ".join(titles))
    tries = [f"- {question}" for question in examples(terms, 3)]
    return "\n\n".join([*opening, about, "\n".join([texts.tries, "", *tries])])


def examples(terms: Terms, count: int) -> list[str]:
    """Return up to `count` questions about titles from all over the vault."""
    titles = [as_text(title) for title in _spread(terms.headings, count)]
    return [f"What do the rules say about {title}?" for title in titles]


def _spread(titles: tuple[str, ...], count: int) -> list[str]:
    """Some of the titles, evenly over all of them, each once."""
    once = list(dict.fromkeys(titles))
    if len(once) <= count:
        return once
    return [once[(2 * n + 1) * len(once) // (2 * count)] for n in range(count)]


def language_of(terms: Terms) -> str:
    """Return the code of the language that a vault is written in, by its commonest words."""
    return _language(terms.commonest) if terms.commonest else "en"


def foreign_language(question: str, own: str, terms: Terms) -> str | None:
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
