"""Which lines of a list are marked as what answers: a few of its parts, all of them, or none."""

import re
from dataclasses import replace

from api.answer.cards.asked_parts import above
from api.answer.cards.blocks import blocks
from api.answer.cards.card import Card
from api.answer.cards.lists.list_names import words_of_name
from api.answer.cards.table_query.asked_whole import is_undecided
from api.answer.question.intent import DEGREE
from api.answer.question.modality import modality
from api.answer.question.plain_words import PLAIN
from retrieval.models import IndexedFile, SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES
from retrieval.text.normalize import searchable

_NUMBER = re.compile(r"(?<!\w)\d{1,6}(?!\w)")  # no "2FA"
_FEW = 0.34  # of a list's parts: so many may be what is asked for, of more all may
_MOST_PARTS = 12  # of a list, some of which say more of what is asked than others: all may
_MOSTLY = 0.5  # of a question: what stands above a list that is asked for as a whole


def unclaimed(
    listed: Card, whole: SearchResult, asked: QuestionWords, *, least: int, is_all: bool
) -> Card:
    """Return a list as it stands, of which nothing tells whether all of it answers.

    Marked are those few parts that say most of what its name does not, `least` of them or more:
    "Portuguese 1" of courses. Where `is_all` of one is asked for, and it stands where the nearest
    line does, all are, unless a number says that only some are meant; and so of what is forbidden,
    where that is asked. None where anything else is denied, or compared: they are the wrong ones.
    """
    plain = replace(listed, counted=None, says_all=False)
    typed = QuestionWords.of(whole.question, whole.terms)  # `asked` has no "which"
    if DEGREE.search(whole.question) and is_undecided(whole.files[listed.path], listed.best, typed):
        return replace(plain, marked=())
    rest = asked.words - words_of_name(listed, whole, asked) - PLAIN
    said = {
        part: len(rest & asked.stems(" ".join(listed.lines.get(n, "") for n in part.numbers)))
        for part in listed.marked
    }
    most = max(said.values(), default=0)
    saying = tuple(part for part in said if most and said[part] == most)
    is_forbidden = _forbids(listed, whole.question)
    if DENIES.search(whole.question) and not is_forbidden:
        return replace(plain, marked=())
    if saying and (len(saying) < least or len(saying) <= len(said) * _FEW):
        return replace(plain, marked=saying if len(saying) >= least else ())
    name = words_of_name(listed, whole, asked)
    is_called_so = asked.share(name) > 0 or whole.certainty == "answered"
    is_near = is_of_first(listed, whole) and is_called_so
    is_near |= listed.path == whole.hits[0].chunk.path and asked.share(name) >= _MOSTLY
    may_be_all = (is_all or is_forbidden) and is_near and (not saying or len(said) <= _MOST_PARTS)
    has_number = _NUMBER.search(searchable(whole.question))
    return plain if may_be_all and not has_number else replace(plain, marked=())


def _forbids(listed: Card, question: str) -> bool:
    """Whether a list is of what must not be done, and nothing else is asked."""
    items = {number for part in listed.marked for number in part.numbers}
    above = [line for number, line in listed.lines.items() if number not in items]
    told = modality(" ".join([listed.heading.rsplit(" > ", 1)[-1], *above]))
    return told == "must not" == modality(question)


def is_of_first(listed: Card, whole: SearchResult) -> bool:
    """Tell whether a list stands in the section of what search found nearest."""
    hit = whole.hits[0]
    return (listed.path, listed.heading) == (hit.chunk.path, hit.evidence[0].entry.heading)


def with_all_marked(card: Card, file: IndexedFile, asked: QuestionWords) -> Card:
    """Return a card with all of the best line's list or table marked, where that is what is asked.

    So it is where the block is shown whole and called as something that is asked for, and none of
    its parts says more of the question than what stands above it: "export formats".
    """
    block = next((one for one in blocks(file) if one.holds(card.best)), None)
    if block is None or block.kind not in {"list", "table"} or card.listed or card.folded:
        return card
    if card.marked and not set(card.marked) & set(block.parts):  # what answers is beside it
        return card
    rows = [entry for entry in file.entries if block.holds(entry)]
    is_whole = all(card.lines.keys() >= set(part.numbers) for part in block.parts)
    if not is_whole or any(asked.labels_of(file.path, row) for row in rows):
        return card
    said_above = above(file, block, asked)
    said = asked.words & asked.stems(" ".join(row.quote for row in rows))
    own = asked.stems(block.heading.rsplit(" > ", 1)[-1]) & asked.words
    if not own or not said <= said_above or asked.share(said_above) < _MOSTLY:
        return card
    return replace(card, marked=block.parts)
