"""Choose the cards of an answer: in the order of search, each place and each line once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from api.answer.cards import compared_rows, from_passage
from api.answer.cards.card import Card, badges_of
from api.answer.cards.correcting import corrections, replacing
from api.answer.cards.joined import with_parts
from api.answer.cards.lists import listing
from api.answer.cards.lists.list_cards import with_lists
from api.answer.cards.lists.list_marks import with_all_marked
from api.answer.cards.table_query import query_card
from api.answer.question.comparison import DIFFERS
from api.answer.question.intent import Reading, may_want_all
from retrieval.models import Hit, SearchResult, SourceNote
from retrieval.ranking import conflicts
from retrieval.ranking.lines import QuestionWords, words_of
from retrieval.ranking.replaced_sections import OF_CHANGES
from retrieval.text.question_phrases import without_command
from retrieval.vocabulary.terms import key

MOST = 4  # cards
_ALL = 0.9  # of the characters of a question
# That rows of a table may be asked for, though no list is: "food without nuts".
_LIMITS = re.compile(
    r"\b(?:no|not|without|with|has|have|needs?|requires?|gets?|pays?|years? old)\b|n['’]?t\b",
    re.IGNORECASE,
)
# Without these nothing is compared: an amount, a degree, an equal or missing value, a first row.
_COMPARES = re.compile(
    r"\d|\b(?:most|least|first \w+ (?:at|in|on) which|minimum|(?:from|at) (?:what|which)|"
    r"\w{3,}est|same|equal|identical|all|only|free|nothing|zero|no|not|without|"
    r"never|neither|change|differ|vary)\b|n['’]?t\b",
    re.IGNORECASE,
)
# Of 1,461 folded cards on calibration these drop 44 %, and 1 of the 73 that hold what the cards
# above do not (docs/experiments.md, E58).
_FAR, _FAR_LINE = 0.25, 0.1  # by so much less than the first card: in score, in nearness


@dataclass(frozen=True, slots=True)
class Searched:
    """A question, or a part of one, with what search found for it."""

    found: SearchResult
    asked: QuestionWords

    @classmethod
    def of(cls, found: SearchResult) -> "Searched":
        """Return a search with its question as lines are compared with it."""
        return cls(found, QuestionWords.of(found.question, found.terms))


def choose(
    whole: SearchResult,
    parts: Sequence[SearchResult],
    reading: Reading,
    *,
    far: bool = False,
) -> tuple[Card, ...]:
    """Return one to MOST cards, best first; none only where nothing was found.

    `far` keeps those that are far from the question, which a person is not shown: a model reads
    them, and its words are compared with them.

    The first card is unfolded, and so are those of a question's other parts and of a namesake; of
    the others one line is shown. Errata stand directly above what they correct, superseded files
    last.
    """
    notes = {path: note for one in (*parts, whole) for path, note in one.notes.items()}
    files = {path: file for one in (*parts, whole) for path, file in one.files.items()}
    searched = Searched(whole, QuestionWords.of(reading.name or whole.question, whole.terms))
    found = _of_search(searched, is_keyword=bool(reading.name) or reading.form == "keyword")
    if reading.form in {"list", "which", "open"}:
        found = with_lists(found, whole, reading)
    elif reading.form in {"plain", "keyword"} and not parts and _LIMITS.search(whole.question):
        asked = QuestionWords.of(without_command(whole.question), whole.terms)
        found = [*listing.of_first_table(whole, asked), *found]
    is_listed = bool(found) and (found[0].said or found[0].says_all)
    # "My son is 15, what may he use" is one question, though both halves are searched.
    is_one = not parts or any(len(one.question) >= _ALL * len(whole.question) for one in parts)
    may_compare = is_one and not is_listed and _COMPARES.search(whole.question)
    if may_compare and (rows := query_card.card(whole)):
        # Where these are not sure, search's first card stays as it is behind them.
        found, parts = [rows, *(map(_fold, found) if rows.is_sure else found)], ()
    of_parts = [replace(card, folded=False) for part in parts for card in _of_part(part)]
    # Of two things each is asked for; of two questions in one the first card may answer both.
    both = compared_rows.card(whole, parts) if reading.form == "comparison" else None
    is_chosen = bool(found) and bool(found[0].said)
    may_be_columns = not of_parts or reading.form == "comparison"
    if not (both or is_chosen) and may_be_columns and DIFFERS.search(whole.question):
        both = compared_rows.of_columns(whole)
    if both:
        found, of_parts = [both, *map(_fold, (*of_parts, *found))], []
    elif of_parts and reading.form == "parts":
        found = with_parts(found, of_parts, parts)
    elif of_parts:
        is_first = reading.form == "comparison" and not compared_rows.has_row_of_each(found, parts)
        place, found = (0, [_fold(one) for one in found]) if is_first else (1, found)
        found[place:place] = of_parts
    kept, behind = (once := _once(found))[:MOST], once[MOST:]
    kept += [one for one in behind if _says_most(one, searched)]
    may_correct = bool(notes) or any(map(OF_CHANGES.search, files))
    replaced_by: list[Card] = []
    if may_correct:
        kept, replaced_by = replacing.with_replacing(kept, once, notes, files, searched.asked)
    is_listed = bool(kept) and kept[0].best.kind in {"item", "row"}
    if is_listed and may_want_all(whole.question, reading):
        kept[0] = with_all_marked(kept[0], whole.files[kept[0].path], searched.asked)
    kept = [_with_marks(card, of_parts) for card in kept]
    if not far:
        asked = searched.asked
        kept = [
            one
            for one in kept
            if one in replaced_by or not (one.folded and _is_far(one, kept[0], notes, asked))
        ]
    if not may_correct:
        return tuple(replace(one, folded=one.folded and n > 0) for n, one in enumerate(kept[:MOST]))
    is_list = reading.form in {"list", "which"}
    return corrections.arranged(kept, searched.asked, notes, files, is_list=is_list)[:MOST]


def _fold(card: Card) -> Card:
    return replace(card, folded=True)


def _says_most(card: Card, searched: Searched) -> bool:
    """Whether a card overrides another, in two words and all that is asked but for one.

    "Can a war horse carry more than a mule?" is told nothing of a new price of horses.
    """
    if card.chunk not in [hit.chunk for hit in searched.found.overriding]:
        return False
    said = searched.asked.terms.in_full(words_of(card.best))
    return len(searched.asked.words & said) >= max(2, len(searched.asked.words) - 1)


def _with_marks(card: Card, of_parts: Sequence[Card]) -> Card:
    """A card with those lines marked, too, that answer the question's parts."""
    own = {part for one in of_parts if one.path == card.path for part in one.marked}
    shown = set() if card.folded else card.lines.keys()
    also = {part for part in own if shown >= set(part.numbers)}
    return replace(card, marked=tuple(sorted({*card.marked, *also}, key=lambda p: p.first_line)))


