"""When a question is refused because it is about another subject than the rules.

By how much it must be nearer to the rules than to other subjects depends on how everyday the rules
are. It is fitted for one vault by `evals.calibrate`, which writes it to off_topic.json in the
vault's folder; an ingest keeps it with the generation. In other vaults it depends on their size.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from retrieval import fitted
from retrieval.context import SearchContext, calibrated_for
from retrieval.fitted import Models
from retrieval.index.store import Generation
from retrieval.models import OffTopicLimits, SearchResult
from retrieval.ranking import calibration
from retrieval.text.question_phrases import without_command, without_degree
from retrieval.text.words import INDEFINITE
from retrieval.vocabulary.terms import key, stemmed, stems_of, title

FILE = "off_topic.json"  # of a vault's folder, as fitted.py writes it
# In a vault that nothing was fitted on. The first refuses one in fifty of the answerable questions
# of the fifteen vaults it was chosen on (docs/experiments.md, E63), the second one in twenty (E47).
FOR_ALL = OffTopicLimits(covered=0.06, nearer=0.30)
# A small vault has few words that a question's can be similar to, so all questions are farther from
# it. The limit of `covered` for one entry, and what each e-fold of entries adds (E63).
_ONE_ENTRY, _E_FOLD = -0.50, 0.09
# In these a question that is as little under its limit is not refused, nor one whose best passage
# is as little under the threshold. Of 240 answerable ones over eight vaults 9 and 6 are under them,
# 2 and 1 by more (docs/experiments.md, E177).
_DOUBTFUL, _BELOW = 0.08, 0.10
_VECTOR = 0.5  # what the vector's difference counts beside that of the words (E47)
_NAMED = 0.6  # share of a question; no off-topic one of the calibration split has over 0.58
# The same where the first passage is of a file that the question calls by its whole title.
_TITLED = 0.33
_FEW = 2  # words
_INDEFINITE = frozenset(map(stemmed, INDEFINITE))
# By how much a question of as few words as that may be under its limit where what was found in one
# file says them all: alone they hardly tell another subject (docs/experiments.md, E152).
_FEW_SAID = 0.06


@dataclass(frozen=True, slots=True)
class Signals:
    """What a search says for the rules being what the question is about."""

    nearer: float  # cosine similarity of the nearest candidate, less that of other subjects
    covered: float | None  # as SearchResult has it
    named: bool = False  # whether the question is about something that the vault has by name
    few_said: bool = False  # whether it is of one or two words, and a file's passages say them


def signals(result: SearchResult) -> Signals | None:
    """Return the signals of a search, from its trace; None where it has no candidate."""
    if not result.trace:
        return None
    nearest = max(row.dense_score for row in result.trace)
    said = _said(result)
    nearer = nearest - result.off_topic_score
    is_named, is_said = _is_named(result, said), _are_few_and_said(result, said)
    return Signals(nearer, result.covered, is_named, is_said)


def subject(given: Signals) -> float:
    """Return by how much the question is nearer to the rules than to other subjects."""
    if given.covered is None:
        return given.nearer
    return given.covered + _VECTOR * given.nearer


def over_limit(given: Signals, limits: OffTopicLimits) -> float:
    """Return by how much the question is over its limit; below 0 is refused.

    Infinite where the vault has what is asked about by name: no evidence outweighs that.
    """
    if given.named:
        return math.inf
    limit = limits.nearer if given.covered is None else limits.covered
    return subject(given) - limit + (_FEW_SAID if given.few_said else 0.0)


def refuses(result: SearchResult) -> bool:
    """Tell whether a question is about another subject, by the search's own limits."""
    over = _over_own_limit(result)
    return result.off_topic_limits is not None and over < -result.off_topic_limits.doubtful


def is_doubtful(result: SearchResult) -> bool:
    """Tell whether a question that is not refused may be about another subject all the same."""
    return _over_own_limit(result) < 0 and not refuses(result)


def _over_own_limit(result: SearchResult) -> float:
    given = signals(result)
    if given is None or result.off_topic_limits is None:
        return math.inf
    return over_limit(given, result.off_topic_limits)


