"""Fold typographic variants, open numbers and contractions, so that one spelling is searched.

What is searched is not what is shown: quotes keep the file's own characters.
"""

import re
import unicodedata
from collections.abc import Callable

from retrieval.text.numbers_in_words import SMALL, TENS

FOLDING_VERSION = 3  # part of the index's fingerprint: raise it with every change of a result
_ENDINGS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "n't": "not"}
_IRREGULAR = {"can't": "cannot", "won't": "will not", "shan't": "shall not", "let's": "let us",
              "ain't": "is not"}  # fmt: skip
_IS = "what|where|who|how|when|why|that|there|here|it|he|she"
_WHO = rf"i|you|we|they|this|{_IS}"
_DO = "is|are|was|were|do|does|did|has|have|had|would|could|should|must|need|might"
_FORM = re.compile(
    rf"\b(?:(?:can|won|shan|ain)'t|let's|(?P<word>{_DO}|(?:{_WHO})(?='))"
    rf"(?P<end>n't|'(?:m|re|ve|ll|d))|(?P<is>{_IS})'s)(?!\w|')",
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


class _Folding(dict[int, str | None]):
    """What becomes of a character, by its code; looked up once each, as `str.translate` asks."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        gone = char != "\n" and unicodedata.category(char) in {"Cf", "Cc"}
        self[code] = None if gone else char
        return self[code]


_VARIANTS = _Folding()
_VARIANTS.update(
    (ord(char), folded)
    for char, folded in {
        **dict.fromkeys("’‘‛′`´", "'"),
        **dict.fromkeys("“”„″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f\u3000\t\f\v\x85\u2028\u2029", " "),
        "×": "x",
        "…": "...",
        "½": " 1/2",
        "¼": " 1/4",
        "¾": " 3/4",
        "⅓": " 1/3",
        "⅔": " 2/3",
    }.items()
)
_FEET = re.compile(r"(?<=\d)'(?!\w)|(?<=\d)'(?=x ?\d)")  # 30' and both of 10'x10'
_FEET_BY = re.compile(r"feetx ?(?=\d)")  # 10'x10'
_INCHES = re.compile(r'(?<=\d)"(?!\w)')
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBERING = re.compile(r"^\d+[.)]?\s+|(?<=\w) [0-9a-f]{32}$")
_SPACES = re.compile(r" {2,}")
_PADDING = re.compile(r"(?<=\S) {2,}")
_DASHES = re.compile(r"-{4,}")
# Without "one", which is a pronoun more often than a number.
_NUMBERS = {w: n for w, n in {**SMALL, **TENS, "hundred": 100}.items() if w != "one"}
_WORDS = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_NUMBER_WORD = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_SPELLED = re.compile(rf"\b(?:one|{_WORDS})(?:[- ](?:one|{_WORDS}))*\b", re.IGNORECASE)


def fold(text: str) -> str:
    """Return `text` with one spelling for quotes, dashes, spaces, fractions; idempotent.

    Zero-width, bidirectional and other control characters go; line breaks stay.
    """
    kept = unicodedata.normalize("NFC", text).translate(_VARIANTS)
    # Composed once more: a mapping or a dropped joiner can bring a letter to its accent.
    return _SPACES.sub(" ", unicodedata.normalize("NFC", kept))


def searchable(text: str) -> str:
    """Return folded `text` as it is embedded and indexed: 30' is 30 feet, 1,200 is 1200.

    A number written as a word gets its digits ("twenty" becomes "20"), for questions and for
    rules alike, so both meet.
    """
    text = _THOUSANDS.sub("", fold(text))
    text = _FEET_BY.sub("feet x ", _INCHES.sub(" inches", _FEET.sub(" feet", text)))
    return _SPELLED.sub(lambda match: _number(match[0]), text)


def compact(text: str) -> str:
    """Return `text` as a model reads it: table padding and long rules take no word pieces."""
    return _PADDING.sub(" ", _DASHES.sub("---", text))


def comparable(text: str) -> str:
    """Return `text` for finding a quote: folded, without table padding, pipes and line breaks."""
    cells = (cell.strip() for cell in re.split(r"[|\n]", fold(text)))
    return " ".join(_SPACES.sub(" ", cell) for cell in cells if cell)


def _number(words: str) -> str:
    """Return "25" for "twenty-five" and "200" for "two hundred"; other rows of words one by one."""
    parts = [_NUMBERS.get(word.lower(), 1) for word in re.split("[- ]", words)]
    if len(parts) == 1:
        return words if words.lower() == "one" else str(parts[0])
    if len(parts) == 2 and parts[1] == 100 and parts[0] < 10:
        return str(100 * parts[0])
    if len(parts) == 2 and parts[0] in range(20, 100, 10) and parts[1] < 10:
        return str(parts[0] + parts[1])
    return _NUMBER_WORD.sub(lambda match: str(_NUMBERS[match[0].lower()]), words)


def unnumbered(name: str) -> str:
    """Return a folder's or file's name without what numbers it: "12. Combat" is "Combat".

    So does the id of 32 digits that Notion puts behind the name of each page it exports.
    """
    return _NUMBERING.sub("", name)


def without_contractions(question: str, is_kept: Callable[[str], bool]) -> str:
    """Return an English question with its contractions in full: of "whats" it is "what is".

    Short forms say nothing, yet count as words that the rules lack: full text gives "whats", and
    the "re" of "they're", the weight of its rarest words. Those stay of which `is_kept` tells so,
    in lower case: a thieves' "cant", a file called "Don't Panic".
    """

    def marked(match: re.Match[str]) -> str:
        return match[0] if is_kept(match[0].lower()) else _BARE[match[0].lower()]

    def opened(match: re.Match[str]) -> str:
        return match[0] if is_kept(match[0].lower()) else _in_full(match)

    return _FORM.sub(opened, _BARE_FORM.sub(marked, question).replace("’", "'"))


def _in_full(match: re.Match[str]) -> str:
    if match["is"]:
        return f"{match['is']} is"
    if match["end"]:
        return f"{match['word']} {_ENDINGS[match['end'].lower()]}"
    return _IRREGULAR[match[0].lower()]
