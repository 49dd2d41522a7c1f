"""Find the folder of the vault that a question asks for as a whole: "list all monsters"."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from api.answer.question.intent import Reading
from api.answer.question.parts import ASKS
from retrieval.models import Entry, Terms
from retrieval.text import denials
from retrieval.text.normalize import unnumbered
from retrieval.text.question_phrases import without_command
from retrieval.text.reading_order import reading_order
from retrieval.text.words import WORD, alias_key, ordinals_in_digits
from retrieval.vocabulary.terms import stems_of

MOST = 40  # files; of more the first are shown, and the folder is linked
_LEAST = 3  # files of what is called a list
_NEAREST = 2  # folders that fit equally well: the spells of two classes
# What is said besides leaves some of them out, and no folder's name says which.
_LIMITED = re.compile(
    rf"\b(?:{denials.ASKED}|except|but|other than|neither|nor|over|under|above|below|"
    r"between|up to|at (?:least|most)|before|after|only|more|less|than|besides)\b|n't\b|"
    r"\b(?:do|does|is|are|ca|wo|have|has)nt\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
# What people add to the name of what they want to see. Stems.
SAID_WITH_IT = frozenset(
    stems_of("exist get know need play choose pick use buy learn cast available")
)
# "All pages in the billing folder"; without "pages" a folder's name alone is the plural.
_PAGES = re.compile(
    r"\b(?:pages|files|documents|docs|articles)\b (?:(?:are|is) )?(?:there )?"
    r"(?:in|of|under|inside|within) (?:the |our |your )?(?P<name>[\w&' -]{2,40}?)"
    r"(?: (?:folder|directory|section|area|part))?\W*$",
    re.IGNORECASE,
)
_OF_PAGES = frozenset(stems_of("page file document doc article folder directory section area part"))
OPENING = re.compile(  # "monsters immune to fear", "lawful monsters"
    rf"^\W{{0,3}}(?:(?:what|which|any|our|the) )?(?:(?!{ASKS})[\w'-]{{1,30}} ){{0,2}}?"
    rf"(?!happens\b|{ASKS})(?P<noun>[a-z]{{3,30}}s) (?=\w)|"
    rf"^\W{{0,3}}(?!{ASKS})[\w'-]{{1,30}} (?P<last>[a-z]{{3,30}}s)\W{{0,3}}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a folder; `entry` is the one that says what is asked, where something is."""

    path: str
    title: str
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that is asked for: the first MOST of its files, `count` of them in all.

    With `words` it holds only files with an entry that says these: what is asked of each of them.
    `is_likely`: nobody has checked that they are said of the thing.
    """

    path: str
    files: tuple[ListedFile, ...]
    count: int
    words: tuple[str, ...] = ()
    is_likely: bool = False


def asked_for(question: str, reading: Reading, terms: Terms) -> tuple[Folder, ...]:
    """Return the folders whose names say all that is asked, none where a list is not asked for.

    Of several those that say the least besides; more than two of these are too vague. None where
    they say more, and a file's title no more than they do: that file is the list.
    """
    asked = terms.in_full(asked_words(question, reading, terms))
    if asked and (pages := _PAGES.search(question)):
        name = name_stems(pages["name"])
        if asked <= terms.in_full(name) | _OF_PAGES:  # no "outdated pages"
            asked = terms.in_full(name)
    if not asked:  # most questions: no name of the vault is read for them
        return ()
    in_full = {folder: terms.in_full(said) for folder, said in said_by(terms).items()}
    fitting = {
        folder: len(said - asked)
        for folder, said in in_full.items()
        if asked <= said and asked & terms.in_full(name_stems(folder.rsplit("/", 1)[-1]))
    }
    least = min(fitting.values(), default=0)
    titles = [terms.in_full(name_stems(title)) for title in terms.titles.values()]
    if least and any(asked <= said and len(said - asked) <= least for said in titles):
        return ()
    nearest = [one for one in fitting if fitting[one] == least]
    found = [whole(one, terms) for one in sorted(nearest)]
    large = tuple(one for one in found if one.count >= _LEAST)
    return large if len(large) <= _NEAREST else ()


def asked_words(question: str, reading: Reading, terms: Terms) -> frozenset[str]:
    """Return the stems of what a list is asked of; none where none is, or where parts are not."""
    if reading.form not in {"list", "which"} or _LIMITED.search(question):
        return frozenset()
    return meant(in_digits(without_command(question), terms), terms) - SAID_WITH_IT


def in_digits(question: str, terms: Terms) -> str:
    """Return a question with "2nd", and "second level" where folders are levels, in digits."""
    plain = _ORDINAL.sub(r"\1", question)
    return ordinals_in_digits(plain, lambda word: _is_said(word, terms))


def meant(text: str, terms: Terms) -> frozenset[str]:
    """Return the stems of a text; of a file's alias those of its title, if a folder is called so.

    "Wizard spells" are in "Magic-User Spells".
    """
    said = frozenset(stems_of(text))
    for word in WORD.findall(text.lower()):
        called = terms.aliases.get(alias_key(word)) or terms.aliases.get(alias_key(word)[:-1], ())
        for meaning in called[-1:]:  # of a file its title
            own = frozenset(stems_of(meaning))
            if own and any(own <= words for words in said_by(terms).values()):
                said = said - frozenset(stems_of(word)) | own
    return said


def _is_said(word: str, terms: Terms) -> bool:
    return any(words.issuperset(stems_of(word)) for words in said_by(terms).values())


def opened_with(question: str, terms: Terms) -> tuple[str, ...]:
    """Return the folders whose files a question begins with: "monsters immune to fear"; else none.

    Of several that are called so those that the question says most of, without those inside them;
    more than two of these are too vague.
    """
    said = said_by(terms)
    nouns = frozenset().union(*opening_nouns(question, terms))
    of = [one for one in said if nouns & name_stems(one.rsplit("/", 1)[-1])]
    asked = frozenset(stems_of(question))
    most = max((len(asked & said[one]) for one in of), default=0)
    best = sorted(one for one in of if len(asked & said[one]) == most)
    above = [one for one in best if not any(one.startswith(f"{other}/") for other in best)]
    return tuple(above) if len(above) <= _NEAREST else ()


def opening_nouns(question: str, terms: Terms) -> list[frozenset[str]]:
    """Return the stems of the plural that a question begins with, where a folder is called so."""
    noun = OPENING.match(question)
    called = frozenset(stems_of(noun["noun"] or noun["last"])) if noun else frozenset()
    names = (name_stems(one.rsplit("/", 1)[-1]) for one in said_by(terms))
    return [called] if any(called & name for name in names) else []


def said_by(terms: Terms) -> dict[str, frozenset[str]]:
    """Return the words in the names of each folder and of those above it, by its path."""
    folders: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for path in terms.titles:
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            if folder not in folders:
                folders[folder] = frozenset().union(*map(name_stems, parts[:depth]))
    return dict(folders)


@lru_cache(maxsize=65_536)
def name_stems(name: str) -> frozenset[str]:
    """Return the stems of a file's or folder's name without its number."""
    return frozenset(stems_of(unnumbered(name)))


def whole(path: str, terms: Terms) -> Folder:
    """Return a folder with all files below it, in reading order."""
    inside = sorted((one for one in terms.titles if one.startswith(f"{path}/")), key=reading_order)
    files = [ListedFile(one, terms.titles[one]) for one in inside]
    return Folder(path, tuple(files[:MOST]), len(files))
