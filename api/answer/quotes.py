"""Answer without a language model: the lines that come nearest to the question, word for word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from api.answer import precedence
from api.answer.precedence import Conflict, Statement
from retrieval.fold import searchable
from retrieval.models import Entry, Evidence, Hit, SearchResult, SourceNote
from retrieval.words import stems

_MOST = 4  # passages that one answer quotes
_MARGIN = 0.5  # a further passage's quote may score so much under the best one's
_FURTHER = 3  # more quotes of the best passage: a list's other items, the lines around
_NEARLY = 0.15  # these may be so much further from the question than its best one
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

    One entry a passage, and several passages where they come near each other: where two sources
    answer differently (a spell of two classes), both are shown under their places. Of the best
    passage also those entries that are nearly as near, in the order of its file: an answer is
    often a list's several items or lines. An entry's score is its own plus its passage's
    (docs/experiments.md, E12 and E23).

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
    order = precedence.arranged(len(near), differing(near, hits, question, notes), gone)
    arranged = [near[place] for place in order][:_MOST]
    return [more for quote in arranged for more in [quote, *_further(quote, quotes[0], hits)]]


def with_overriding(found: SearchResult) -> SearchResult:
    """Return the search with those of its overriding passages that bind what was asked as hits.

    They come last, so that the numbers of the others stay.
    """
    known = [_best(number, hit) for number, hit in enumerate(found.hits, start=1)]
    asked, next_number = _stems(found.question), len(found.hits) + 1
    above = [
        hit
        for hit in found.overriding
        if _above(next_number, hit, known, found.hits, asked, found.notes)
    ]
    return replace(found, hits=(*found.hits, *above), overriding=()) if above else found


def differing(
    quotes: Sequence[Quote], hits: Sequence[Hit], question: str, notes: Notes
) -> list[Conflict]:
    """Return which of the quotes override which, by their places in `quotes` from 0."""
    if not any(note.supersedes for note in notes.values()):
        return []  # as nearly always: then no words need be compared
    statements = [_statement(quote.entry, _note(quote, hits, notes)) for quote in quotes]
    return precedence.conflicts(statements, _stems(question))


def text(
    quotes: Sequence[Quote], hits: Sequence[Hit], question: str = "", notes: Notes = NO_NOTES
) -> str:
    """Return the answer's Markdown: each quote under its place, a table row with its header.

    Conflicts are named before the quotes. Namesakes in several folders are told apart by these,
    and a source that is no plain rule (errata, another edition) says so.
    """
    paths = [hits[quote.passage - 1].chunk.path for quote in quotes]
    variants = precedence.variants(list(dict.fromkeys(paths)))
    by_path = dict(zip(dict.fromkeys(paths), variants, strict=True))
    shown = [
        _named(conflict, quotes, hits, notes)
        for conflict in differing(quotes, hits, question, notes)
    ]
    last: Quote | None = None
    for number, (quote, path) in enumerate(zip(quotes, paths, strict=True), start=1):
        about = [by_path[path], precedence.label(_note(quote, hits, notes))]
        source = "; ".join(part for part in about if part)
        before = last.entry if last and last.passage == quote.passage else None
        shown.append(_shown(number, path, quote.entry, source, before))
        last = quote
    return "\n\n".join(shown)


def _best(passage: int, hit: Hit) -> Quote:
    """The best entry of a passage; the whole passage only where there is nothing smaller."""
    best = max(_parts(hit), key=_near)  # among equals the one with the nearest vector
    return Quote(passage, best.entry, _near(best) + hit.score)


def _further(quote: Quote, best: Quote, hits: Sequence[Hit]) -> list[Quote]:
    """Further entries of the best quote's passage, in the order of its lines; of others none."""
    if quote is not best:
        return []
    hit = hits[quote.passage - 1]
    taken = [quote.entry]
    least = quote.score - hit.score - _NEARLY
    for found in sorted(_parts(hit), key=_near, reverse=True):
        if _near(found) >= least and not any(_holds(entry, found.entry) for entry in taken):
            taken.append(found.entry)
            if len(taken) > _FURTHER:
                break
    more = sorted(taken[1:], key=lambda entry: (entry.first_line, entry.last_line))
    nearness = {found.entry: _near(found) for found in hit.evidence}
    return [Quote(quote.passage, entry, nearness[entry] + hit.score) for entry in more]


def _holds(shown: Entry, entry: Entry) -> bool:
    return shown.first_line <= entry.first_line and entry.last_line <= shown.last_line


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
        pair = precedence.conflicts([_statement(found.entry, note), *known], asked)
        if any(conflict.upper == 0 and conflict.binding for conflict in pair):
            return Quote(passage, found.entry, _near(found) + hit.score)
    return None


def _statement(entry: Entry, note: SourceNote) -> Statement:
    if entry.kind == "row":
        subject = next((cell for cell in entry.quote.split("|") if cell.strip(" *_`")), "")
    else:
        subject = entry.heading.rsplit(" > ", 1)[-1]
    words = _stems(f"{entry.heading} {entry.words}")
    return Statement(note, _stems(subject), words, is_row=entry.kind == "row")


def _stems(words: str) -> frozenset[str]:
    return frozenset(stems(searchable(words)))


def _note(quote: Quote, hits: Sequence[Hit], notes: Notes) -> SourceNote:
    path = hits[quote.passage - 1].chunk.path
    return notes.get(path, SourceNote(path))


def _named(conflict: Conflict, quotes: Sequence[Quote], hits: Sequence[Hit], notes: Notes) -> str:
    upper, lower = f"[{conflict.upper + 1}]", f"[{conflict.lower + 1}]"
    status = precedence.label(_note(quotes[conflict.upper], hits, notes)) or "newer"
    if conflict.binding:
        return f"**Conflict:** {upper} ({status}) stands above {lower}."
    return f"**Conflict:** {upper} ({status}) replaces {lower} only where it is used."


def _shown(number: int, path: str, entry: Entry, source: str, before: Entry | None) -> str:
    """A quote under its place; what the quote before it has said already is not repeated."""
    known = before is not None and before.heading == entry.heading
    repeats = known and before is not None and before.lead == entry.lead and entry.kind != "row"
    last = f"-{entry.last_line}" if entry.last_line > entry.first_line else ""
    title = f"**[{number}]**" if known else f"**[{number}] {entry.heading}**"
    named = f" ({source})" if source and not known else ""
    lead = f"{entry.lead}\n" if entry.lead and not repeats else ""
    return f"{title}{named} ({path}:{entry.first_line}{last})\n\n{lead}{entry.quote}"
