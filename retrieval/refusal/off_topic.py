"""When a question is refused because it is about another subject than the rules.

What was fitted stands in retrieval/refusal/off_topic.json, one entry for each set of models, as
that of calibration.json does; `evals.fitting.refusal` makes it.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from retrieval import fitted as fitted_files
from retrieval.context import SearchContext, calibrated_for
from retrieval.fitted import Models
from retrieval.index.terms import stems_of
from retrieval.models import SearchResult
from retrieval.refusal.minhash import Sketch, resemblance

_FILE = Path(__file__).with_name("off_topic.json")
# By how much a question must be nearer to the rules than to other subjects, in a vault that nothing
# was fitted on: by its words and its vector, or by its vector alone. Each refuses one in twenty of
# the answerable questions of the fifteen vaults it was chosen on (docs/experiments.md, E47).
COVERED, NEARER = 0.10, 0.30
_VECTOR = 0.5  # what the vector's difference counts beside that of the words (E47)
_NAMED = 0.6  # share of a question; no off-topic one of the calibration split has over 0.58
_FEW = 2  # words
_SAME = 0.5  # share of texts; a vault that has kept fewer since the fit is another one


@dataclass(frozen=True, slots=True)
class Signals:
    """What a search says for the rules being what the question is about."""

    nearer: float  # cosine similarity of the nearest candidate, less that of other subjects
    covered: float | None  # as SearchResult has it
    vault: Sketch = ()
    named: bool = False  # whether the question is about something that the vault has by name


@dataclass(frozen=True, slots=True)
class OffTopicFit:
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
    return Signals(nearest - found.elsewhere, found.covered, found.vault, _is_named(found))


def subject(given: Signals) -> float:
    """Return by how much the question is nearer to the rules than to other subjects."""
    if given.covered is None:
        return given.nearer
    return given.covered + _VECTOR * given.nearer


def over_limit(given: Signals, fit: OffTopicFit) -> float:
    """Return by how much the question is over its limit; below 0 is refused.

    Infinite where the vault has what is asked about by name: no evidence outweighs that.
    """
    if given.named:
        return math.inf
    own = fit if resemblance(given.vault, fit.vault) >= _SAME else OffTopicFit()
    return subject(given) - (own.nearer if given.covered is None else own.covered)


def refuses(found: SearchResult, fit: OffTopicFit | None) -> bool:
    """Tell whether a question is about another subject; by `fit` None only if nothing is found."""
    given = signals(found)
    if given is None or not found.hits:
        return True
    return fit is not None and over_limit(given, fit) < 0


def _is_named(found: SearchResult) -> bool:
    """Tell whether a question is about something that the vault has by name.

    Most of it, weighted by how telling its words are, is names of the vault in full; or it is one
    or two words, each part of a name.
    """
    terms = found.terms
    said = frozenset(stems_of(found.question))
    asked = terms.in_full(said)
    weights = {word: terms.weight(word) for word in asked}
    total = math.fsum(weights.values())
    if not total:
        return False
    either = asked | said
    named = {word for name in terms.names if either.issuperset(name) for word in name}
    if math.fsum(weights[word] for word in terms.in_full(named) & asked) >= _NAMED * total:
        return True
    return len(said) <= _FEW and said <= terms.named_words


def fitted(context: SearchContext) -> OffTopicFit | None:
    """Return the fit that questions of these rules are refused by; None where none is.

    None is for models that nothing was fitted for, and where RAG_THRESHOLD is set: the operator
    has chosen by which score passages are dropped. Raises ConfigurationError where refusal.json
    cannot be read.
    """
    if context.settings.rag_threshold is not None:
        return None
    models = calibrated_for(context.settings, context.embedder, context.reranker)
    return _found(tuple(sorted(models.items())))


@lru_cache(maxsize=8)  # asked for with every question, and the file is read at the first
def _found(models: tuple[tuple[str, object], ...]) -> OffTopicFit | None:
    return find(dict(models))


def find(models: Models) -> OffTopicFit | None:
    """Return what was fitted for these models; None for others.

    Raises ConfigurationError where refusal.json cannot be read.
    """
    return fitted_files.find(_FILE, models, _fit)


def write(models: Models, fit: OffTopicFit, manifest: Mapping[str, object]) -> None:
    """Store a fit with what it was made on (`manifest`); those for other models stay.

    Raises ConfigurationError where refusal.json cannot be read.
    """
    fitted_files.write(_FILE, models, asdict(fit), manifest, _fit)
    _found.cache_clear()


def _fit(entry: Mapping[str, Any]) -> OffTopicFit:
    return OffTopicFit(float(entry["covered"]), float(entry["nearer"]), tuple(entry["vault"]))
