"""What the signs in a table's cells stand for, as the text beside it says: "Y yes, – no"."""

import re
from collections.abc import Collection

from retrieval.text.legends import explained

# "A" and "I" are words as well, and so is what has two letters and is not written in capitals.
_MARKED = r"\*{0,2}(?P<sign>[^\s\w*]|[B-HJ-Zb-hj-z]|[A-Z]{2}|[AI](?=\*|:| [=–—-]))(?!\w):?\*{0,2}"
_SIGN_BESIDE = re.compile(
    rf"(?:^|[:.;,(·•|/] ?|\n){_MARKED}:?(?: [=–—-])? (?P<means>[A-Za-z][^,;.·•|/\n]*)"
)
# "A dash means: not sold here".
_IN_WORDS = re.compile(
    r"\b(?:an?|the|each|every) (?P<name>dash|hyphen|tick|check ?mark|cross|asterisk|star)\b"
    r"(?: in [a-z' ]{1,30})? (?:means?|stands for|marks)\b:? "
    r"(?P<means>[^.;\n]{2,120})",
    re.IGNORECASE,
)
_CALLED = {
    "dash": "-–—", "hyphen": "-–—", "tick": "✓✔✅", "checkmark": "✓✔✅", "cross": "✗✘❌×",
    "asterisk": "*", "star": "*★",
}  # fmt: skip
_LEAST = 2  # signs that a text explains without a "="


def explained_signs(text: str, signs: Collection[str]) -> dict[str, str]:
    """Return those of `signs` that a text explains, with what each stands for.

    By a "=" or in bold ("N = not at all"), two of them at least in a row ("Y yes, S only with spare
    parts, – not at all"), or by what a sign is called: "A dash means: not at all".
    """
    found = {sign: means for sign, means in explained(text) if sign in signs} if "=" in text else {}
    listed = {
        one["sign"]: one["means"] for one in _SIGN_BESIDE.finditer(text) if one["sign"] in signs
    }
    if len(listed) >= _LEAST:
        found = {**listed, **found}
    for one in _IN_WORDS.finditer(text):
        called = _CALLED[one["name"].lower().replace(" ", "")]
        found = {sign: one["means"] for sign in called if sign in signs} | found
    return found
