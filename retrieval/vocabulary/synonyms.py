"""Everyday words beside the words that rules write instead: "vape" and "smoke".

`synonyms.txt` was written and pruned by people's judgement, before a question was asked with it
(docs/experiments.md, E168). It has no certain things ("katana: sword"): who asks for one that the
rules lack is to be told of no other.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from retrieval.models import Terms
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.terms import key

_FILE = Path(__file__).with_name("synonyms.txt")
_VOWELS = "aeiou"
_HISSING = ("s", "x", "z", "ch", "sh", "o")
_NOT_DOUBLED = "wxy"
_LONG = 4  # letters, from which on the last one may also stay single


@cache
def typed() -> frozenset[str]:
    """Return the words, and pairs of words, in lower case, that the list knows."""
    return frozenset(_entries())


def with_known(question: str, terms: Terms) -> str:
    """Return a question with a vault's word in brackets behind each that the vault lacks.

    "Where can I vape (smoke)": it is the first of the list that the vault has, in any form. What
    stands in the vault itself stays alone.
    """
    words = list(WORD.finditer(question))
    text, end, at = "", 0, 0
    while at < len(words):
        taken = 1
        for count in (2, 1):
            last = words[at : at + count][-1]
            typed = question[words[at].start() : last.end()].lower()
            if (last is words[at] and count > 1) or typed not in _entries():
                continue
            known = next((one for one in _entries()[typed] if _is_known(one, terms)), None)
            if known and not all(map(terms.frequency.get, key(typed))):
                text += f"{question[end : last.end()]} ({known})"
                end, taken = last.end(), count
                break
        at += taken
    return text + question[end:]


@cache
def _entries() -> Mapping[str, tuple[str, ...]]:
    """What each entry stands for, the closest first, by each form that it may be typed in."""
    found: dict[str, tuple[str, ...]] = {}
    for line in _FILE.read_text("utf-8").splitlines():
        typed, meant = line.split(":")
        known = tuple(one.strip() for one in meant.split(","))
        first, _, second = typed.partition(" ")
        forms = {f"{one} {second}" for one in _forms(first)} if second else set(_forms(first))
        forms |= {f"{first} {one}" for one in _forms(second)} if second else set()
        found |= {form: known for form in forms - found.keys() - STOP}
        found[typed] = known
    return found


def _is_known(word: str, terms: Terms) -> bool:
    """Whether a vault has a word, or has something that is called as two of them."""
    stems = key(word)
    return stems in terms.names or (len(stems) == 1 and stems[0] in terms.frequency)


def _forms(word: str) -> Iterator[str]:
    """The word as a regular plural, past tense, … has it."""
    yield from (word, f"{word}s", f"{word}'s")
    if word.endswith(_HISSING):
        yield f"{word}es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        yield from (f"{word[:-1]}ies", f"{word[:-1]}ied")
    before, vowel, last = word[-3:-2], word[-2:-1], word[-1:]
    is_short = vowel in _VOWELS and before not in _VOWELS and last not in _VOWELS + _NOT_DOUBLED
    if word.endswith("e"):
        yield from (f"{word}d", f"{word[:-1]}ing")
    elif len(word) > 2 and is_short:  # "taped" is of "tape", "tapped" of "tap"
        yield from (f"{word}{last}ed", f"{word}{last}ing")
    if not is_short or len(word) > _LONG:  # "mugging", but "visiting"
        yield from (f"{word}ed", f"{word}ing")
