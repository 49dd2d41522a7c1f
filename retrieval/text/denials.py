"""Words that say no, to stand in patterns; each pattern adds what counts as a no in its place."""

import re

ASKED = "not|no|never|cannot|without"  # in questions: "none" and "nobody" ask, and limit nothing
SAID = f"{ASKED}|none|nobody|nothing|neither|nor"  # in rules and answers

# That a question denies something, as it is typed.
DENIES = re.compile(
    rf"\b(?:{ASKED}|except|dont|doesnt|isnt|arent|cant|wont)\b|n['’]t\b", re.IGNORECASE
)
_CLAUSES = re.compile(r"[.,;:]")
_IS_NOT = re.compile(  # of all of a clause: "a shield is never used"
    r"\b(?:is|are|was|be) (?:not|never|refused|forbidden|banned)\b", re.IGNORECASE
)
# What is denied, to the end of its clause: "immune to fear, not to sleep".
_DENIED = re.compile(rf"\b(?:{ASKED}|\w+n['’]t)\b.*", re.IGNORECASE | re.DOTALL)
# "**Good with cats:** no", in a row of a table as well.
_NO_FIELD = re.compile(
    r"[^*:|\n,;]{1,40}(?::\*{0,2}|\*{2}:?|\|)\s*(?:no|none|never|✗|✘)(?!\w| \w)", re.IGNORECASE
)


def stated(text: str) -> str:
    """Return what a text says, without what it denies: of "immune to fear, not to sleep" the first.

    A field that says no ("**Bites:** no") is denied, too.
    """
    clauses = _CLAUSES.split(_NO_FIELD.sub(" ", text))
    return ", ".join(_DENIED.sub(" ", one) for one in clauses if not _IS_NOT.search(one))