def _said(result: SearchResult) -> frozenset[str]:
    """The stems of what a question is about; of "how do I choke someone" that of "choke"."""
    said = stems_of(without_degree(without_command(result.question)))
    return frozenset(said) - result.terms.stop - _INDEFINITE


def _are_few_and_said(result: SearchResult, said: frozenset[str]) -> bool:
    """Tell whether a question says one or two words, and the passages of a file all of them."""
    if not 0 < len(said) <= _FEW:
        return False
    texts = defaultdict[str, str](str)
    for chunk in (hit.chunk for hit in result.hits):
        texts[chunk.path] += f" {chunk.path} {chunk.heading} {chunk.text} {chunk.context}"
    in_full = result.terms.in_full
    return any(in_full(said) <= in_full(stems_of(text)) for text in texts.values())


def _is_named(result: SearchResult, said: frozenset[str]) -> bool:
    """Tell whether a question that says this is about something that the vault has by name.

    Most of it, weighted by how telling its words are, is names of the vault in full; or it is one
    or two words, each part of a name.
    """
    terms = result.terms
    in_full = terms.in_full(said)
    weights = {word: terms.weight(word) for word in in_full}
    total = math.fsum(weights.values())
    if not total:
        return False
    either = in_full | said
    names = (name for stem in either for name in terms.named_from.get(stem, ()))
    named = {word for name in names if either.issuperset(name) for word in name}
    if math.fsum(weights[word] for word in terms.in_full(named) & in_full) >= _NAMED * total:
        return True
    titled = frozenset(key(title(result.hits[0].chunk.path))) if result.hits else frozenset[str]()
    of_title = math.fsum(weights.get(word, 0.0) for word in titled)
    if titled and titled <= said and of_title >= _TITLED * total:
        return True
    return len(said) <= _FEW and said <= terms.named_words


def is_refused(context: SearchContext) -> bool:
    """Tell whether questions about another subject are refused.

    They are not by models that nothing was fitted for, and where RAG_THRESHOLD is set: the operator
    has chosen by which score passages are dropped.
    """
    models = calibrated_for(context.settings, context.embedder, context.reranker)
    return context.settings.rag_threshold is None and _calibrated(tuple(sorted(models.items())))


def limits(context: SearchContext, generation: Generation, entries: int) -> OffTopicLimits | None:
    """Return the limits by which questions to a generation are refused; None where none is.

    `entries` is how many it has.
    """
    if not is_refused(context):
        return None
    models = calibrated_for(context.settings, context.embedder, context.reranker)
    own = (_limits(fit) for fit in generation.off_topic if fit["for"] == models)
    return next(own, None) or of_size(entries)


def of_size(entries: int) -> OffTopicLimits:
    """Return the limits of a vault that nothing was fitted on, by how many entries it has."""
    small = _ONE_ENTRY + _E_FOLD * math.log(max(entries, 1))
    covered = min(small, FOR_ALL.covered)
    return FOR_ALL._replace(covered=covered, doubtful=_DOUBTFUL, below=_BELOW)


@lru_cache(maxsize=8)  # asked for with every question, and the file is read at the first
def _calibrated(models: tuple[tuple[str, object], ...]) -> bool:
    return calibration.find(dict(models)) is not None


def of_vault(root: Path) -> list[dict[str, Any]]:
    """Return what was fitted for the vault at `root`, as a generation keeps it; [] of others.

    Raises ConfigurationError where its file cannot be read.
    """
    file = root / FILE
    fits: Sequence[Mapping[str, Any]] = fitted.entries(file, _limits) if file.exists() else ()
    return [{name: fit[name] for name in ("for", "covered", "nearer")} for fit in fits]


def write(root: Path, models: Models, made: OffTopicLimits, manifest: Mapping[str, object]) -> None:
    """Store what was fitted for a vault with what it was made on; that for other models stays.

    Raises ConfigurationError where the file cannot be read.
    """
    limits = {"covered": made.covered, "nearer": made.nearer}
    fitted.write(root / FILE, models, limits, manifest, _limits)
    _calibrated.cache_clear()


def _limits(entry: Mapping[str, Any]) -> OffTopicLimits:
    return OffTopicLimits(float(entry["covered"]), float(entry["nearer"]))
