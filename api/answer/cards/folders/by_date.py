"""The files that a question chooses by the date in their front matter: "the oldest page".

Of a file with several dates ("date", "updated") the latest counts. English alone.
"""

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date

from api.answer.cards.folders import folders
from api.answer.cards.folders.file_fields import Stated
from api.answer.cards.folders.folders import MOST, Folder, ListedFile
from api.answer.cards.table_query.query import asks_for_rows
from api.answer.question.plain_words import PLAIN
from retrieval.metadata.schema import value
from retrieval.models import Terms
from retrieval.text import denials
from retrieval.text.normalize import searchable
from retrieval.text.reading_order import reading_order
from retrieval.vocabulary.terms import stems_of

_LEAST = 2  # files with a date
_FILE = re.compile(
    r"\b(?:pages?|files?|documents?|articles?|rules|policy|policies|guides?|chapters?|procedures?)\b",
    re.IGNORECASE,
)
_ARE_THERE = re.compile(r"\W*(?:is|are) there\b", re.IGNORECASE)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_SHORT = 3  # letters of a month, with a full stop or without one
_WHEN = re.compile(
    r"(?:\b(?P<how>before|(?:older|earlier|newer|later) than|prior to|since|after|until|up to|in|"
    r"from|during) (?:the )?(?:(?P<part>start|beginning|end) of )?)?"
    rf"(?:\b(?P<month>{'|'.join((*_MONTHS, *(one[:_SHORT] for one in _MONTHS)))})\.? )?"
    r"\b(?P<year>(?:19|20)\d\d)\b"
    r"(?: (?:or|and) (?P<on>later|newer|after|earlier|before|older)\b)?",
    re.IGNORECASE,
)
_OLDEST = re.compile(
    r"\boldest\b|\bleast recent(?:ly)?\b|\b(?:for )?(?:the )?longest (?:time|ago)\b|"
    r"\bfor the longest\b",
    re.IGNORECASE,
)
_NEWEST = re.compile(r"\bnewest\b|\blatest\b|\bmost recent(?:ly)?\b", re.IGNORECASE)
_SAME = re.compile(r"\bsame (?:day|date)\b", re.IGNORECASE)
_SAID_WITH_IT = (
    "page file document article guide chapter rule policy procedure handbook rulebook book vault "
    "folder date dated day write written update change touch edit revise make made do done publish "
    "version header top old new not yet still year ago age time long two here going"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_LIGHT = PLAIN | frozenset(stems_of(_SAID_WITH_IT))


def chosen(question: str, terms: Terms, stated: Stated) -> tuple[Folder, ...]:
    """Return the files of a date that a question asks for, each with its date; else none.

    Of one folder, if it is called as what is asked for. None where more is asked than a date, where
    it is denied, or of two years; where fewer than two files have one, or none fits.
    """
    plain = searchable(question)
    if not _FILE.search(plain) or not (asks_for_rows(plain) or _ARE_THERE.match(plain)):
        return ()
    asked = [one for one in (_WHEN, _OLDEST, _NEWEST, _SAME) if one.search(plain)]
    if len(asked) != 1 or len(_YEAR.findall(plain)) > 1:
        return ()
    if denials.DENIES.search(plain) and asked != [_OLDEST]:  # "not touched for the longest time"
        return ()
    if frozenset(stems_of(asked[0].sub(" ", plain))) - _LIGHT:
        return ()
    nouns = frozenset(stems_of(" ".join(_FILE.findall(plain))))
    called = [
        one for one in folders.said_by(terms) if nouns & folders.name_stems(one.split("/")[-1])
    ]
    if len(called) > 1:
        return ()
    inside = tuple(f"{one}/" for one in called) or ""  # "the oldest policy" of "policies/"
    dates = {
        path: of for path, said in stated().items()
        if path.startswith(inside) and (of := _latest(said))
    }  # fmt: skip
    found = _fitting(plain, dates)
    if len(dates) < _LEAST or not found:
        return ()
    order = sorted(found, key=lambda path: (dates[path], reading_order(path)))
    files = [ListedFile(path, f"{terms.titles[path]} ({dates[path]})") for path in order]
    said = [match[0] for one in asked if (match := one.search(plain))]
    return (Folder("".join(called), tuple(files[:MOST]), len(files), ("date:", *said)),)


def _latest(said: Mapping[str, str | tuple[str, ...]]) -> date | None:
    """The latest date that a file states in a field of its own."""
    dates = (value("date", one) for one in said.values())
    return max((one for one in dates if isinstance(one, date)), default=None)


def _fitting(question: str, dates: Mapping[str, date]) -> list[str]:
    if when := _WHEN.search(question):
        return [path for path, of in dates.items() if _is_within(of, when)]
    if _SAME.search(question):
        every = list(dates.values())
        return [path for path, of in dates.items() if every.count(of) > 1]
    best = (min if _OLDEST.search(question) else max)(dates.values(), default=None)
    return [path for path, of in dates.items() if of == best]


def _is_within(of: date, when: re.Match[str]) -> bool:
    """Whether a date is before, after or in the year or month that is named."""
    year = int(when["year"])
    short = when["month"][:_SHORT].lower() if when["month"] else ""
    month = next((n for n, one in enumerate(_MONTHS, 1) if short and one.startswith(short)), 0)
    first = date(year, month or 1, 1)
    last = date(year, month or 12, monthrange(year, month or 12)[1])
    if when["part"]:
        first = last = last if when["part"].lower() == "end" else first
    how = (when["how"] or "").lower()
    on = (when["on"] or "").lower()
    if on in {"later", "newer", "after"} or how == "since":
        return of >= first
    if on or how in {"until", "up to"}:
        return of <= last
    if how in {"before", "older than", "earlier than", "prior to"}:
        return of < first
    if how in {"after", "newer than", "later than"}:
        return of > last
    return first <= of <= last
