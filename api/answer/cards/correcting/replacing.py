"""What replaces a place that an answer shows, though search did not find it among the best.

A rule shown without the correction that names its section is a wrong answer with a true citation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from api.answer.cards import from_passage
from api.answer.cards.card import Card
from retrieval.models import Chunk, Entry, Evidence, Hit, IndexedFile, SourceNote
from retrieval.ranking import conflicts
from retrieval.ranking.lines import QuestionWords
from retrieval.ranking.replaced_sections import OF_CHANGES
from retrieval.ranking.statements import Statement, statement

_MOST_MARKED = 2  # lines; of more a correction changes a detail of one
Notes = Mapping[str, SourceNote]
Files = Mapping[str, IndexedFile]
Section = list[tuple[Entry, Statement]]  # of one heading


def with_replacing(
    kept: Sequence[Card],
    found: Sequence[Card],
    notes: Notes,
    files: Files,
    asked: QuestionWords,
) -> tuple[list[Card], list[Card]]:
    """Return the cards, each with what replaces its section beside it, and all that replace one.

    Whatever is asked of that section: `corrections.arranged` says which of them goes first. `found`
    has the cards that may be left out besides.
    """
    every, above = list(kept), list[Card]()
    changes = [(files[path], one) for path in files for one in _changes(path, notes, files)]
    for card in kept:
        if card not in every:  # another of its lines replaces what stands above
            continue
        own = [one for one in found if one != card and replaces(one, card, notes, files)]
        for made in _cards(card, changes, notes, files, asked):
            known = (one for one in (*own, *every, *found) if _is_of_place(one, made))
            if (same := next(known, None)) is None:
                own.append(replace(made, folded=card.folded))
            elif same in above:  # it corrects a line of another card as well
                if not card.folded:
                    both = tuple(sorted({*same.marked, *made.marked}, key=lambda p: p.first_line))
                    merged = replace(same, marked=both)
                    every[every.index(same)] = merged
                    above.append(merged)
            elif same not in own and (same not in every or same.folded):
                # Its best line is no correction: "the other rows stay".
                better = replace(same, best=made.best, next_best=None, marked=made.marked)
                own.append(better if same.lines.keys() >= made.lines.keys() else made)
                every = [one for one in every if one != same]
        place = every.index(card)
        new = [one for one in own if one not in every]
        # Of a folded card what replaces it stands before it: the last of these may be left out.
        place += not card.folded
        every[place:place] = new
        above += own
    return every, above


def _is_of_place(one: Card, other: Card) -> bool:
    """Whether two cards show a line in common, or of one section."""
    if one.path != other.path:
        return False
    return one.heading == other.heading or not one.lines.keys().isdisjoint(other.lines)


def statements(shown: Card, notes: Notes, files: Files) -> list[Statement]:
    """Return what the marked lines of a card say, first its best line; of a list that one alone."""
    file, note = files[shown.path], notes.get(shown.path, SourceNote(shown.path))
    is_list = len(shown.marked) > _MOST_MARKED
    marked = [part for part in shown.marked if part.holds(shown.best) or not is_list]
    beside = (
        one for one in file.entries
        if one.kind != "whole" and any(part.holds(one) for part in marked)
    )  # fmt: skip
    return [statement(one, note, file) for one in dict.fromkeys((shown.best, *beside))]


def _changes(path: str, notes: Notes, files: Files) -> Iterator[Section]:
    """The sections of a file that corrects others: its front matter says so, or it is called so."""
    note = notes.get(path, SourceNote(path))
    if note.is_optional or note.is_gone or not (note.supersedes or OF_CHANGES.search(path)):
        return
    told = (one for one in files[path].entries if one.kind != "whole")
    for _, section in groupby(told, key=lambda one: one.heading):
        own = replace(files[path], entries=tuple(section))
        yield [(one, statement(one, note, own)) for one in own.entries]


def _cards(
    shown: Card,
    changes: Sequence[tuple[IndexedFile, Section]],
    notes: Notes,
    files: Files,
    asked: QuestionWords,
) -> Iterator[Card]:
    """A card of each section that replaces what is marked in the one that is shown."""
    lowers = statements(shown, notes, files) if changes else []
    if any(one.note.supersedes for one in lowers):
        return
    for file, section in changes:
        if file.path != shown.path and (entries := _replacing(section, lowers)):
            yield _card(file, entries, shown, asked)


def _replacing(section: Section, lowers: Sequence[Statement]) -> list[Entry]:
    """The entries of a section that say what holds instead; of rows those of the same name."""
    found = [
        (entry, upper) for entry, upper in section
        if upper.corrects and any(conflicts.is_replacing(upper, lower) for lower in lowers)
    ]  # fmt: skip
    rows = {one.subject for one in lowers if one.is_row}
    same = [entry for entry, upper in found if upper.is_row and upper.subject in rows]
    return same or [entry for entry, _ in found]


def _card(file: IndexedFile, entries: Sequence[Entry], shown: Card, asked: QuestionWords) -> Card:
    first, last = entries[0].first_line, max(one.last_line for one in entries)
    text = "\n".join(file.lines.get(n, "") for n in range(first, last + 1))
    chunk = Chunk(file.path, entries[0].heading, first, last, text)
    hit = Hit(chunk, shown.score, tuple(Evidence(one, 0.0) for one in entries))
    return from_passage.card(hit, file, asked, size=from_passage.FURTHER)


def replaces(card: Card, other: Card, notes: Notes, files: Files) -> bool:
    """Tell whether a card is of a file that supersedes another's, and replaces its section.

    It is called so, or it names that section.
    """
    upper, lower = (notes.get(one.path, SourceNote(one.path)) for one in (card, other))
    is_called_so = last_heading(card.heading) == last_heading(other.heading)
    if is_called_so and conflicts.overrides(upper, lower):
        return True
    if not (upper.supersedes or OF_CHANGES.search(card.path)) or card.path == other.path:
        return False
    above, below = (
        statement(one.best, note, files[one.path]) for one, note in ((card, upper), (other, lower))
    )
    return above.corrects and conflicts.replaces_section(above, below)


def last_heading(heading: str) -> str:
    """Return the last of the headings that a place stands below, in lower case."""
    return heading.rsplit(" > ", 1)[-1].casefold()
