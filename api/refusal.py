"""When a question is refused before anything answers it: on another subject, or a false premise.

What was fitted stands in retrieval/refusal.json, one entry for each set of models, as that of
calibration.json does; `evals.refusal_fit` makes it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import retrieval
from api.answer.quotes import Quote
from retrieval import fitted as fitted_files
from retrieval import numbers_in_words
from retrieval.fitted import Models
from retrieval.fold import fold
from retrieval.models import Hit, SearchResult
from retrieval.rulebook import Rulebook, calibrated_for
from retrieval.sketch import Sketch, resemblance
from retrieval.words import stem, stems

_FILE = Path(retrieval.__file__).with_name("refusal.json")
# By how much a question must be nearer to the rules than to other subjects, in a vault that nothing
# was fitted on: by its words and its vector, or by its vector alone. Each refuses one in twenty of
# the answerable questions of the fifteen vaults it was chosen on (docs/experiments.md, E47).
COVERED, NEARER = 0.10, 0.30
_VECTOR = 0.5  # what the vector's difference counts beside that of the words (E47)
_SAME = 0.5  # share of texts; a vault that has kept fewer since the fit is another one


@dataclass(frozen=True, slots=True)
class Signals:
    """What a search says for the rules being what the question is about."""

    nearer: float  # cosine similarity of the nearest candidate, less that of other subjects
    covered: float | None  # as SearchResult has it
    vault: Sketch = ()


@dataclass(frozen=True, slots=True)
class Fit:
    """What is under a limit is refused, in `vault`: how everyday its words are decides the limits.

    Other vaults have COVERED and NEARER. `nearer` counts where the words were not compared.
    """

    covered: float = COVERED
    nearer: float = NEARER
    vault: Sketch = ()


def signals(found: SearchResult) -> Signals | None:
    """Return the signals of a search, from its trace; None where it has no candidate."""
    if not found.trace:
        return None
    nearest = max(row.dense_score for row in found.trace)
    return Signals(nearest - found.elsewhere, found.covered, found.vault)


def subject(given: Signals) -> float:
    """Return by how much the question is nearer to the rules than to other subjects."""
    if given.covered is None:
        return given.nearer
    return given.covered + _VECTOR * given.nearer


def over_limit(given: Signals, fit: Fit) -> float:
    """Return by how much the question is over its limit; below 0 is refused."""
    own = fit if resemblance(given.vault, fit.vault) >= _SAME else Fit()
    return subject(given) - (own.nearer if given.covered is None else own.covered)


def refuses(found: SearchResult, fit: Fit | None) -> bool:
    """Tell whether a question is about another subject; by `fit` None only if nothing is found."""
    given = signals(found)
    if given is None or not found.hits:
        return True
    return fit is not None and over_limit(given, fit) < 0


_HELD = r"(?:its|his|her|their|the|all|[a-z]+'s)"
_NUMBER = (
    rf"(?:\d+(?:st|nd|rd|th)?|{'|'.join(numbers_in_words.ORDINALS)}|{numbers_in_words.PATTERN})"
)
_PRESUPPOSED = re.compile(rf"\b{_HELD} (?P<number>{_NUMBER}) (?P<noun>[a-z]{{3,}})", re.IGNORECASE)
_COUNTED = re.compile(
    rf"(?<![\w.])(?P<number>\d+|{numbers_in_words.PATTERN}) (?P<noun>[a-z]{{3,}})", re.IGNORECASE
)
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)?")


def contradicted(question: str, hits: Sequence[Hit]) -> Quote | None:
    """Return the entry that contradicts what the question takes for granted, or None.

    Judged is one form alone: the question gives a thing a number of parts ("its 4th head", "the
    five arms of"), and the best passage, whose heading or file name shares a content word with the
    question, counts fewer of them everywhere it counts them. Negations are not judged: half of
    the questions that meet one in their passage are answered by it (docs/experiments.md).
    """
    if not hits:
        return None
    passage = hits[0]
    about = set(stems(f"{passage.chunk.heading} {passage.chunk.path.rsplit('/', 1)[-1]}"))
    if not about & set(stems(question)):
        return None
    for match in _PRESUPPOSED.finditer(fold(question)):
        noun, number = stem(match["noun"]), _value(match["number"])
        counts = {value for value, name in _counts(passage.chunk.text) if name == noun}
        if counts and number > max(counts):
            return _counting(passage, noun)
    return None


def _counts(text: str) -> list[tuple[Fraction, str]]:
    return [(_value(m["number"]), stem(m["noun"])) for m in _COUNTED.finditer(fold(text))]


def _counting(hit: Hit, noun: str) -> Quote | None:
    """The nearest entry that counts these, so that the reader sees how many there are."""
    for found in hit.evidence:
        if any(name == noun for _, name in _counts(found.entry.quote)):
            return Quote(1, found.entry, found.score + hit.score)
    return None


def _value(number: str) -> Fraction:
    if plain := _ORDINAL.fullmatch(number):
        return Fraction(plain[1])
    if (place := numbers_in_words.ORDINALS.get(number.lower())) is not None:
        return Fraction(place)
    return numbers_in_words.value(number)


def fitted(rules: Rulebook) -> Fit | None:
    """Return the fit that questions of these rules are refused by; None where none is.

    None is for models that nothing was fitted for, and where RAG_THRESHOLD is set: the operator
    has chosen by which score passages are dropped. Raises ConfigurationError where refusal.json
    cannot be read.
    """
    if rules.settings.rag_threshold is not None:
        return None
    models = calibrated_for(rules.settings, rules.embedder, rules.reranker)
    return _found(tuple(sorted(models.items())))


@lru_cache(maxsize=8)  # asked for with every question, and the file is read at the first
def _found(models: tuple[tuple[str, object], ...]) -> Fit | None:
    return find(dict(models))


def find(models: Models) -> Fit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where refusal.json cannot be read.
    """
    return fitted_files.find(_FILE, models, _fit)


def write(models: Models, fit: Fit, manifest: Mapping[str, object]) -> None:
    """Store a fit with what it was made on (`manifest`); those for other models stay.

    Raises ConfigurationError where refusal.json cannot be read.
    """
    fitted_files.write(_FILE, models, asdict(fit), manifest, _fit)


def _fit(entry: Mapping[str, Any]) -> Fit:
    return Fit(float(entry["covered"]), float(entry["nearer"]), tuple(entry["vault"]))
