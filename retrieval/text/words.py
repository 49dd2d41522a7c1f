"""Words as the guard compares them: stems without the words that every sentence has."""

import re
from collections.abc import Callable

from retrieval.text import numbers_in_words
from retrieval.text.normalize import fold

WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_STOP_WORDS = (
    "a an the and or of to in on at by for from with as is are was were be been being it its this "
    "that these those there here they them their he she his her him you your we our i my which who "
    "whom whose what when where why how if then than so such do does did done has have had can "
    "could may might must shall should will would not no nor never none neither cannot without "
    "into onto upon out off up down over under about per each every any all some both either "
    "also only just very too more most much many few other another same own again still yet "
    "but however while although though because since until unless except after before during "
    "between against through among within toward towards yes one's i.e e.g etc according"
)
STOP = frozenset(_STOP_WORDS.split())
_EVERYDAY = STOP | {"am", "me", "us"}  # an alias that is one of these is told by its capitals
# Whoever or whatever something is done to: "how do I choke someone" asks about choking.
INDEFINITE = frozenset({
    "someone", "somebody", "something", "anyone", "anybody", "anything", "everyone", "everybody",
    "everything",
})  # fmt: skip
_COMMAND = re.compile(
    r"\b(?:please|pls|plz|list|enumerate|name|remind me of|give me|show me|tell me|all|every|each|"
    r"whole|full|complete|overview|table|'?em|them|which|what(?:['’]s)?|are there|can|could|you|i|"
    r"we|the|of|types|kinds|sorts)\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"\b(?:(?:most|least) (?:expensive|costly|dangerous|powerful)|best|worst|good|bad|cheap|dear|"
    r"(?:cheap|dear|prici|costli|heavi|light|long|short|farth|furth|fast|quick|slow|high|low|larg|"
    r"bigg|small|great|strong|weak|tough)est)\b",
    re.IGNORECASE,
)
# What people say around what they ask for. Of rules, "rules" says as little as "question" does.
_SOME = r"(?:the |our |your |an? |any |some |more )?"
_RULES = r"(?:rules?|polic(?:y|ies)|mechanics)"
_INFORMATION = rf"{_SOME}(?:info|information|details|help|everything|anything|something)"
_ON = r"(?:on|about|for|of|with|regarding|concerning|around|behind)"
_ASKS = r"(?=(?:how|what|when|where|who|why|if|whether|which)\b)"
_TALK = (
    r"(?:how|what(?:'?s)?|when|where|who|why|which|if|can|could|would|will|is|are|do|does|did|tell|explain|"
    r"remind|please|quick|just|i|we|i'?m|looking|need)\b"
)
_SAID_FIRST = re.compile(
    rf"\W*(?:(?:please|pls|(?:hi|hey|hello|ok|okay|well)(?=[,!.]| {_TALK}))\b|"
    rf"(?:just )?(?:an? |one )?(?:quick |short |rules? )?(?:question|lookup)(?: {_ON}\b|"
    rf"(?=[,:]| {_TALK}))|"
    rf"(?:can|could|would|will) (?:you|u|someone|anyone) (?:please )?(?=(?:tell|explain|remind)\b)|"
    rf"(?:tell|remind) (?:me|us)(?: again)? {_ASKS}|tell (?:me|us) (?:more )?about\b|"
    rf"explain\b(?: to (?:me|us)\b)?(?: again\b)?|"
    rf"(?:i|we) (?:need|want|would like) (?:to know(?: more)?(?: about\b| {_ASKS})|"
    rf"{_INFORMATION} {_ON}\b|(?=(?:the )?(?:\w+ ){{1,3}}{_RULES}\W*$))|"
    rf"(?:(?:i'?m|i am|we are|we're) )?looking for {_SOME}(?:info|information|details|{_RULES}) "
    rf"{_ON}\b|(?:need )?help (?:me |us )?(?:with|understanding)\b|{_INFORMATION} {_ON}\b|"
    rf"what (?:do|does) {_SOME}(?:rules?|book|rulebook|handbook|policy|manual|docs|documentation) "
    rf"(?:say|state|tell us) {_ON}\b|"
    rf"(?:is|are) there {_SOME}{_RULES} {_ON}\b|(?:do|does) (?:we|you|they) have {_SOME}{_RULES} "
    rf"{_ON}\b|where (?:do|can) (?:i|we|you) find (?=\W*(?:\w+ ){{1,4}}{_RULES}\W*$))[\s,:;.!-]*",
    re.IGNORECASE,
)
_OF_RULES = re.compile(
    rf"\W*(?:what(?:'s| is| are)? )?{_SOME}(?P<rules>{_RULES}) {_ON} (?P<about>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_RULES_OF = re.compile(
    r"\W*+(?P<how>how (?:do|does) (?:the )?)?(?P<about>(?:[\w'-]+ ){0,4}[\w'-]+) "
    r"(?P<rules>rules|mechanics)(?(how) work)\W*",
    re.IGNORECASE,
)
_SAID_IN_NAMES = {
    "a",
    "an",
    "the",
    "and",
    "or",
    "of",
    "to",
    "in",
    "on",
    "at",
    "by",
    "for",
    "from",
    "with",
}
_MEASURED = re.compile(
    r"(?<![\w.,])\d[\d.,]*+[ -]?(?:f(?:oo|ee)t|ft|inch(?:es)?|yards?|miles?|k?m|"
    r"(?:kilo)?met(?:er|re)s?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|kg|lbs?|pounds?|percent)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"\b(?:({'|'.join(numbers_in_words.TENS)})[- ])?({'|'.join(numbers_in_words.ORDINALS)})"
    r"(?=[- ](\w+))",
    re.IGNORECASE,
)
_IRREGULAR = {
    "calves": "calf", "children": "child", "dwarves": "dwarf", "elves": "elf", "feet": "foot",
    "geese": "goose", "halves": "half", "hooves": "hoof", "knives": "knife", "loaves": "loaf",
    "men": "man", "mice": "mouse", "oxen": "ox", "scarves": "scarf", "shelves": "shelf",
    "staves": "staff", "teeth": "tooth", "thieves": "thief", "wives": "wife", "wolves": "wolf",
    "women": "woman",
}  # fmt: skip
_ABBREVIATED = re.compile(r"[a-z]{2,4}")


def without_command(text: str) -> str:
    """Return a question without the words of asking: of "please list all potions" the last."""
    return _COMMAND.sub(" ", text)


def without_asking(text: str, is_name: Callable[[str], bool]) -> str:
    """Return what is asked for: of "tell me about the rules for falling" the last word.

    `is_name` tells of words whether something is called by all of them: "house rules". A text that
    holds nothing else stays as it is.
    """
    while (left := _peeled(text, is_name)) != text:
        text = left
    return text


def _peeled(text: str, is_name: Callable[[str], bool]) -> str:
    """A text without the first or last of what is said around what it asks for."""
    left = text
    if found := _SAID_FIRST.match(text):
        said = [word for word in WORD.findall(found[0].lower()) if word not in STOP]
        rest = WORD.findall(text[found.end() :].lower())
        is_called = said and rest[:1] and rest[0] not in STOP and is_name(f"{said[-1]} {rest[0]}")
        left = text[found.end() :] if rest and not is_called else text
    elif found := _RULES_OF.fullmatch(text) or _OF_RULES.fullmatch(text):
        about = WORD.findall(found["about"].lower())
        telling = [word for word in about if word not in STOP]
        beside = about[-1] if found.re is _RULES_OF else next(iter(telling), "")
        is_thing = found.re is _OF_RULES or _SAID_IN_NAMES.issuperset(set(about) & STOP)
        if beside in telling and is_thing and not is_name(f"{beside} {found['rules']}"):
            left = found["about"]
    return left if any(word.lower() not in STOP for word in WORD.findall(left)) else text


def without_degree(text: str) -> str:
    """Return a question without words that only compare: of "cheapest armour" the last."""
    return _DEGREE.sub(" ", text)


def amounts_in(text: str) -> str:
    """Return the figures of a text that have a standard measure behind them: "60 feet"."""
    return " ".join(_MEASURED.findall(text))


def ordinals_in_digits(text: str, is_counted: Callable[[str], bool]) -> str:
    """Return `text` with "second level" as "2 level", where `is_counted` tells so of the word."""

    def in_digits(match: re.Match[str]) -> str:
        tens, ordinal, counted = match.groups()
        if not is_counted(counted):
            return match[0]  # "who goes first"
        number = numbers_in_words.ORDINALS[ordinal.lower()]
        return str(number + (int(numbers_in_words.value(tens)) if tens else 0))

    return _ORDINAL.sub(in_digits, text)


def stem(word: str) -> str:
    """Return a rough stem: "burns", "burned" and "burning" are "burn".

    Both sides of a comparison go through it, so it need not be a word.
    """
    word = word.lower()
    word = word.removesuffix("'s").replace("'", "")
    word = _IRREGULAR.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ie") and len(word) > 4:
        word = word[:-2] + "y"  # as its plural: pixie, pixies
    elif word.endswith(("sses", "shes", "ches", "xes", "ss", "us", "is")):
        word = word[:-2] if word.endswith("es") else word
    elif word.endswith("s") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ied", "ed", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending == "ied" else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def stems(text: str) -> list[str]:
    """Return the stems of the words of `text` that say something, in order; numbers as they are."""
    return [stem(word) for word in WORD.findall(text.lower()) if word not in STOP]


def abbreviates(short: str, words: list[str] | tuple[str, ...]) -> bool:
    """Tell whether `short` is made of the first letters of neighbours in `words`: gp, gold pieces.

    An x stands for a word that begins with "ex", as in XL and XP.
    """
    if not _ABBREVIATED.fullmatch(short):
        return False
    size = len(short)
    return any(
        all(
            _begins(word, letter) for word, letter in zip(words[at : at + size], short, strict=True)
        )
        for at in range(len(words) - size + 1)
    )


def _begins(word: str, letter: str) -> bool:
    return word.startswith(letter) or (letter == "x" and word.startswith("ex"))


def alias_key(alias: str) -> str:
    """Return what an alias is looked up by: its words in lower case, unless that is everyday."""
    words = " ".join(WORD.findall(fold(alias)))
    return words if words.lower() in _EVERYDAY else words.lower()
