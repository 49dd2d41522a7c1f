"""Answer without a language model: the lines that come nearest to the question, word for word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from api import conflicts
from api.conflicts import Conflict, Statement
from api.words import stems
from retrieval.fold import searchable
from retrieval.models import Entry, Evidence, Hit, SourceNote

_MOST = 4  # quotes of one answer
_MARGIN = 0.8  # a further quote's score may be so much under the best one's
Notes = Mapping[str, SourceNote]  # by path; a file that is missing has no front matter
NO_NOTES: Notes = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Quote:
    """An entry that is shown, of the passage with this number (from 1)."""

    passage: int
    entry: Entry
    score: float


def choose(hits: Sequence[Hit], question: str = "", notes: Notes = NO_NOTES) -> list[Quote]:
    """Return the best entry of the best passages, best first; empty only where `hits` is.

    At most one entry a passage, and several passages where they come near each other: where two
    sources answer differently (a spell of two classes), both are shown under their places. An
    entry's score is its own plus its passage's (docs/experiments.md, E12).

    Where `notes` say that a passage's file supersedes that of a quote, and the passage speaks of
    what `question` asks there, it is quoted too, and before it (api/conflicts.py).
    """
    quotes = [_best(number, hit) for number, hit in enumerate(hits, start=1)]
    quotes.sort(key=lambda quote: (-quote.score, quote.passage))
    near = [quote for quote in quotes if quote.score >= quotes[0].score - _MARGIN][:_MOST]
    asked = _stems(question)
    near += [
        above
        for number, hit in enumerate(hits, start=1)
        if all(quote.passage != number for quote in near)
        for above in [_above(number, hit, near, hits, asked, notes)]
        if above
    ]
    gone = [_note(quote, hits, notes).is_gone for quote in near]
    order = conflicts.arranged(len(near), differing(near, hits, question, notes), gone)
    return [near[place] for place in order][:_MOST]


def differing(
    quotes: Sequence[Quote], hits: Sequence[Hit], question: str, notes: Notes
) -> list[Conflict]:
    """Return which of the quotes override which, by their places in `quotes` from 0."""
    if not any(note.supersedes for note in notes.values()):
        return []  # as nearly always: then no words need be compared
    statements = [_statement(quote.entry, _note(quote, hits, notes)) for quote in quotes]
    return conflicts.conflicts(statements, _stems(question))


def text(
    quotes: Sequence[Quote], hits: Sequence[Hit], question: str = "", notes: Notes = NO_NOTES
) -> str:
    """Return the answer's Markdown: each quote under its place, a table row with its header.

    Conflicts are named before the quotes. Namesakes in several folders are told apart by these,
    and a source that is no plain rule (errata, another edition) says so.
    """
    paths = [hits[quote.passage - 1].chunk.path for quote in quotes]
    variants = conflicts.variants(list(dict.fromkeys(paths)))
    by_path = dict(zip(dict.fromkeys(paths), variants, strict=True))
    shown = [
        _named(conflict, quotes, hits, notes)
        for conflict in differing(quotes, hits, question, notes)
    ]
    for number, (quote, path) in enumerate(zip(quotes, paths, strict=True), start=1):
        about = [by_path[path], conflicts.label(_note(quote, hits, notes))]
        source = "; ".join(part for part in about if part)
        shown.append(_shown(number, path, quote.entry, source))
    return "\n\n".join(shown)


def _best(passage: int, hit: Hit) -> Quote:
    """The best entry of a passage; the whole passage only where there is nothing smaller."""
    best = max(_parts(hit), key=_near)  # among equals the one with the nearest vector
    return Quote(passage, best.entry, _near(best) + hit.score)


def _parts(hit: Hit) -> Sequence[Evidence]:
    return [found for found in hit.evidence if found.entry.kind != "whole"] or hit.evidence


def _near(found: Evidence) -> float:
    """Late interaction tells entries of one passage apart; their vectors share its subject."""
    return found.score if found.late_score is None else found.late_score


def _above(
    passage: int,
    hit: Hit,
    quotes: Sequence[Quote],
    hits: Sequence[Hit],
    asked: frozenset[str],
    notes: Notes,
) -> Quote | None:
    """The best entry of a passage that overrides one of the quotes, or None."""
    note = notes.get(hit.chunk.path, SourceNote(hit.chunk.path))
    if not note.supersedes:
        return None
    known = [_statement(quote.entry, _note(quote, hits, notes)) for quote in quotes]
    for found in sorted(_parts(hit), key=_near, reverse=True):
        pair = conflicts.conflicts([_statement(found.entry, note), *known], asked)
        if any(conflict.upper == 0 and conflict.binding for conflict in pair):
            return Quote(passage, found.entry, _near(found) + hit.score)
    return None


def _statement(entry: Entry, note: SourceNote) -> Statement:
    if entry.kind == "row":
        subject = next((cell for cell in entry.quote.split("|") if cell.strip(" *_`")), "")
    else:
        subject = entry.heading.rsplit(" > ", 1)[-1]
    return Statement(note, _stems(subject), _stems(f"{entry.heading} {entry.words}"))


def _stems(words: str) -> frozenset[str]:
    return frozenset(stems(searchable(words)))


def _note(quote: Quote, hits: Sequence[Hit], notes: Notes) -> SourceNote:
    path = hits[quote.passage - 1].chunk.path
    return notes.get(path, SourceNote(path))


def _named(conflict: Conflict, quotes: Sequence[Quote], hits: Sequence[Hit], notes: Notes) -> str:
    upper, lower = f"[{conflict.upper + 1}]", f"[{conflict.lower + 1}]"
    status = conflicts.label(_note(quotes[conflict.upper], hits, notes)) or "newer"
    if conflict.binding:
        return f"**Conflict:** {upper} ({status}) stands above {lower}."
    return f"**Conflict:** {upper} ({status}) replaces {lower} only where it is used."


def _shown(number: int, path: str, entry: Entry, source: str) -> str:
    lead = f"{entry.lead}\n" if entry.lead else ""
    last = f"-{entry.last_line}" if entry.last_line > entry.first_line else ""
    place = f"{path}:{entry.first_line}{last}"
    named = f" ({source})" if source else ""
    return f"**[{number}] {entry.heading}**{named} ({place})\n\n{lead}{entry.quote}"
