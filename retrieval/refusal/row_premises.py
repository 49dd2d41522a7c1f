"""What a question takes for granted of a table's row that has another value there.

"How much do I pay the harbour master for the bridge" meets the row of the bridge, which is paid to
its warden: the harbour master stands in that column, but in the row of another.
"""

import math
import re
from collections.abc import Iterator, Sequence

from retrieval.models import Evidence, Hit
from retrieval.ranking.lines import QuestionWords
from retrieval.vocabulary.terms import cells, column_names, is_field, stems_of

_ASKS = "how|what|which|who|when|where|why"
_CLAUSE_END = re.compile(
    rf"(?<=[.?!;:]) |, |\b(?:and|so|but|then|because|since) (?=(?:{_ASKS}|is|are|do|does|can|may|"
    r"must|will|should)\b)",
    re.IGNORECASE,
)
_TELLS = re.compile(rf"\b(?:{_ASKS}|since|because|i|we|my|our)\b", re.IGNORECASE)  # no keywords
# In these a value is asked for and not taken for granted, or rows are chosen by it.
_ASKED = re.compile(
    r"^\W*(?:so |and |but )?(?:is|are|was|were|do|does|did|can|could|may|might|must|will|would|"
    r"should|shall|has|have|had|am|which|list|name|show|compare|if|any|what (?:\w+ )?[a-z]{3,}s|"
    r"who (?:else )?(?:is|are|can|may|must|needs?|gets?))\b|"
    r"\b(?:or|vs|versus|than|differences?|which|both|each|every|all|instead|except|without|not|no|same|like)\b|"
    r"n['’]?t\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[,;/]| (?:and|or) ")
_LEAST_WORDS = 2  # of a value: one alone may be said of anything
_LABEL = 0.35  # of a row's name that a question says which is about it …
_AHEAD = 0.2  # … and by so much more of it than of another row's


def contradicted_row(hit: Hit, asked: QuestionWords) -> Evidence | None:
    """Return the row of the best passage that has another value than the question says it has.

    The question names one row of a table alone, and a value that is another row's in a column of
    which this row has its own. None where it asks for the value, or chooses rows by it.
    """
    granted = [one for one in _CLAUSE_END.split(asked.question) if not _ASKED.search(one)]
    said_so = asked.stems(" ".join(granted))
    if not said_so or not _TELLS.search(asked.question):
        return None
    rows = [one for one in hit.evidence if one.entry.kind == "row" and not is_field(one.entry)]
    if not rows:
        return None
    lead = rows[0].entry.lead
    table = [one for one in rows if one.entry.lead == lead]
    own = _named(table, asked)
    if own is None:
        return None
    mine = cells(own.entry.quote)
    names = [asked.stems(name) for name in column_names(lead, len(mine))]
    about = asked.stems(f"{hit.chunk.path} {own.entry.heading} {own.entry.quote} {lead}")
    for column in range(1, len(mine)):
        for value in _values_of_others(table, own, column):
            stems = frozenset(stems_of(value))
            said = asked.stems(value)
            if not said or not said <= said_so or not stems.isdisjoint(about):
                continue
            if not said.isdisjoint(about) or _is_bare(stems, names[column], said_so):
                continue
            return own
    return None


def _is_bare(value: frozenset[str], column: frozenset[str], said: frozenset[str]) -> bool:
    """Whether a value may be said of anything else: one word, or a number without its unit.

    "I pay by card" says nothing of deposits. "60" of the column "Days" is none in "60 days".
    """
    if all(one.isdigit() for one in value):
        return column.isdisjoint(said)
    return len(value) < _LEAST_WORDS


def _named(table: Sequence[Evidence], asked: QuestionWords) -> Evidence | None:
    """The one row whose name the question says most of; None where two are as much."""
    shares = sorted(((_share(one, asked), n) for n, one in enumerate(table)), reverse=True)
    if shares[0][0] < _LABEL or (len(shares) > 1 and shares[1][0] > shares[0][0] - _AHEAD):
        return None
    return table[shares[0][1]]


def _share(row: Evidence, asked: QuestionWords) -> float:
    name = asked.stems("".join(cells(row.entry.quote)[:1]))
    total = math.fsum(asked.terms.weight(word) for word in name)
    return (
        math.fsum(asked.terms.weight(word) for word in name & asked.words) / total if total else 0.0
    )


def _values_of_others(table: Sequence[Evidence], own: Evidence, column: int) -> Iterator[str]:
    for row in table:
        if row is own:
            continue
        cell = cells(row.entry.quote)
        if column < len(cell):
            yield from (part.strip() for part in _PARTS.split(cell[column]) if part.strip())
