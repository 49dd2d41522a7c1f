"""Greetings, thanks, and "what can you do": what is said where nothing is asked of the rules."""

import re
from typing import Literal

from api.answer.cards.render import as_text
from api.answer.fixed_texts import Texts
from retrieval.models import Terms
from retrieval.text.words import WORD

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


def kind(question: str) -> Talk | None:
    """Return which small talk a message is; None where it may ask something of the rules."""
    text = " ".join(question.split())
    if _ABOUT.fullmatch(text):
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


_TITLES = 8


def _spread(titles: tuple[str, ...], count: int) -> list[str]:
    """Some of the titles, evenly over all of them, each once."""
    once = list(dict.fromkeys(titles))
    if len(once) <= count:
        return once
    return [once[(2 * n + 1) * len(once) // (2 * count)] for n in range(count)]
