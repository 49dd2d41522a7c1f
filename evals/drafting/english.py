"""Turn parts of a rule into parts of a question: case, number, verbs, and what points elsewhere."""

import re

WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
# What a question cannot hold: nobody who has not read the line before knows what it points at.
_POINTING = re.compile(
    r"\b(?:it|its|they|them|their|this|these|those|such|he|she|his|her|both|others?|latter|former|"
    r"above|below|then|there|here|afterwards|same|also|too|so|thus|therefore|otherwise|instead|"
    r"again|else|already|following|next|previous)\b",
    re.IGNORECASE,
)
_IRREGULAR = {"has": "have", "does": "do", "goes": "go"}
_VERBS = frozenset(
    "accept allow apply arrive ask become begin belong block bring carry change charge check close "
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


def points_elsewhere(text: str) -> bool:
    """Tell whether a text has a word for something that another line names."""
    return _POINTING.search(text) is not None


def inside(text: str, known: frozenset[str]) -> str:
    """Return a text as it stands within a sentence.

    Its first word loses its capital where the vault writes it without one (`known`).
    """
    first = WORD.match(text)
    if first and first[0] != first[0].lower() and first[0].lower() in known:
        return text[0].lower() + text[1:]
    return text


def plural(name: str) -> bool:
    """Tell whether the head of a name is plural: "notes in the bin", "links and files"."""
    head = re.split(r" (?:of|in|on|for|with|without|from|to|that|who|which|by|at|under)\b|,", name)
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


def with_article(name: str) -> str:
    """Return a name with "the" in front, unless a determiner or a name of its own opens it."""
    first = name.split(" ")[0]
    bare = first.lower() in _DETERMINERS or first[:1].isupper() or first[:1].isdigit()
    return name if bare or plural(name) else f"the {name}"
