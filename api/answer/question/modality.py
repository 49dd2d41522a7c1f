"""Whether a text says what must, what may or what must not be done."""

import re
from typing import Literal

Modality = Literal["must", "may", "must not"]

_NOT = re.compile(
    r"(?:\b(?:not|never)|n['’]?t) (?:be )?(?:allowed|permitted)\b|"
    r"\b(?:forbidden|banned|prohibited)\b|\b(?:is|are) not issued\b|"
    r"\b(?:may|must|can|shall|should) (?:\w+ ){0,2}?(?:not|never)\b|"
    r"\b(?:can|must|should)n?['’]?t\b|"
    r"\bcannot\b|^\W*(?:do not|don['’]t|never)\b",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(?:need not|not (?:need|have) to|without having to|(?:don['’]?t|doesn['’]?t) (?:need|have)|"
    r"not (?:required|necessary))\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|shall|ha(?:ve|s) to|needs? to|required?|obliged|dut(?:y|ies))\b", re.IGNORECASE
)
_MAY = re.compile(r"\b(?:may|can|could|allowed|permitted|free to)\b", re.IGNORECASE)


def modality(text: str) -> Modality | None:
    """Return what a text says of what it speaks of; None where it says nothing, or that it is free.

    "What do I have to do" is "must", "may not" is "must not", "need not" is none of the three.
    """
    if _FREE.search(text):
        return None
    if _NOT.search(text):
        return "must not"
    if _MUST.search(text):
        return "must"
    return "may" if _MAY.search(text) else None
