"""Contractions in full: "what's", "whats" and "dont" are "what is" and "do not".

Short forms say nothing, yet count as words that the rules lack: full text gives "whats", and the
"re" of "they're", the weight of its rarest words.
"""

import re
from collections.abc import Container

_ENDINGS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "n't": "not"}
_IRREGULAR = {"can't": "cannot", "won't": "will not", "shan't": "shall not", "let's": "let us",
              "ain't": "is not"}  # fmt: skip
_IS = "what|where|who|how|when|why|that|there|here|it|he|she"
_FORM = re.compile(
    rf"\b(?:(?:can|won|shan|ain)'t|let's|(?P<word>[a-z]+?)(?P<end>n't|'(?:m|re|ve|ll|d))|"
    rf"(?P<is>{_IS})'s)(?!\w|')",
    re.IGNORECASE,
)
# Without its apostrophe. Not those that are another word as well: ill, id, well, were, its, lets.
_BARE_FORMS = """
    what's where's who's how's that's there's he's she's i'm i've don't doesn't didn't isn't aren't
    wasn't weren't can't won't couldn't shouldn't wouldn't hasn't haven't hadn't mustn't they're
    they've they'll you're you've you'll it'll
"""
_BARE = {form.replace("'", ""): form for form in _BARE_FORMS.split()}
_BARE_FORM = re.compile(rf"\b(?:{'|'.join(_BARE)})\b(?!['’])", re.IGNORECASE)


def in_full(question: str, written: Container[str]) -> str:
    """Return an English question with its contractions in full, all else as it stands.

    One without its apostrophe is left where the rules themselves have that word, as the `written`
    ones in lower case say: a thieves' cant.
    """

    def marked(match: re.Match[str]) -> str:
        return match[0] if match[0].lower() in written else _BARE[match[0].lower()]

    return _FORM.sub(_in_full, _BARE_FORM.sub(marked, question).replace("’", "'"))


def _in_full(match: re.Match[str]) -> str:
    if match["is"]:
        return f"{match['is']} is"
    if match["end"]:
        return f"{match['word']} {_ENDINGS[match['end'].lower()]}"
    return _IRREGULAR[match[0].lower()]
