"""What people say around what they ask for, left out, and the numbers and codes that they write."""

import re
from collections.abc import Callable

from retrieval.text.normalize import searchable
from retrieval.text.quantities import Value, values
from retrieval.text.words import STOP, WORD, ordinals_in_digits

_COMMAND = re.compile(
    r"\b(?:please|pls|plz|list|enumerate|name|remind me of|give me|show me|tell me|all|every|each|"
    r"(?:whole|full|complete)(?= (?:list|table|overview|set|of)\b)|overview|table|'?em|"
    r"them|which|what(?:['’]s)?|are there|can|could|you|i|we|the|of|types|kinds|sorts)\b",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"\b(?:(?:most|least) (?:expensive|costly|dangerous|powerful)|best|worst|good|bad|cheap|dear|"
    r"(?:cheap|dear|prici|costli|heavi|light|long|short|farth|furth|fast|quick|slow|high|low|larg|"
    r"bigg|small|great|strong|weak|tough)est)\b",
    re.IGNORECASE,
)
_MANNER = re.compile(  # in which an answer is wanted
    r"[,;:]? ?\b(?:step by step|point by point|one by one|in (?:detail|full|short))(?=\W*$)",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b([^\W\d_]{2,})\s+((?![Ii]\b(?!\W*$)|a\b(?!\W*$))[^\W_]{1,2})\b")
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
    rf"(?:the )?definition of\b|what counts as\b(?!.{{1,200}} and (?:what|how|who|when|where)\b)|"
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
_FIELDS_OF = re.compile(
    r"(?:['’]s)? (?:full )?(?:stats?|stat ?block|statistics)\W{0,9}$", re.IGNORECASE
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


def without_command(text: str) -> str:
    """Return a question without the words of asking: of "please list all potions" the last."""
    return _COMMAND.sub(" ", text)


def without_manner(text: str) -> str:
    """Return a question without how it is to be told: "what happens at dawn, step by step"."""
    return _MANNER.sub("", text)


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
    elif (found := _FIELDS_OF.search(text)) and is_name(text[: found.start()]):
        # All fields of a thing are its section, unless something is called so itself.
        left = text if is_name(text) else text[: found.start()]
    return left if any(word.lower() not in STOP for word in WORD.findall(left)) else text


def without_degree(text: str) -> str:
    """Return a question without words that only compare: of "cheapest armour" the last."""
    return _DEGREE.sub(" ", text)


def codes_in(question: str) -> tuple[tuple[str, str], ...]:
    """Return the codes of a question, each behind its kind: "type G", "zone b", "route S2".

    They are one letter, or two signs with a capital or a digit in them. "a" and "i" are words but
    at the end, and figures alone are numbers.
    """
    return tuple(
        (word, sign.upper())
        for word, sign in _CODE.findall(question)
        if len(sign) == 1 or sign != sign.lower() or not sign.isalpha()
        if not sign.isdigit()
    )


def values_in(question: str, is_field: Callable[[str], bool]) -> tuple[Value, ...]:
    """Return the numbers of a question, "first level" among them where `is_field` knows level."""
    text = searchable(ordinals_in_digits(question, is_field).lower())
    return values(text) if any(map(str.isdigit, text)) else ()
