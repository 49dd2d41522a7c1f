"""The files of a folder that a field chooses: "rooms without a kitchen", "sets not on rail b".

What is asked has to be said within one field, by its name and value. A wrong choice says the
opposite of the rules: where a word is not understood none is made, and where a value cannot be
compared with the question the field of every file is shown.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from api.answer.cards.folders import folders
from api.answer.cards.folders.file_fields import (
    FREE_APART,
    Field,
    Read,
    beginning,
    fields_in,
    has,
    listed,
    of_folder,
    words_of,
)
from api.answer.cards.folders.folders import Folder
from api.answer.question.plain_words import PLAIN
from retrieval.models import Name, Terms
from retrieval.text import denials
from retrieval.text.normalize import searchable
from retrieval.text.words import WORD
from retrieval.vocabulary.terms import key, stems_of

_DENIAL = re.compile(
    rf"\b(?:{denials.ASKED}|none|cant|dont|doesnt|isnt|arent)\b|n['’]t\b", re.IGNORECASE
)
# What is more than one condition, or compares: of these one cannot tell what they are said of.
_UNCLEAR = re.compile(
    r"\b(?:and|or|but|neither|nor|except|besides|excluding|than|over|under|above|below|between|"
    r"before|(?<!look )(?<!looks )after|until|since|most|least|more|less|fewer|if|unless|when|how|"
    r"why|where|who|whose)\b|\bnon-|(?<!\w)\d[\d.,]{0,9}(?!\w)",  # a number may fit a range
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\b(?:without|no)\b", re.IGNORECASE)
_NEEDS = re.compile(r"\b(?:needs?|requires?|must)\b", re.IGNORECASE)  # no "any" is needed
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_NOTHING = re.compile(r"\bcosts? nothing\b|\bfor nothing\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:any|all|every)\b", re.IGNORECASE)  # "classes that may use any weapon"
_ANY = re.compile(r"(?:any(?:one|body)?|all|every(?:one|body)?)$", re.IGNORECASE)
_DAYS = frozenset(
    stems_of("monday tuesday wednesday thursday friday saturday sunday weekend weekday day daily")
)
# What is done with a thing, of which a field says who, how or to whom; not what it is.
_DONE = frozenset(stems_of("lend let rate look access available possible there"))
_MOST = 5  # words that a field is looked for by
_TAKEN_BACK = re.compile(r"\b(?:nothing|extra|except|unless|apart|besides)\b", re.IGNORECASE)
_LEAST_FILES = 1  # that say a word before it may be what the files of their folder are
_HALF = 0.5  # of a folder's files: what a field of them has to be of


class _Found(NamedTuple):
    """A field of the files that says what is asked: the words of its name, and of its value."""

    name: Name
    fields: Mapping[str, Field]
    named: frozenset[str]
    value: frozenset[str]


def chosen(
    question: str, terms: Terms, read: Read, *, is_exact: bool = False
) -> tuple[Folder, ...]:
    """Return the files of a folder that a question opens with whose field says the rest.

    Where it denies something, those that say no or have another value. All of the files, with that
    field, where the value is a range or a day, or where the field chooses none, and no folder then
    where it `is_exact`. None either where no
    field or several may be meant, or where one of its words is in none.
    """
    question = _NOTHING.sub("free", searchable(question))
    opening = folders.OPENING.match(question)
    denied = len(_DENIAL.findall(question))
    if not opening or denied > 1 or _UNCLEAR.search(question):
        return ()
    if not denied and _ALL.search(question, opening.end("noun") if opening["noun"] else 0):
        return ()
    opened = folders.opened_with(question, terms)
    called = {folder: folders.said_by(terms)[folder] for folder in opened}
    if not opened and opening["noun"]:
        called = _speaking_of(opening["noun"], terms, read)
    found = [
        _of_folder(folder, said, question, terms, read, denied=bool(denied), is_exact=is_exact)
        for folder, said in called.items()
    ]
    listed = tuple(one for one in found if one)
    return listed if opened or len(listed) == 1 else ()


def _speaking_of(noun: str, terms: Terms, read: Read) -> dict[str, frozenset[str]]:
    """The folders of whose files two or more say a word, with their names and that word.

    "Machines" may be what the files of a folder "shed" are about.
    """
    stems = frozenset(stems_of(noun))
    told = {}
    for folder, said in folders.said_by(terms).items() if stems else ():
        files = {
            path
            for path, entry in read(folder, [beginning(word) for word in stems])
            if path.rpartition("/")[0] == folder and stems <= set(stems_of(entry.words))
        }
        if len(files) >= _LEAST_FILES:
            told[folder] = said | stems
    return told


def _of_folder(
    folder: str,
    said: frozenset[str],
    question: str,
    terms: Terms,
    read: Read,
    *,
    denied: bool,
    is_exact: bool,
) -> Folder | None:
    """The folder with the files that its field chooses; `said` are the words that name it."""
    asked = _asked(question, terms) - said
    light = asked & (PLAIN | _DONE | folders.SAID_WITH_IT)  # a "need" may name the field
    must = (asked - light) or (light - folders.SAID_WITH_IT)
    found = _field(folder, must, light, terms, read)
    if found is None or _is_other_word(found, question):
        return None
    fields = list(found.fields.values())
    if denied and any(_is_half_said(one, found.value) for one in fields):
        return None
    kept = [one for one in fields if _says(one, found.value, question) is not denied]
    typed = _typed(found, question)
    is_all = denied and len(kept) == len(fields)
    if _is_vague(found, question) or is_all or not kept or not typed:
        return None if is_exact else listed(folder, fields, fields[0].name.split(), terms)
    return listed(folder, kept, ["not", *typed] if denied else typed, terms)


def _is_half_said(field: Field, value: frozenset[str]) -> bool:
    """Whether a field says a value and takes it back: "nothing but lessons; entry is extra"."""
    return bool(value) and value <= words_of(field.value) and bool(_TAKEN_BACK.search(field.value))


def _is_other_word(found: _Found, question: str) -> bool:
    """Whether a field's name is only like a word of the question: a horse's "Bit", and "bite"."""
    written = next(iter(found.fields.values())).name
    name = {one.removesuffix("s") for one in WORD.findall(written.lower())}
    typed = {one.removesuffix("s") for one in WORD.findall(question.lower())}
    clash = {*(f"{one}e" for one in name), *(one.removesuffix("e") for one in name)} - name
    return bool(clash & typed) and not name & typed


def _typed(found: _Found, question: str) -> list[str]:
    """The words of a question that a field says, as they are typed."""
    said = frozenset(part for word in found.named | found.value for part in word.split("-"))
    split = [one.strip("?!.,;:") for one in question.split()]
    return [one for one in split if said & {*words_of(one), *stems_of(one)} or _ONLY.match(one)]


def _asked(question: str, terms: Terms) -> frozenset[str]:
    """The stems of a question, "step free" one word where a field is called so."""

    def joined(match: re.Match[str]) -> str:
        return f"{match[1]}-free" if key(match[0]) in terms.fields else match[0]

    return words_of(FREE_APART.sub(joined, question)) - frozenset(stems_of("which what any list"))


def _field(
    folder: str, must: frozenset[str], light: frozenset[str], terms: Terms, read: Read
) -> _Found | None:
    """The one field of the folder's files that says all of `must`, of several the best named."""
    if not 0 < len(must) <= _MOST:
        return None
    fitting = list(_fitting(folder, must, light, terms, read))
    ranks = [(len(one.named), -len(one.name)) for one in fitting]
    best = [one for one, rank in zip(fitting, ranks, strict=True) if rank == max(ranks)]
    return best[0] if len(best) == 1 else None


