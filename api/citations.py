"""Check what an answer cites: every `[n]` names a passage, every quote stands in its lines."""

import re
from collections.abc import Sequence, Set

from api.quotes import Quote
from api.schema import Citation
from retrieval.models import Entry, Evidence, Hit

_MARKER = re.compile(r"\s?\[(\d+(?:\s?,\s?\d+)*)\]", re.ASCII)  # [1], and [1, 2] as [1][2]
_WORD = re.compile(r"\w+")


def of_quotes(quotes: Sequence[Quote], hits: Sequence[Hit]) -> list[Citation]:
    """Return the citations of a quoted answer, numbered as its text numbers them."""
    return [
        _citation(number, hits[quote.passage - 1], Evidence(quote.entry, quote.score))
        for number, quote in enumerate(quotes, start=1)
    ]


def of_reply(reply: str, hits: Sequence[Hit]) -> tuple[str, list[Citation]]:
    """Return a model's reply without markers of passages that do not exist, and its citations.

    A citation quotes the entry of its passage that shares most words with the statement before
    the marker.
    """
    text = _checked(reply, {str(number) for number in range(1, len(hits) + 1)})
    citations: dict[int, Citation] = {}
    for match in _MARKER.finditer(text):
        number = int(match[1])
        if number not in citations:
            statement = text[: match.start()].rsplit("\n", 1)[-1].rsplit(". ", 1)[-1]
            hit = hits[number - 1]
            citations[number] = _citation(number, hit, _nearest(statement, hit))
    return text.strip(), [citations[number] for number in sorted(citations)]


def _checked(reply: str, known: Set[str]) -> str:
    """Return `reply` with the known markers alone, each for itself."""

    def kept(match: re.Match[str]) -> str:
        numbers = [number for number in re.split(r"\s?,\s?", match[1]) if number in known]
        space = match[0][: match[0].index("[")]
        return space + "".join(f"[{number}]" for number in numbers) if numbers else ""

    text = reply
    while (cleaned := _MARKER.sub(kept, text)) != text:  # what goes can leave a marker: "[8[9]]"
        text = cleaned
    return text


def _nearest(statement: str, hit: Hit) -> Evidence:
    words = set(_WORD.findall(statement.casefold()))
    parts = [found for found in hit.evidence if found.entry.kind != "whole"]

    def shared(found: Evidence) -> float:
        own = set(_WORD.findall(found.entry.text.casefold()))
        return len(words & own) / len(words | own) if own else 0.0

    return max(parts or hit.evidence, key=shared)


def _citation(marker: int, hit: Hit, found: Evidence) -> Citation:
    entry: Entry = found.entry
    if entry.quote not in hit.chunk.text and entry.quote not in hit.chunk.context:
        raise AssertionError(
            f"the quote of {hit.chunk.id}:{entry.first_line} is not in its passage"
        )
    return Citation(
        marker=marker,
        path=hit.chunk.path,
        heading=entry.heading,
        first_line=entry.first_line,
        last_line=entry.last_line,
        quote=entry.quote,
        score=found.score,
    )
