"""Turn parts of a rule into parts of a question: case, number, verbs, and what points elsewhere."""

import re
from collections import Counter
from collections.abc import Iterable

WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_CAPITAL = re.compile(r"[a-z,] \W?([A-Z][^\W_]*(?:['-][^\W_]+)*)")
# What a question cannot hold: nobody who has not read the line before knows what it points at.
_POINTING = re.compile(
    r"\b(?:it|its|itself|themselves|either|neither|they|them|their|this|these|those|such|he|she|his|her|both|others?|latter|former|"
    r"above|below|then|there|here|afterwards|same|also|too|so|thus|therefore|otherwise|instead|"
    r"again|else|already|following|next|previous)\b",
    re.IGNORECASE,
)
_IRREGULAR = {"has": "have", "does": "do", "goes": "go"}
_VERBS = frozenset(
    "accept acknowledge allow apply arrive ask become begin belong block bring carry change charge check close continue "
    "come consist contain cost count cover deliver depend deserve do earn end enter expire fail "
    "follow gain get give go grant happen have hold include keep last leave live lock lose make "
    "mean move need offer open own pass pay print produce protect provide reach receive remain "
    "remove renew report require reset return run save see sell send serve start stay stop store "
    "take travel use vanish wait weigh work".split()
)
_IMPERATIVES = frozenset(
    "announce apply ask book bring call check claim clean close collect complete confirm contact "
    "deliver drive enter file fill give hand inform keep label leave lock log make note notify "
    "open pass pay pick plan poll put read record refuse register repeat report request retry "
    "return send set show sign start stop store switch take tell test use wait wash wear "
    "write".split()
)
_SINGULAR_S = ("ss", "us", "is", "news", "series")
_DETERMINERS = frozenset("a an the each every any no all some one two your our".split())
_NO_THING = frozenset(  # a name that begins so is a place, a time or a condition
    "outside inside elsewhere anywhere everywhere in on at by from under over above below up after "
    "before during with without if when others none home abroad once not".split()
)
# What people say instead of a rule's word, where both fit the same place of a sentence.
_EVERYDAY = {
    "additional": "extra", "altered": "changed", "annual": "yearly", "calculated": "worked out",
    "commence": "start", "deactivated": "switched off", "displayed": "shown", "employees": "staff",
    "granted": "given", "informed": "told", "modified": "changed", "notified": "told",
    "obtain": "get", "permitted": "allowed", "prohibited": "forbidden", "provided": "given",
    "receive": "get", "refunded": "paid back", "reimbursed": "paid back", "remain": "stay",
    "required": "needed", "retained": "kept", "stored": "kept", "submit": "hand in",
    "submitted": "handed in", "telephone": "phone", "terminated": "ended", "transmitted": "sent",
}  # fmt: skip
_EVERYDAY_WORD = re.compile(rf"\b(?:{'|'.join(_EVERYDAY)})\b")


def everyday(question: str) -> str:
    """Return a question in the words that people use for some of those that rules use."""
    return _EVERYDAY_WORD.sub(lambda match: _EVERYDAY[match[0]], question)


def points_elsewhere(text: str) -> bool:
    """Tell whether a text has a word for something that another line names."""
    return _POINTING.search(text) is not None


def names_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that these texts write with a capital in the middle of a sentence.

    A word that is written without one three times as often is none: "New York" makes no name of
    "new".
    """
    lines = [line for text in texts for line in text.split("\n") if not line.startswith("#")]
    capital = Counter(match[1] for line in lines for match in _CAPITAL.finditer(line))
    small = Counter(word for line in lines for word in WORD.findall(line) if word.islower())
    return frozenset(word for word, times in capital.items() if 3 * times > small[word.lower()])


def inside(text: str, names: frozenset[str]) -> str:
    """Return a text as it stands within a sentence: without its capital, unless it is a name's."""
    first = WORD.match(text)
    spelt = first is not None and (first[0] in names or first[0][1:] != first[0][1:].lower())
    if spelt or (first and len(first[0]) == 1 and first[0] != "A"):
        return text
    return text[:1].lower() + text[1:]


def opened(text: str) -> str:
    """Return a text as a sentence opens with it."""
    return text[:1].upper() + text[1:]


def plural(name: str) -> bool:
    """Tell whether the head of a name is plural: "notes in the bin", "links and files"."""
    head = re.split(
        r" (?:of|in|on|for|with|without|from|to|that|who|which|by|at|under|per|as)\b|,| \(", name
    )
    words = WORD.findall(head[0])
    if not words or re.match(r"(?:a|an|each|every|one)\b", name, re.IGNORECASE):
        return False
    last = words[-1].lower()
    return " and " in head[0] or (last.endswith("s") and not last.endswith(_SINGULAR_S)) or last in {
        "people", "staff", "children", "women", "men", "data"}  # fmt: skip


def base(verb: str) -> str | None:
    """Return the plain form of a verb in the third person ("lasts"), None for another word."""
    verb = verb.lower()
    plain = _IRREGULAR.get(verb)
    candidates = [plain] if plain else [verb[:-1], verb.removesuffix("es")]
    if verb.endswith("ies"):
        candidates.append(f"{verb[:-3]}y")
    return next((one for one in candidates if verb.endswith("s") and one in _VERBS), None)


def is_verb(word: str) -> bool:
    """Tell whether a word is one of the plain verbs that rules are written with."""
    return word.lower() in _VERBS


def is_command(word: str) -> bool:
    """Tell whether a sentence that begins with this word tells its reader what to do."""
    return word.lower() in _IMPERATIVES


def with_the(name: str) -> str:
    """Return a name with "the" in front, unless a determiner opens it."""
    return name if name.split(" ")[0].lower() in _DETERMINERS else f"the {name}"


def with_a(name: str) -> str:
    """Return a name of one thing with "a" or "an" in front; others and names of their own bare."""
    first = name.split(" ")[0]
    bare = first in _DETERMINERS or first in _NO_THING or first.endswith("ing")
    if bare or plural(name) or not first.islower():
        return name
    return f"an {name}" if first[0] in "aeiou" else f"a {name}"
