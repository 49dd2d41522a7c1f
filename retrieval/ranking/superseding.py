"""Which passages below the returned ones are of files that override one of these."""

from collections.abc import Mapping, Sequence

from retrieval.models import Hit, IndexedFile, SourceNote
from retrieval.ranking import lines
from retrieval.ranking.conflicts import corrects, overrides
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.statements import Statement, heading, statement


def binding(
    further: Sequence[Hit],
    hits: Sequence[Hit],
    notes: Mapping[str, SourceNote],
    question: QuestionWords,
) -> tuple[Hit, ...]:
    """Return those of `further` whose files override one of `hits` in what was asked.

    So does a section of the same heading: a new list of prices, whatever of it is asked for.
    """

    def note(hit: Hit) -> SourceNote:
        return notes.get(hit.chunk.path, SourceNote(hit.chunk.path))

    def statements(hit: Hit) -> list[Statement]:
        entries = [line.entry for line in lines.ranked(hit, question)]
        section = IndexedFile(hit.chunk.path, {}, tuple(entries))
        return [statement(entry, note(hit), section) for entry in entries]

    # Not the nearest line alone: a table's lead-in may be nearer than the row that is overridden.
    below = [made for hit in hits for made in statements(hit)]

    def binds(hit: Hit) -> bool:
        if note(hit).is_optional or note(hit).is_gone:
            return False
        if any(_is_same_section(hit, other) for other in hits if overrides(note(hit), note(other))):
            return True
        uppers = statements(hit)
        return any(corrects(upper, lower, question.words) for upper in uppers for lower in below)

    return tuple(hit for hit in further if binds(hit))


def _is_same_section(one: Hit, other: Hit) -> bool:
    return heading(one.evidence[0].entry) == heading(other.evidence[0].entry) != frozenset()