def _fitting(
    folder: str, must: frozenset[str], light: frozenset[str], terms: Terms, read: Read
) -> Iterator[_Found]:
    entries = [pair for word in sorted(must) for pair in read(folder, [beginning(word)])]
    fields = [(path, entry, list(fields_in(path, entry, terms))) for path, entry in entries]
    texts = [words_of(entry.words) for _, entry, own in fields if not own]
    files = sum(path.startswith(f"{folder}/") for path in terms.titles)
    written: defaultdict[Name, list[Field]] = defaultdict(list)
    for one in (one for _, _, own in fields for one in own):
        written[key(one.name)].append(one)
    for name, found in written.items():
        stems = words_of(found[0].name)
        named = frozenset(word for word in must | light if _names(stems, word))
        value = must - named
        if not value and not named & must:
            continue
        if not named and any(value <= text for text in texts):  # others say it in a sentence
            continue
        if not any(value <= words_of(one.value) for one in found):
            continue
        of_files = of_folder(folder, name, terms, read)
        if len(of_files) >= max(2, _HALF * files):
            yield _Found(name, of_files, named, value)


def _names(stems: frozenset[str], word: str) -> bool:
    """Whether a word is of a field's name: "kitchen", and of a "Keeper" also "keep"."""
    return has(stems, word) or any(f"{word}{end}" in stems for end in ("er", "or", "r"))


def _says(field: Field, value: frozenset[str], question: str) -> bool:
    """Whether a field says a value ("house only" with its "only"), or yes where none is asked."""
    if _ONLY.search(question) and not _ONLY.search(field.value):
        return False
    if not value:
        return not field.says_no
    is_any = _ANY.match(field.value) and not _NEEDS.search(question)
    return value <= words_of(denials.stated(field.value)) or bool(is_any)


def _is_vague(found: _Found, question: str) -> bool:
    """Whether words do not tell of each value whether it is meant.

    A day falls into ranges of days, and what a value only mentions is not all that "without" asks.
    """
    return bool(found.value & _DAYS) or (not found.named and bool(_WITHOUT.search(question)))
