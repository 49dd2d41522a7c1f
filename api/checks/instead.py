"""The rule's line in place of a claim: the one that says of its subject what there is to say."""

from collections.abc import Sequence
from dataclasses import dataclass

from api.answer.cards import render
from api.checks import citations
from api.checks.claims import Claim
from api.checks.guard.alignment import evidence
from api.checks.guard.occurrences import content
from api.checks.passage_lines import PassageLine
from api.schema.passages import Citation
from retrieval.models import Entry, EntryKind, Hit
from retrieval.text.normalize import fold
from retrieval.vocabulary.terms import column_names

_CITED = 0.3  # of a claim's words that the line of a passage that it cites must have
_OTHER = 0.5  # the same of a passage that it does not cite
_ASKED = 0.5  # what a word of the question counts beside one of the claim
_UNIT = 2  # letters of a word that says nothing without its number: gp, XP
_KINDS: dict[str, EntryKind] = {"row": "row", "item": "item", "sentence": "sentences"}


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of a passage as it takes a claim's place, with its citation."""

    text: str  # with quotation marks and its marker
    citation: Citation


def of_claim(
    claim: Claim, hits: Sequence[Hit], question: str, taken: Sequence[Citation]
) -> Quote | None:
    """Return the line of the passages that a claim is about, word for word; None for none.

    It has three tenths of the claim's words, half of them where the claim does not cite its
    passage, and is not among the citations that are `taken`.
    """
    known = evidence([citations.source(hit) for hit in hits])
    asked = set(content(fold(question)))
    # No numbers and units, which may be what is wrong.
    said = {word for word in content(claim.text) if word.isalpha() and len(word) > _UNIT}
    said = said if len(said) > 1 else said | asked
    found: list[tuple[float, PassageLine]] = []
    for line in known.lines:
        own = set(content(line.told))
        words = known.said[id(line)] | own
        share = len(said & words) / len(said) if said else 0.0
        header = len(line.cells) > 1 and not any(line.columns)
        if share >= (_CITED if line.passage in claim.cited else _OTHER) and not header:
            score = share + _ASKED * len(asked & words) / max(1, len(asked))
            found.append((score + len(said & own) / 100, line))  # in a tie the line's own words
    if not found:
        return None
    _, best = max(found, key=lambda pair: pair[0])
    return _quote(hits[best.passage - 1], best, said | asked, taken)


def _quote(hit: Hit, line: PassageLine, words: set[str], taken: Sequence[Citation]) -> Quote | None:
    cited = citations.of_line(hit, line)
    if cited is None or any((cited.path, cited.quote) == (t.path, t.quote) for t in taken):
        return None
    kind, place = _KINDS[line.kind], (cited.first_line, cited.last_line)
    entry = Entry(kind, cited.heading, *place, line.quote, line.header, trail="", words="")
    columns = column_names(line.header, len(line.cells))
    shown = render.listed_line(entry, [n for n in columns if words & set(content(fold(n)))])
    return Quote(f"“{shown.rstrip('. ')}” [{line.passage}].", cited) if shown else None
