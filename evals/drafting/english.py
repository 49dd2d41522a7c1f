"""Turn parts of a rule into parts of a question: case, number, verbs, and what points elsewhere."""

import re
from collections import Counter
from collections.abc import Iterable

WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_CAPITAL = re.compile(r"[a-z,] \W?([A-Z][^\W_]*(?:['-][^\W_]+)*)")
# What a question cannot hold: nobody who has not read the lines before knows what it points at.
_POINTING = re.compile(
    r"\b(?:it|its|itself|themselves|either|neither|they|them|their|this|these|those|such|he|she|"
    r"his|her|both|others?|latter|former|above|below|then|there|here|afterwards|same|also|too|so|"
    r"thus|therefore|otherwise|instead|again|else|already|following|next|previous)\b",
    re.IGNORECASE,
)
_VERB_WORDS = (
    "accept acknowledge allow apply arrive ask become begin belong block bring carry change charge "
    "check close come consist contain continue cost count cover deliver depend do earn end enter "
    "expire fail follow gain get give go grant happen have hold include keep last leave live lock "
    "lose make mean move need offer open own pass pay print produce protect provide reach receive "
    "remain remove renew report require reset return run save see sell send serve set split start "
    "stay stop store take travel use wait weigh work"
)
_COMMAND_WORDS = (
    "announce apply ask book bring call check claim clean close collect complete confirm contact "
    "deliver enter file fill give hand inform keep leave lock log make notify open pass pay pick "
    "plan poll put read record register repeat report request retry return send set show sign "
    "start stop store switch take tell test use wait wear write"
)
_VERBS, COMMANDS = frozenset(_VERB_WORDS.split()), frozenset(_COMMAND_WORDS.split())
_BARE = re.compile(  # names that need no article: with one, or a place, a time or a condition
    r"(?:an?|the|each|every|any|no|all|some|one|two|your|our|outside|inside|elsewhere|in|on|at|by|"
    r"from|under|over|up|after|before|during|with|without|if|when|others?|none|home|abroad|not|"
    r"\w+ing(?= (?:an?|the|your|for|in|on|at|with|to|of|away|back|up|out|\w+s)\b|$))\b|[^a-z]"
)
# What people say instead of a rule's word, where both fit the same place of a sentence.
_EVERYDAY = {
    "additional": "extra", "calculated": "worked out", "displayed": "shown", "granted": "given",
    "modified": "changed", "notified": "told", "permitted": "allowed", "provided": "given",
    "reimbursed": "paid back", "refunded": "paid back", "remain": "stay", "required": "needed",
    "retained": "kept", "stored": "kept", "submit": "hand in", "submitted": "handed in",
    "terminated": "ended", "transmitted": "sent",
}  # fmt: skip
_EVERYDAY_WORD = re.compile(rf"\b(?:{'|'.join(_EVERYDAY)})\b")


def everyday(question: str) -> str:
    """Return a question in words that people use for some of those that rules use."""
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


def inside(text: str, names: frozenset[str] = frozenset()) -> str:
    """Return a text as it stands within a sentence: without its capital, unless it is a name's."""
    first = WORD.match(text)
    word = first[0] if first else ""
    spelt = word in names or word[1:] != word[1:].lower() or (len(word) == 1 and word != "A")
    if not re.match(r"(?:An?|The|Each|Every|Any|No|One|All) ", text):  # but "Kestrel House" is one
        spelt = spelt or re.match(r"\S+ [A-Z][a-z]", text) is not None
    return text if spelt else text[:1].lower() + text[1:]


def plural(name: str) -> bool:
    """Tell whether the head of a name is plural: "notes in the bin", "links and files"."""
    head = re.split(
        r" (?:of|in|on|for|with|without|from|to|that|who|by|at|under|per|as|a|worth)\b|,| \(", name
    )[0]
    last = head.lower().split(" ")[-1]
    if re.match(r"(?:a|an|each|every|one)\b", name, re.IGNORECASE):
        return False
    many = last.endswith("s") and not last.endswith(("ss", "us", "is", "news", "series"))
    return many or " and " in head or last in {"people", "staff", "children", "data"}


def base(verb: str) -> str:
    """Return the plain form of a verb in the third person ("lasts"), "" for another word."""
    verb = verb.lower()
    forms = (verb.removesuffix("s"), verb.removesuffix("es"), re.sub("ies$", "y", verb))
    plain = next((form for form in forms if form != verb and form in _VERBS), "")
    return "have" if verb == "has" else plain


def is_verb(word: str) -> bool:
    """Tell whether a word is one of the plain verbs that rules are written with."""
    return word in _VERBS


def with_article(article: str, name: str) -> str:
    """Return a name with "the" or "a" in front where it takes one; "a" becomes "an"."""
    bare = _BARE.match(name)
    if article == "the":
        return f"the {name}" if not bare or bare[0].endswith("ing") or name[0].isupper() else name
    return name if bare or plural(name) else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
