"""What a few words name in the plural: of "2nd level mage spells" the spells."""

import re
from itertools import pairwise

# "Fall damage rules" names a section, not a list of rules.
NO_PLURAL = re.compile(
    r"(?:ss|us|is|ous|class|bonus|series|always|does|was|has|this|rules|things|odds|chances)$", re.I
)
_NAMED = re.compile(
    r"^(?:[\w'-]+ ){0,5}(?P<noun>[a-z]{3,}s)(?: (?:(?:of|at|on|in|for) )?(?:\w+ ){1,2}\d+)?"
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
