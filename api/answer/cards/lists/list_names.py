"""What a list is called, and whether that is what a question asks for."""

import re

from api.answer.cards.card import Card
from api.answer.cards.folders import folders
from api.answer.question.plain_words import PLAIN
from retrieval.models import Entry, SearchResult
from retrieval.ranking.lines import QuestionWords
from retrieval.text.denials import DENIES
from retrieval.vocabulary.terms import key, raw_cells, stems_of, title

_WHICH = re.compile(r"\W*(?:which|what) (?P<noun>[a-z]{3,30}s?)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"\b(?:same|both|equal|equally|different|alike|twice|half|only|more|less|most|least|than)\b",
    re.I,
)
_LIMITS = re.compile(r"\b(?:needs?|requires?|have|has)\b", re.IGNORECASE)
_JOINS = re.compile(r" (?:and|or|&) ", re.IGNORECASE)


def is_whole(listed: Card, whole: SearchResult, asked: QuestionWords) -> bool:
    """Whether a list is called all that is asked, so that all of it answers: "list all poisons".

    What is said of a column is a condition, of which none is known to hold: "which machines need
    staff in the room".
    """
    columns = [one.lead for one in _entries(listed, whole) if one.kind == "row"][:1]
    first = "".join(raw_cells(columns[0].split("\n")[0])[:1]) if columns else ""
    own = asked.stems(f"{title(listed.path)} {listed.heading} {first}")
    of_column = not (asked.words - own).isdisjoint(asked.stems(" ".join(columns)))
    denied = [DENIES.search(text) is not None for text in (whole.question, listed.heading)]
    is_compared = _COMPARED.search(whole.question)
    if denied[0] or denied[1] or is_compared or (of_column and _LIMITS.search(whole.question)):
        return False
    which = _WHICH.match(whole.question)
    if which and not asked.stems(which["noun"]) <= own | PLAIN:
        return False
    parts = {number for part in listed.marked for number in part.numbers}
    beside = (line for number, line in listed.lines.items() if number not in parts)
    name = words_of_name(listed, whole, asked) | asked.stems(" ".join(beside))
    return asked.words <= name | folders.SAID_WITH_IT | PLAIN


def says_all(listed: Card, whole: SearchResult, asked: QuestionWords) -> bool:
    """Whether a list is called as something that is asked for, and its section says the rest.

    Of "which classes may build" it has to be called so, or to have a column of classes.
    """
    name, rows = words_of_name(listed, whole, asked), _entries(listed, whole)
    said = name | asked.stems(" ".join(f"{one.lead} {one.quote}" for one in rows))
    wanted = asked.words - folders.SAID_WITH_IT - asked.stems(" ".join(listed.said))
    which = _WHICH.match(whole.question)
    noun = asked.stems(which["noun"]) & wanted if which else frozenset[str]()
    return wanted <= said and noun <= name and not wanted.isdisjoint(name)


def is_of_one_item(listed: Card, whole: SearchResult, asked: QuestionWords) -> bool:
    """Whether one item alone says what the list's name does not: "what do smiths pay for it"."""
    rest = asked.words - folders.SAID_WITH_IT - words_of_name(listed, whole, asked)
    items = [
        asked.stems(" ".join(listed.lines.get(number, "") for number in part.numbers))
        for part in listed.marked
    ]
    return len(rest) > 1 and sum(rest <= item for item in items) == 1


def is_headed(listed: Card, asked: QuestionWords) -> bool:
    """Whether a question begins with what a list is called: "conditions of the optional rule"."""
    own, said = key(listed.heading.rsplit(" > ", 1)[-1]), stems_of(asked.question)
    return bool(own) and tuple(said[: len(own)]) == own


def words_of_name(listed: Card, whole: SearchResult, asked: QuestionWords) -> frozenset[str]:
    """The stems of a list's file, its headings and its columns.

    Without those of a title that joins two things, of which another section has one: a list of
    exports in "Export and import" is none of imports.
    """
    entries = whole.files[listed.path].entries
    columns = {one.lead for one in _entries(listed, whole) if one.kind == "row"}
    own = asked.stems(" ".join([listed.heading.partition(" > ")[2], *columns]))
    titles = f"{title(listed.path)} {listed.heading.split(' > ')[0]}"
    of_file = asked.stems(titles)
    if not _JOINS.search(titles):
        return own | of_file
    others = {one.heading.rsplit(" > ", 1)[-1] for one in entries if " > " in one.heading}
    called = (stems for one in others if (stems := asked.stems(one)) < of_file)
    return own | (of_file.difference(*called) if own & of_file else of_file)


def _entries(listed: Card, whole: SearchResult) -> list[Entry]:
    return [one for one in whole.files[listed.path].entries if one.heading == listed.heading]
