"""Greetings, thanks, and "what can you do": what is said where nothing is asked of the rules."""

import re
from typing import Literal

from api.answer.texts import Texts
from retrieval.models import Terms

Talk = Literal["greeting", "thanks", "about"]

_OPENING = (
    r"(?:hi+|hiya|hello+|hey+|heya|yo|howdy|greetings|hullo|good (?:morning|afternoon|evening|day))"
)
_TAIL = r"(?:\s+(?:there|all|everyone|folks|team|again|bot|oracle|mate|friend|guys))*"
_GREETING = re.compile(
    rf"\W*{_OPENING}{_TAIL}(?:\W+(?:any(?:one|body) (?:there|here|home)|you there|"
    r"how are (?:you|u)(?: today)?))?\W*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|great|cool|nice|perfect|awesome|super|ah|alright|got it|good|right)\W+)*"
    r"(?:(?:many )?thanks|thank (?:you|u)|thx|thnx|tx|ty|cheers|much appreciated|appreciate it)\b"
    r"[^?]{0,60}",
    re.IGNORECASE,
)
_FAREWELL = re.compile(r"\W*(?:(?:good)?bye|see (?:you|ya)|good night|cya|later)\b[^?]{0,20}", re.I)
_ABOUT = re.compile(
    rf"\W*(?:{_OPENING}\W+)?(?:help(?: me)?(?: please| pls)?|\?+|"
    r"(?:so )?what (?:all )?can (?:you|u|i|we) (?:do|ask|help|answer|tell)\b[^?]{0,40}|"
    r"(?:who|what) are (?:you|u)\b[^?]{0,20}|"
    r"are (?:you|u) (?:a |an |there|real|human)[^?]{0,40}|what(?:'?s| is) this(?: thing| bot)?|"
    r"how (?:do(?:es)? (?:this|it|you|u)|do i use (?:this|it|you)) ?(?:work|thing|bot)?|"
    r"what do (?:you|u) know(?: about)?|what(?: kind of)? questions can i ask[^?]{0,20})\W*",
    re.IGNORECASE,
)


def kind(question: str) -> Talk | None:
    """Return which small talk a message is; None where it may ask something of the rules."""
    text = " ".join(question.split())
    if _ABOUT.fullmatch(text):
        return "about"
    if _GREETING.fullmatch(text):
        return "greeting"
    if _THANKS.fullmatch(text) or _FAREWELL.fullmatch(text):
        return "thanks"
    return None


def reply(talk: Talk, texts: Texts, terms: Terms) -> str:
    """Return what is said: what the rules are about and three questions that they answer."""
    if talk == "thanks":
        return texts.thanks
    opening = [texts.greeting] if talk == "greeting" else []
    titles = _spread(terms.headings, _TITLES)
    about = texts.about.format(titles=", ".join(titles))
    tries = [f"- What do the rules say about {title}?" for title in _spread(terms.headings, 3)]
    return "\n\n".join([*opening, about, "\n".join([texts.tries, "", *tries])])


_TITLES = 8


def _spread(titles: tuple[str, ...], count: int) -> list[str]:
    """Some of the titles, evenly over all of them, each once."""
    once = list(dict.fromkeys(titles))
    if len(once) <= count:
        return once
    return [once[(2 * n + 1) * len(once) // (2 * count)] for n in range(count)]
