"""Which lines of a card answer: the best entry's, those as near, and those that say as much."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from api.answer.cards.asked_parts import above, field_asked, said_by, saying_most
from api.answer.cards.blocks import Block, Part
from api.answer.cards.card import CardPlace, introduced
from api.answer.cards.lead_ins import outlined, procedure
from api.answer.cards.table_query.asked_whole import (
    ASKING,
    EACH,
    are_cases,
    asked_whole,
    is_undecided,
)
from api.answer.question.intent import DEGREE, asks_for_some
from api.answer.question.list_phrases import HOW_TO
from api.answer.question.modality import modality
from retrieval.models import Entry
from retrieval.ranking.lines import QuestionWords, RankedLine
from retrieval.text.denials import DENIES
from retrieval.vocabulary.terms import key, raw_cells

# By so little less near a second line answers as often as the first (docs/experiments.md, E170).
_TIED = 0.03
_OF_ITEMS = re.compile(r"\W*(?:so |and )?(?:who|where|what|which|list)\b", re.IGNORECASE)
_LABELLED = re.compile(r"\w[*_]{0,3}: ")
_FORBIDDEN = re.compile(
    r"\b(?:not|never|cannot|forbidden|banned|prohibited)\b|n['’]?t\b", re.IGNORECASE
)
# "*Replaces paragraph 3.2 of [fees](fees.md).*": a sentence alone.
_REFERENCE = re.compile(
    r"[*_>]{0,3}\s?(?:this )?(?:replaces|changes|supersedes|corrects|amends)\b"
    r"(?:[^.]|\.(?=\S)){3,300}\.?[*_]{0,3}",
    re.IGNORECASE,
)
_AS_NEAR = 0.12  # by so little less near a line may be that says better what is asked
_LEAST_ITEMS = 3
_MOSTLY = 0.5  # of a question
_FEW_FIELDS = 4  # of a stat block that is written as a table
_FEW_ROWS = 6  # of which all may be called as what is asked: three kinds of lock, and one key
_WHO = re.compile(r"\W*(?:who|where)\b", re.IGNORECASE)
_OF_ROWS = re.compile(r"\W*(?:which|what|who|where|list|all)\b", re.IGNORECASE)


def marked(
    place: CardPlace, found: Sequence[RankedLine], asked: QuestionWords, shown: Collection[int]
) -> tuple[Part, ...]:
    """Return the lines that answer: of a stat block the fields asked for, else the best entry's.

    Of a table all rows among the lines `shown` that say as much of the question: both of "First-aid
    box, small" and "First-aid box, large". Of what introduces a list that as well, and the second
    line where it is as near as the first. `found` are a section's entries, the best one first.
    """
    best = found[0]
    if fields := field_asked(place, best, asked):
        return fields.parts
    block = next((b for b in place.section if b.holds(best.entry)), None)
    said = saying_most(place.file, block.parts, asked) if block and block.kind == "fields" else ()
    if said:
        return said
    called = asked.stems(f"{place.file.path} {best.entry.heading}")
    is_name = place.size.named and asked.words <= called
    if block and is_name and _are_fields(block, best.entry, asked):
        prose = next((b for b in place.section if b.kind == "paragraph"), None)
        if prose and _are_shown(prose.parts, shown) and prose.first_line > block.last_line:
            return prose.parts[:1]  # "raise dead": what it does, and not the first of its fields
    if (
        best.entry.kind == "row"
        and DENIES.search(asked.question)
        and _OF_ROWS.match(asked.question)
    ):
        return ()  # the nearest row of what is denied is the wrong one
    if DEGREE.search(asked.question) and is_undecided(place.file, best.entry, asked):
        return ()
    if block and _may_be_whole(place, best.entry, asked):
        rows = asked_whole(place, block, found, asked)
        if rows and _are_shown(rows, shown):
            return rows
    if block and best.entry.kind == "item" and best.entry.lead and are_cases(best.entry, asked):
        return block.parts if _are_shown(block.parts, shown) else ()
    if HOW_TO.match(asked.question) and (steps := procedure(place, best.entry, asked)):
        outline = outlined(place.file, steps).parts
        if _are_shown(outline, shown):
            return outline
    alike = _alike(place, block, found, asked) if block and best.entry.kind == "row" else ()
    entries = [best.entry, *(row for row in alike if row.first_line in shown), *_tied(found)]
    below = introduced(place, best.entry.last_line)
    parts = {Part(one.first_line, one.last_line) for one in entries}
    parts |= set(below.parts if below else ())
    parts |= set(_all_items(place, block, found, asked, shown) if block else ())
    whole = (part for part in parts if part.first_line in shown)
    return tuple(sorted(whole, key=lambda part: part.first_line))


def _are_fields(block: Block, best: Entry, asked: QuestionWords) -> bool:
    """Whether the best line is one of the fields of a stat block, or of a few in a table."""
    if block.kind == "fields":
        return True
    name, *values = raw_cells(best.quote) if best.kind == "row" else [""]
    is_field = (
        len(values) == 1 and len(block.parts) <= _FEW_FIELDS and key(name) in asked.terms.fields
    )
    return is_field and asked.words.isdisjoint(asked.stems(best.quote))


def _may_be_whole(place: CardPlace, best: Entry, asked: QuestionWords) -> bool:
    """Whether nothing is asked but what stands above the best line, or each of something."""
    above_it = asked.stems(f"{place.file.path} {best.heading} {best.lead}")
    is_group = best.kind == "row" and best.quote.startswith(("| **", "| __"))
    return is_group or asked.words - above_it <= ASKING or bool(EACH.search(asked.question))


def answering_first(found: Sequence[RankedLine], asked: QuestionWords) -> Sequence[RankedLine]:
    """Return a section's entries with the one first that answers, though another one is nearer.

    The one row that the question names: "do I need permission to get a cat" is told by "Cats | tell
    us", not by "Dogs | consent". A line that forbids, where what is forbidden is asked for. And
    what a correction says, not the sentence that names what it replaces.
    """
    found = _forbidding_first(_reference_behind(found), asked)
    return _case_first(_named_row_first(found, asked), asked)


def _case_first(found: Sequence[RankedLine], asked: QuestionWords) -> Sequence[RankedLine]:
    """The lines, first the cases of "Roll when:", where it is asked when somebody rolls."""
    best = found[0].entry
    cases = [
        one for one in found
        if one.entry.kind == "item" and one.entry.heading == best.heading
        and are_cases(one.entry, asked)
    ]  # fmt: skip
    return [*cases, *(one for one in found if one not in cases)]


def _reference_behind(found: Sequence[RankedLine]) -> Sequence[RankedLine]:
    best = found[0].entry
    if best.kind != "sentences" or not _REFERENCE.fullmatch(best.quote.strip()):
        return found
    behind = [
        one for one in found
        if one.entry.heading == best.heading and one.entry.first_line > best.last_line
    ]  # fmt: skip
    if not behind:
        return found
    first = min(behind, key=lambda one: one.entry.first_line)
    return [first, *(one for one in found if one is not first)]


def _named_row_first(found: Sequence[RankedLine], asked: QuestionWords) -> Sequence[RankedLine]:
    best = found[0].entry
    if best.kind != "row" or _is_named(best, asked):
        return found
    near = (one for one in found if one.nearness >= found[0].nearness - _AS_NEAR)
    table = (one for one in near if one.entry.kind == "row" and one.entry.lead == best.lead)
    named = [
        one for one in table if one.entry.heading == best.heading and _is_named(one.entry, asked)
    ]
    return [*named, *(one for one in found if one not in named)] if len(named) == 1 else found


def _is_named(row: Entry, asked: QuestionWords) -> bool:
    name = asked.stems(next(iter(raw_cells(row.quote)), ""))
    return bool(name) and name <= asked.words and not any(map(str.isdigit, "".join(name)))


def _forbidding_first(found: Sequence[RankedLine], asked: QuestionWords) -> Sequence[RankedLine]:
    if not _OF_ITEMS.match(asked.question) or not _FORBIDDEN.search(asked.question):
        return found
    if modality(asked.question) != "must not" or modality(found[0].entry.quote) != "may":
        return found
    near = (one for one in found[1:] if one.nearness >= found[0].nearness - _AS_NEAR)
    first = next((one for one in near if modality(one.entry.quote) == "must not"), found[0])
    return [first, *(one for one in found if one != first)]


def _tied(found: Sequence[RankedLine]) -> list[Entry]:
    """The second line, where it is nearly as near as the first.

    Those of a section that is asked for by its name are all as near as each other.
    """
    second = found[1:2]
    return [one.entry for one in second if 0 < found[0].nearness - one.nearness <= _TIED]


def _all_items(
    place: CardPlace,
    block: Block,
    found: Sequence[RankedLine],
    asked: QuestionWords,
    shown: Collection[int],
) -> tuple[Part, ...]:
    """All items of the best one's list, where none of them says more of what is asked than others.

    "Who is let off the rota": what stands above the list says it, and the items are as near. ()
    for a question that one of them may answer: how much, or whether.
    """
    is_list = block.kind == "list" and found[0].entry.kind == "item"
    if not (is_list and _OF_ITEMS.match(asked.question)) or len(block.parts) < _LEAST_ITEMS:
        return ()
    if not _are_shown(block.parts, shown):
        return ()
    items = [line for line in found if block.holds(line.entry)]
    least = min(line.nearness for line in items)
    over = above(place.file, block, asked)
    said = asked.words & asked.stems(" ".join(line.entry.quote for line in items))
    if len(items) < len(block.parts) or least < found[0].nearness - _AS_NEAR or not said <= over:
        return ()
    if any(_LABELLED.search(line.entry.quote) for line in items):  # each of something of its own
        return ()
    denying = [bool(DENIES.search(line.entry.quote)) for line in items]
    told = f"{block.heading.rsplit(' > ', 1)[-1]} {items[0].entry.lead}"
    forbids = [modality(text) == "must not" for text in (told, asked.question)]
    is_of_one_kind = forbids[0] == forbids[1] or not forbids[0]
    return block.parts if is_of_one_kind and len(set(denying)) == 1 else ()


def _are_shown(parts: Iterable[Part], shown: Collection[int]) -> bool:
    return all(number in shown for part in parts for number in part.numbers)


def _alike(
    place: CardPlace, block: Block, found: Sequence[RankedLine], asked: QuestionWords
) -> Iterator[Entry]:
    """The other rows of the best one's table that are called as it is, as far as is asked.

    Where several may be meant ("which add-ons can a Business customer buy"), all that say as much.
    """
    path, best = place.file.path, found[0].entry
    called = _called(best, asked)
    said = said_by(path, best, asked)
    of_some = asks_for_some(asked.question) or _WHO.match(asked.question)
    several = bool(said and of_some and not asked.values)
    rows = [line.entry for line in found if block.holds(line.entry)]
    # What more than half of many are called ("ward") tells none of them.
    alike = sum(_called(row, asked) == called for row in rows)
    is_name = len(block.parts) <= _FEW_ROWS or 2 * alike <= len(block.parts)
    for row in rows:
        is_called_so = bool(called) and is_name and _called(row, asked) == called
        if row != best and (several or is_called_so) and said_by(path, row, asked) == said:
            yield row


def _called(row: Entry, asked: QuestionWords) -> frozenset[str]:
    """The words of the question that a row's first cell with a letter says."""
    name = next((cell for cell in raw_cells(row.quote) if any(map(str.isalpha, cell))), "")
    return asked.stems(name) & asked.words
