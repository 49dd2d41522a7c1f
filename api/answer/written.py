"""A model's reply as text: claims of a JSON object where its server keeps to a schema, or prose.

Nothing is reworded: a claim's citations become markers behind its words.
"""

import json
import re
from collections.abc import Iterator

from pydantic import BaseModel, Field, ValidationError

from api.answer import prompt
from api.llm import exchange
from retrieval.text.line_marks import ITEM_MARK

_OPENING = re.compile(r"\s*(?:```(?:json)?\s*)?\{\s*\"claims\"\s*:\s*\[", re.IGNORECASE)
_SPACE = re.compile(r"[\s,]*")
_END = ".!?:;"
_BLOCK = re.compile(rf"\s*(?:{ITEM_MARK}\s|\||#)")
_STARTS = 64  # characters by which an object is told from prose
_DECODER = json.JSONDecoder()


class _Claim(BaseModel):
    text: str = Field(description="one sentence, no markers")
    cites: list[int]


class _Claims(BaseModel):
    claims: list[_Claim] = Field(description="the sentences of the answer in order; none to refuse")


SCHEMA = exchange.schema("answer", _Claims)


def as_text(reply: str) -> str:
    """Return a whole reply as text with markers; an object without claims is the refusal.

    Of an object that is broken the claims before the break are taken.
    """
    opened = _OPENING.match(reply)
    if not opened:
        return reply
    return _joined(_claims(reply, opened.end())) or prompt.REFUSAL


def is_object(reply: str) -> bool:
    """Tell whether a reply, or its beginning, is an object of claims."""
    return _OPENING.match(reply) is not None


def so_far(reply: str) -> str:
    """Return the text of a reply's beginning: of an object that of its whole claims."""
    if opened := _OPENING.match(reply):
        return _joined(_claims(reply, opened.end()))
    could_open = len(reply) < _STARTS and reply.lstrip()[:1] in {"{", "`", ""}
    return "" if could_open else reply


def _claims(reply: str, at: int) -> Iterator[_Claim]:
    while True:
        space = _SPACE.match(reply, at)
        try:
            found, at = _DECODER.raw_decode(reply, space.end() if space else at)
            yield _Claim.model_validate(found)
        except (json.JSONDecodeError, RecursionError, ValidationError):
            return


def _joined(claims: Iterator[_Claim]) -> str:
    text = ""
    for claim in claims:
        words = claim.text.strip()
        if not words:
            continue
        gap = (
            "\n"
            if text and (_BLOCK.match(words) or _BLOCK.match(text.rsplit("\n", 1)[-1]))
            else " "
        )
        text += f"{gap if text else ''}{_marked(words, claim.cites)}"
    return text


def _marked(words: str, cites: list[int]) -> str:
    """The words with their markers before the full stop; those that they have themselves stay."""
    markers = "".join(f"[{number}]" for number in cites if f"[{number}]" not in words)
    if not markers:
        return words
    at = len(words.rstrip(_END))
    return f"{words[:at]} {markers}{words[at:] or '.'}"