def _of_search(searched: Searched, *, is_keyword: bool = False) -> list[Card]:
    found = searched.found
    full = from_passage.KEYWORD if is_keyword else from_passage.FIRST
    made = [
        from_passage.card(
            hit,
            found.files[hit.chunk.path],
            searched.asked,
            size=full if number == 0 or _may_go_first(hit, found) else from_passage.FURTHER,
        )
        for number, hit in enumerate(found.passages)
    ]
    shown = [
        one if number == 0 or is_namesake(one, made[0]) else replace(one, folded=True)
        for number, one in enumerate(made)
    ]
    for hit in found.hits[:1]:
        for other in from_passage.of_other_sections(
            hit, found.files[hit.chunk.path], searched.asked
        ):
            shown.insert(_last_place(other, shown), other)
    return shown


def _may_go_first(hit: Hit, found: SearchResult) -> bool:
    """Whether a passage is of a house rule, which may stand above the first one.

    So may an erratum, of which one row says all that a reader needs.
    """
    note = found.notes.get(hit.chunk.path)
    return note is not None and "house-rule" in badges_of(note)


def _last_place(other: Card, shown: Sequence[Card]) -> int:
    """Where what the first passage says elsewhere stands: last, or before a last card less near."""
    near = (n for n, one in enumerate(shown) if other.nearness >= one.nearness)
    return next((n for n in near if n >= MOST - 1), len(shown))


def _of_part(part: SearchResult) -> list[Card]:
    """The first card of one part of a question; of one that is only a name, its section."""
    return _of_search(Searched.of(part), is_keyword=key(part.question) in part.terms.names)[:1]


def _is_far(card: Card, first: Card, notes: Mapping[str, SourceNote], asked: QuestionWords) -> bool:
    """Whether a card is beside the question, by search and by its own best line.

    No correction is: what it corrects may be further. Nor is what supersedes the first card's file
    and says two words of the question.
    """
    note, lower = (notes.get(one.path, SourceNote(one.path)) for one in (card, first))
    badges = badges_of(note)
    if "errata" in badges or "house-rule" in badges:
        return False
    said = asked.words & asked.stems(f"{card.best.heading} {card.best.quote}")
    if len(said) > 1 and conflicts.overrides(note, lower):
        return False
    return card.score < first.score - _FAR and card.nearness < first.nearness - _FAR_LINE


def is_namesake(card: Card, other: Card) -> bool:
    """Tell whether two cards are the same section of files of one name in two folders."""
    one, two = card.path.rsplit("/", 1)[-1], other.path.rsplit("/", 1)[-1]
    return card.path != other.path and one == two and card.heading == other.heading


def _once(found: Sequence[Card]) -> list[Card]:
    """The cards without those whose lines are shown already; of others what is new."""
    kept: list[Card] = []
    for card in found:
        of_file = [one for one in kept if one.path == card.path]
        shown = {number for one in of_file if not one.folded for number in one.covered}
        lines = {entry for one in of_file if one.folded for entry in one.entries}
        new = [
            entry
            for entry in (card.best, card.next_best)
            if entry and entry not in lines
            and not shown.issuperset(range(entry.first_line, entry.last_line + 1))
        ]  # fmt: skip
        if not new or (not card.folded and card.best not in new):
            continue
        if card.folded and any(_of_one_table(card, one) for one in of_file):
            continue
        left = from_passage.without(card, shown) if shown & card.lines.keys() else card
        if left.pieces:
            kept.append(replace(left, best=new[0], next_best=new[1] if len(new) > 1 else None))
    return kept


def _of_one_table(card: Card, shown: Card) -> bool:
    """Whether a card's rows are of a table of which others are shown already."""
    tables = {piece.lead for piece in shown.pieces if piece.form == "table" and piece.lead}
    return card.best.kind == "row" and any(piece.lead in tables for piece in card.pieces)
