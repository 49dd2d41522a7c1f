"""Bring words that neither the vault nor English knows to the nearest one that the vault knows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType

from rapidfuzz import process
from rapidfuzz.distance import OSA, Levenshtein

from retrieval.models import Terms
from retrieval.text.words import STOP, WORD
from retrieval.vocabulary.everyday_words import everyday_words
from retrieval.vocabulary.terms import stemmed

_SHORTEST = 4  # letters; a shorter word has too many neighbours
_SHORT = 4  # letters, up to which no letter is exchanged for another
_LONG = 8  # letters, from which on two slips are looked for
_OTHER_LETTER = 0.5  # what another letter costs more than one too many or too few
_VOWEL_LEFT_OUT = 0.25  # what it costs less: "tickts" are "tickets" rather than "ticks"
_UNCOUNTED: Mapping[str, int] = MappingProxyType({})
_VOWELS = "aeiou"
_SOUNDS = ("aeiouy", "sz", "ckq", "gj", "fv")  # letters that are taken for one another
# Short words with two letters turned round, which no vault holds.
_TURNED = {"teh": "the", "hte": "the", "adn": "and", "yuo": "you", "hwo": "how", "waht": "what"}
_SPOKEN = {"lvl": "level", "lvls": "levels", "dmg": "damage"}  # how people shorten words
# Words of asking, which a vault need not hold: "mcuh", "wich", "logn".
_ASKING = tuple(sorted({*(one for one in STOP if len(one) >= _SHORTEST), "long", "need", "take"}))
# Verbs that are typed as one word with what follows: "checkout". Of others ("discover", "layout")
# the end of the word is no particle, or the word is one of its own.
_PARTED = re.compile(
    r"(check|log|sign|drop|pick|opt|shut|lock|clock|set|back|move)(in|out|up|off|on|down)"
)
_ENDINGS = ("nt", "re", "ll", "ve", "s", "d", "m")  # of "whats", "theyre", "dont" without their '


@dataclass(frozen=True, slots=True)
class Correction:
    """A word as it was typed and as it is searched."""

    typed: str
    searched: str


def corrected(
    question: str, terms: Terms, is_english: Callable[[str], bool]
) -> tuple[str, tuple[Correction, ...]]:
    """Return the question with its misspelt words corrected, and what was corrected.

    A word stays that the vault knows in any form, that `is_english` knows, that holds a digit, or
    that has no near neighbour: one slip (a letter more or less, two turned round, a letter that
    sounds alike), two from eight letters on, the first letter right. Words of asking go first; then
    a word that makes a name of the vault with the next one ("litening bolt"), with a slip more, or
    with one slip where English alone knows it ("holly water"); of equally near ones the vault's
    commonest is taken. No word becomes one that the question holds already, nor an everyday one
    another of the vault ("pint", "paint"). A name of two words typed as one is parted, and so is a
    verb with its particle ("checkout"), though English knows it.
    """
    found: list[Correction] = []
    text, end = "", 0
    matches = list(WORD.finditer(question))
    said = frozenset(stemmed(match[0].lower()) for match in matches if match[0].lower() not in STOP)
    for match, following in zip_longest(matches, matches[1:]):
        word = match[0].lower()
        text += question[end : match.start()]
        end = match.end()
        better = None
        if word in _TURNED and word not in terms.words:
            better = _TURNED[word]
        elif _SPOKEN.get(word) in terms.words and word not in terms.words:
            better = _SPOKEN[word]
        elif joined := _in_two(word, terms):
            better = joined
        elif word not in STOP and word not in terms.words and is_english(word):
            end_of_name = following[0].lower() if following else ""
            if not _is_known(end_of_name, terms, is_english):  # "holly watter"
                end_of_name = _of_vault(end_of_name, terms, is_english) or end_of_name
            better = _slip_in_a_name(word, end_of_name, terms)
        elif _is_stem(word, terms, is_english):
            forms = [
                one
                for one in terms.spellings.of(word[0])
                if stemmed(one) == word and not one.endswith("s")  # a plural is no slip
            ]
            better = _nearest(word, forms, 1, terms.words)
        elif not _is_known(word, terms, is_english):
            better = (
                _nearest(word, _ASKING, 1)
                or _in_a_name(word, following[0].lower() if following else "", terms)
                or (None if word in everyday_words() else _of_vault(word, terms, is_english))
            )
        if better and stemmed(better) in said - {stemmed(word)}:
            better = None  # "use the lathe late" has no slip
        if better:
            found.append(Correction(match[0], better))
        text += better or match[0]
    return text + question[end:], tuple(found)


def _is_known(word: str, terms: Terms, is_english: Callable[[str], bool]) -> bool:
    if len(word) < _SHORTEST or word in STOP or not word.isalpha() or word in terms.words:
        return True
    if any(word.endswith(end) and word.removesuffix(end) in STOP for end in _ENDINGS):
        return True
    stem = stemmed(word)
    if word in terms.aliases or word.removesuffix("s") in terms.aliases:
        return True
    return stem in terms.frequency or stem in terms.abbreviations or is_english(word)


def _is_stem(word: str, terms: Terms, is_english: Callable[[str], bool]) -> bool:
    """Whether a word lacks the end that all its forms in the vault have: "freez"."""
    is_whole = len(word) < _SHORTEST or word in terms.words or is_english(word)
    return not is_whole and word in terms.frequency and word == stemmed(word)


def _in_two(word: str, terms: Terms) -> str | None:
    """Two words of the vault that are typed as one: "warhammer" for "War hammer", "checkout"."""
    if word in terms.words or stemmed(word) in terms.frequency:
        return None
    for at in range(3, len(word) - 2):
        first, second = word[:at], word[at:]
        if first in terms.words and (stemmed(first), stemmed(second)) in terms.names:
            return f"{first} {second}"
    parted = _PARTED.fullmatch(word)
    return " ".join(parted.groups()) if parted and parted[1] in terms.words else None


def _in_a_name(word: str, following: str, terms: Terms) -> str | None:
    """The nearest word that is the beginning of a name of two words, which the next one ends."""
    choices = _beginning(word, following, terms) if len(word) >= _LONG else []
    near = process.extract(word, choices, scorer=OSA.distance, score_cutoff=3, limit=1)
    return near[0][0] if near else None


def _slip_in_a_name(word: str, following: str, terms: Terms) -> str | None:
    """The same for a word of English: one slip away, and none that everybody says ("good card")."""
    if len(word) < _SHORTEST or word in everyday_words():
        return None
    choices = _beginning(word, following, terms)
    same = any(stemmed(found) == stemmed(word) for found in choices)  # another form of it
    return None if same else _nearest(word, choices, 1)


def _beginning(word: str, following: str, terms: Terms) -> list[str]:
    """The words of the vault that begin a name of two, which another word ends."""
    end = stemmed(following)
    names = {name[0] for name in terms.names if len(name) == 2 and name[1] == end}
    return [found for found in terms.spellings.of(word[0]) if stemmed(found) in names]


def _of_vault(word: str, terms: Terms, is_english: Callable[[str], bool]) -> str | None:
    is_plural = word.endswith("s") and is_english(word[:-1])  # "startups" are no "starts"
    most = 2 if len(word) >= _LONG and not is_plural else 1
    stem = stemmed(word)  # another form of an alias is no slip
    aliases = (one for one in terms.aliases if one[0] == word[0] and one.isalpha())
    known = (*terms.spellings.of(word[0]), *(one for one in aliases if stemmed(one) != stem))
    choices = [found for found in known if len(found) >= _SHORTEST]
    return _nearest(word, choices, most, terms.words)


def _nearest(
    word: str, choices: Sequence[str], most: int, counts: Mapping[str, int] = _UNCOUNTED
) -> str | None:
    """The nearest of `choices` at `most` slips away; of equally near ones the commonest."""
    near = process.extract(word, choices, scorer=OSA.distance, score_cutoff=most, limit=20)
    costs = {found: _cost(word, found, slips) for found, slips, _ in near if found[0] == word[0]}
    best = min(costs.values(), default=most + 1.0)
    if best > most:
        return None
    equal = [found for found, cost in costs.items() if cost == best]
    return max(equal, key=lambda found: (counts.get(found, 0), found))


def _cost(word: str, other: str, slips: float) -> float:
    """The slips: more for a letter that sounds otherwise, less for a vowel that is left out."""
    if Levenshtein.distance(word, other) > slips:  # two letters are turned round
        return slips
    cost = slips
    for op in Levenshtein.editops(word, other):
        if op.tag == "replace":
            alike = any({word[op.src_pos], other[op.dest_pos]} <= set(one) for one in _SOUNDS)
            cost += 0.0 if alike and len(word) > _SHORT else _OTHER_LETTER
        elif op.tag == "insert" and other[op.dest_pos] in _VOWELS:
            cost -= _VOWEL_LEFT_OUT
    return cost
