"""Take out of an answer what a reader's program would fetch, follow, run or obey.

A model's answer, and a quote of a file, is text by strangers. Every image of it can carry a secret
to a server as soon as it is shown, every link as soon as it is followed (CVE-2025-32711: links in
reference style passed a filter that looked for the inline form). So the text is parsed, and
written again from the parts that are known to be harmless; see `api.checks.markdown_writer`.
"""

import re
import unicodedata
from dataclasses import dataclass

from api.checks import markdown_writer
from api.checks.url_pattern import ADDRESS

_ROUNDS = 3  # the second finds nothing, unless this module is wrong
# What begins a link, an image, HTML or a fence with a language, in any dialect of Markdown. Text
# without any of these stays as it is, character for character.
_SUSPICIOUS = re.compile(
    r"<[A-Za-z/!?]|!\[|\]\(|\]:|&\#?\w+;|\\[^\sA-Za-z0-9]|```[^\n`]*[^\s`]|~~~"
    rf"|{ADDRESS.pattern}",
    re.IGNORECASE | re.VERBOSE,
)
_SHOWN = {"\n", "\t"}
_FIRST_HIDDEN_MARK = "\U000e0100"
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format (bidi, zero width, tags), line ends


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The harmless text, and what was taken out: one name of a kind for each thing, no content.

    Kinds: "image", "html", "link" (its text stays), "autolink", "definition", "address" (bare),
    "control" (escaped, not removed), "markup" (all of it: what was left could not be trusted).
    """

    text: str
    removed: tuple[str, ...]


def clean(markdown: str) -> Cleaned:
    """Return `markdown` without images, HTML, reference definitions, addresses and links.

    Of a link the text stays, and citation markers (`[1]`) do. Control characters become visible
    escapes (\\x1b, \\u202e). The result may be cut anywhere, as a stream does, and put through
    `clean` again: nothing more is taken out.
    """
    text, hidden = _made_visible(markdown.replace("\r\n", "\n"))
    removed = ["control"] * hidden
    if not is_suspicious(text):
        return Cleaned(text, tuple(removed))
    for _ in range(_ROUNDS):
        text, found = markdown_writer.rewrite(text)
        removed += found
        if not found:
            return Cleaned(text, tuple(removed))
    letters = re.sub(r"[^\w\s.,;'-]", " ", ADDRESS.sub(" ", text))
    return Cleaned(letters, (*removed, "markup"))


def is_suspicious(text: str) -> bool:
    """Tell whether `text` holds what could begin a link, an image or HTML."""
    plain = unicodedata.normalize("NFKC", text)  # ｈｔｔｐ：// as a reader's program may read it
    return bool(_SUSPICIOUS.search(text) or _SUSPICIOUS.search(plain))


def visible(text: str) -> str:
    """Return `text` with control, format and half characters as escapes; \\n and \\t stay."""
    return _made_visible(text)[0]


def _made_visible(text: str) -> tuple[str, int]:
    plain = text.replace("\n", "").replace("\t", "")
    if plain.isprintable() and max(plain, default="") < _FIRST_HIDDEN_MARK:
        return text, 0  # as nearly always, and ten times as fast
    parts = [_escape(c) if _is_hidden(c) else c for c in text]
    return "".join(parts), sum(map(_is_hidden, text))


def _is_hidden(character: str) -> bool:
    if character in _SHOWN:
        return False
    # The supplementary variation selectors show nothing and can carry any bytes.
    return (
        unicodedata.category(character) in _HIDDEN
        or _FIRST_HIDDEN_MARK <= character <= "\U000e01ef"
    )


def _escape(character: str) -> str:
    code = ord(character)
    wide = character.encode("ascii", "backslashreplace").decode()
    return wide if code > 0xFF else f"\\x{code:02x}"
