"""What people say who ask for a whole list, and what only sounds like it. English alone."""

import re
from itertools import pairwise

from retrieval.text.numbers_in_words import PATTERN

ALL = re.compile(
    r"^\W*(?:please )?(?:list|enumerate|name (?:the|all|every|each|some)|remind me of|"
    r"give me (?:the|all|every))\b|"
    r"\b(?:list (?:of|all|'?em|them)|overview|everything (?:you|i|we|that)|(?:whole|full|complete) "
    r"(?:list|table|overview))\b|"
    r"\b(?:all (?:the |of the |our |my |your )?(?:\w+[ -]){0,2}?|all )\w+s\b|"
    r"\b(?:what|which) (?:(?:\w+ ){1,3}is|(?:\w+ ){0,2}\w*[a-rt-z] are) there\W*$|"
    r"\b(?:what|which) (?:\w+ ){0,2}rules (?:are there|do we|apply)\b|"
    r"^\W*what are (?:an? |the |my |our )?(?:[\w-]+ ){0,2}[\w-]+['’]s? (?:\w+ )?\w+s\W*$|"
    r"\bfor each\b|\bwhat (?:\w+ ){0,3}can (?:i|we|you) (?:buy|get|choose|pick|order|play)\b|"
    r"\bwhat can be (?:done|bought|hired|made|ordered|chosen)\b|"
    r"\bfrom (?:\w+ )?\d+ to \d+\W*$|\bevery (?:\w+ )?\w+\W*$|\bday by day\b|"
    r"\blist(?=\W*(?:$|,|please|pls|plz|all|everything))|\ball of (?:'?em|them)\b|"
    r"\b(?:types|kinds|sorts) of \w+s?\b|\b(?:ways|every way) to\b|"
    r"\b(?:which|what) (?:ones|are there)\W*$|"
    r"\b(?:all )?(?:steps|options|restrictions|conditions|modifiers|things|exceptions)"
    r"(?: \w+ing\b| (?:for|to|of|that|while|when|i|we|you)\b|(?<!things)\W*$)",
    re.IGNORECASE,
)
# All of a list, whatever else is said: "what do all those labels mean", "who does what".
WHOLE = re.compile(
    r"^\W*what (?:do|does|are|is) all (?:of )?(?:these|those)\b|"
    r"^(?!\W*(?:is|are|do|does|can|may|has|have|will|must)\b).*\bfor (?:each|every) "
    r"(?:kind|type|sort) of\b|\beverything about how\b|"
    r"^\W*(?:how \w+|who|what|which|where) "
    r"(?:(?!know|tell|see|find|decide|choose|say)[\w'-]+ ){1,4}"
    r"(?:what|which)(?: [a-z]{3,})?\W*$",
    re.IGNORECASE,
)
STEPS = re.compile(
    r"\bstep by step\b|\bwalk me through (?:how|the steps|\w+ing)\b|"
    r"^\W*(?:what|how|which|list|explain|tell|show|give) .{1,80}"
    r"\bin (?:the (?:right|correct) |what |which )?order\W*$|"
    r"^\W*(?:(?:list|give me|show me|what are|which are) )(?:all )?(?:of )?(?:the )?steps\b|"
    r"^\W*(?:the )?steps (?:to|for|of|in)\b",
    re.IGNORECASE,
)
# "How do I give up my plot", "order of a round": each of the numbered steps is done.
HOW_TO = re.compile(
    r"(?:.{0,120}[,.;:?–-] )?\W*(?:so |and |but )?(?:how to\b|"
    r"how (?:do|can|should|would|could) (?:i|we|you|one)\b|"
    r"what (?:do|should|must) (?:i|we|you) (?:have to )?do\b|"
    r"(?:what(?:['’]?s| is) )?(?:the )?(?:order|sequence|steps) (?:of|in|for)\b)",
    re.IGNORECASE,
)
BOTH = re.compile(r"\bboth (?:have|get|know|learn|use|share|cast|of them)\b", re.IGNORECASE)
NUMBERED = re.compile(  # "the twelve cursed items"
    rf"^\W*(?:the |all )?(?:\d{{1,2}}|{PATTERN}) (?:[\w-]+ ){{0,3}}[a-z]{{3,}}s\W*$", re.IGNORECASE
)
# "Fall damage rules" names a section, not a list of rules.
NO_PLURAL = re.compile(
    r"(?:ss|us|is|ous|class|bonus|series|always|does|was|has|this|rules|things|odds|chances)$", re.I
)
_NAMED = re.compile(
    r"^(?:[\w'-]+ ){0,5}(?P<noun>[a-z]{3,}s)"
    r"(?: (?:(?:of|at|on|in|for|with|having) )?(?:\w+ ){1,4}(?:\d+(?: [a-z]+)?|[a-z]))?"
    r"(?: pls| plz| please)?\W*$",
    re.I,
)
# "Chance to find secret doors" asks for the chance: what stands before these says of what.
_HEAD = re.compile(
    r"^(?:[\w'-]+ ){0,3}?(?P<noun>[\w'-]+) (?:to|of|for|vs|versus|against|with|on|in|by|per)\b",
    re.IGNORECASE,
)


def named_plural(text: str) -> tuple[str, ...]:
    """Return the things of a few words that name several, each with the word before it."""
    named, head = _NAMED.search(text), _HEAD.search(text)
    nouns = [found["noun"].lower() for found in (named, head) if found]
    if named is None or any(map(NO_PLURAL.search, nouns)) or nouns[-1][-1] != "s":
        return ()
    words = [word.strip("?!.,;:") for word in text.lower().split()]
    joined = {one for one, other in pairwise(words) if one[-1:] == "s" and other in {"and", "or"}}
    places = [n for n, word in enumerate(words) if word in {*joined, nouns[-1]}]
    return tuple(" ".join(words[max(n - 1, 0) : n + 1]) for n in places)
