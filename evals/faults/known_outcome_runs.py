"""Results known to be good or bad, and copies of the gate that lie: the canaries must tell.

A canary is a run of evals.retrieval whose exit status is known beforehand. The gate gives it; a
copy of the gate in which one line is wrong must give another one to at least one canary.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evals import retrieval
from evals.faults.replace import Replacement, applied
from evals.faults.run_pipeline import Ground, quiet
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.measure.judge import Judgement
from evals.measure.outcome import Outcome, Subject
from evals.measure.shown import Shown
from retrieval.errors import DatasetError
from retrieval.models import SearchResult
from retrieval.text.normalize import comparable

_HITS = 10  # questions of a canary
_SEARCH = "api.answer.card_reply.search"
_ALL = ("all canaries", "each has the status that is right for it")


@dataclass(frozen=True, slots=True)
class KnownOutcomeRun:
    """A search, some questions (lines of JSON), and the exit status that they must give."""

    name: str
    status: int
    swap: Replacement
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class GateMutant:
    """What came of the gate or a copy of it: "sound", "caught" or "missed", and by which canary."""

    name: str
    status: str
    canary: str
    said: str


def tried(ground: Ground, ready: Subject, outcomes: Sequence[Outcome]) -> Iterator[GateMutant]:
    """Yield what the canaries say of the gate itself, then of each copy that lies.

    `outcomes` are those of a sound pass over `ground`, whose index is `ready`. Raises DatasetError
    where they do not hold enough hits and a miss.
    """
    flock = _flock(ground, outcomes)
    prepared = Replacement("evals.retrieval.subject", lambda _: lambda *args: nullcontext(ready))
    with applied(prepared):
        wrong = next(_odd(flock, ground.vault), None)
        yield GateMutant("the gate itself", "missed" if wrong else "sound", *(wrong or _ALL))
        for name, swaps in GATE_MUTANTS.items():
            with applied(*swaps):
                found = next(_odd(flock, ground.vault), None)
            yield GateMutant(name, "caught" if found else "missed", *(found or _ALL))


def _flock(ground: Ground, outcomes: Sequence[Outcome]) -> list[KnownOutcomeRun]:
    rows = _rows(ground.dataset)
    hits = [o for o in outcomes if o.judgement and o.passed][:_HITS]
    missed = [o for o in outcomes if o.judgement and not o.passed][:1]
    if len(hits) < _HITS or not missed:
        raise DatasetError(f"{ground.dataset}: canaries need {_HITS} hits and a miss")
    asked = tuple(rows[outcome.question.id] for outcome in hits)
    first = hits[0].found.hits[0].chunk.path
    critical = rows[missed[0].question.id] | {"critical": True}
    none = rows[next(o.question.id for o in outcomes if not o.question.answerable)]
    last = {outcome.question.question for outcome in hits[_HITS // 2 :]}
    broken = partial(Replacement, _SEARCH)
    same = broken(lambda search: search)
    return [
        KnownOutcomeRun("a sound search passes", 0, same, asked),
        KnownOutcomeRun("no passages at all", 1, broken(_nothing(lambda _: True)), asked),
        KnownOutcomeRun("the last questions lost", 1, broken(_nothing(last.__contains__)), asked),
        KnownOutcomeRun("the right passage behind all others", 1, broken(_last), asked),
        KnownOutcomeRun("always the same passages", 1, broken(_same), asked),
        KnownOutcomeRun("the right words of another file", 1, same, _misplaced(asked)),
        KnownOutcomeRun("a critical question lost", 1, same, (*asked, critical)),
        KnownOutcomeRun("a forbidden file returned first", 1, same,
               (asked[0] | {"forbidden": [first]}, *asked[1:])),
        KnownOutcomeRun("no questions", 2, same, ()),
        KnownOutcomeRun("no answerable question", 2, same, (none,)),
    ]  # fmt: skip


def _rows(path: Path) -> dict[str, dict[str, Any]]:
    lines = [line for line in path.read_text("utf-8").split("\n") if line.strip()]
    return {row["id"]: row for row in map(json.loads, lines)}


def _odd(flock: Sequence[KnownOutcomeRun], vault: Path) -> Iterator[tuple[str, str]]:
    """Yield each canary that the gate, as it stands now, gives another status than it should."""
    for canary in flock:
        status = _status(canary, vault.resolve())
        if status != str(canary.status):
            yield canary.name, f"exit {status} where {canary.status} is right"


def _status(canary: KnownOutcomeRun, vault: Path) -> str:
    """The exit status of evals.retrieval, or the name of the error that ended it."""
    clean = {"GITHUB_STEP_SUMMARY": "", "GITHUB_ACTIONS": ""}
    with tempfile.TemporaryDirectory(prefix="canary-") as folder, chdir(folder):
        asked = Path("canary.jsonl")
        asked.write_text("".join(json.dumps(row) + "\n" for row in canary.rows), "utf-8")
        with applied(canary.swap), quiet(), patch.dict(os.environ, clean):
            try:
                return str(retrieval.main(["--dataset", str(asked), "--vault", str(vault)]))
            except (ValueError, ZeroDivisionError) as error:  # no pass, but no verdict either
                return type(error).__name__


def _nothing(chosen: Callable[[str], bool]) -> Callable[[Any], Any]:
    """Return no passages for the questions that are chosen."""

    def wrap(search: Any) -> Any:
        def wrong(rules: Any, question: str, **options: Any) -> SearchResult:
            found: SearchResult = search(rules, question, **options)
            return replace(found, hits=()) if chosen(question) else found

        return wrong

    return wrap


def _same(search: Any) -> Any:
    def wrong(rules: Any, question: str, **options: Any) -> SearchResult:
        found: SearchResult = search(rules, "the", **options)
        return found

    return wrong


def _last(search: Any) -> Any:
    """Return as many passages as are asked for, out of 50 without a threshold, worst first."""

    def wrong(rules: Any, question: str, **options: Any) -> SearchResult:
        wanted = options.get("top_k") or rules.settings.rag_top_k
        all_of_them = replace(rules, threshold=float("-inf"))
        found: SearchResult = search(all_of_them, question, **{**options, "top_k": 50})
        return replace(found, hits=found.hits[::-1][:wanted])

    return wrong


def _misplaced(rows: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The same questions, whose words are expected in files that do not hold them."""
    paths = sorted({row["gold"][0]["path"] for row in rows})
    moved = []
    for row in rows:
        other = paths[(paths.index(row["gold"][0]["path"]) + 1) % len(paths)]
        gold = [one | {"path": other} for one in row["gold"]]
        moved.append(row | {"gold": gold, "alt": []})
    return tuple(moved)


def _hit(judge: Any) -> Any:
    def lying(*args: Any) -> Judgement:
        judgement: Judgement = judge(*args)
        return replace(judgement, hit=True, rank=1, lost_at=None)

    return lying


def _hit_in_any_file(judge: Any) -> Any:
    def lying(question: Question, found: SearchResult, *args: Any) -> Judgement:
        judgement: Judgement = judge(question, found, *args)
        quotes = [comparable(gold.quote) for golds in question.places for gold in golds]
        texts = [comparable(hit.chunk.text) for hit in found.hits]
        said = any(quote in text for quote in quotes for text in texts)
        return replace(judgement, hit=True, rank=1, lost_at=None) if said else judgement

    return lying


def _shown(*_: Any) -> Shown:
    return Shown(first=True, anywhere=True, complete=True, words=0, words_before=0)


def _misses_skipped(evaluate: Any) -> Any:
    def lying(*args: Any, **options: Any) -> Iterator[Outcome]:
        for outcome in evaluate(*args, **options):
            if outcome.judgement is None or outcome.passed:
                yield outcome

    return lying


def _with_top_k(top_k: int) -> Callable[[Any], Any]:
    return lambda evaluate: lambda *args, **options: evaluate(*args, **{**options, "top_k": top_k})


def _first_half(questions: Sequence[Question]) -> Sequence[Question]:
    return questions[: (len(questions) + 1) // 2]


def _without(word: str) -> Callable[[Any], Any]:
    """Drop the gate's faults that begin with a word; "" drops all."""

    def wrap(faults: Any) -> Any:
        return lambda *args: [f for f in faults(*args) if not str(f).startswith(word)]

    return wrap


GATE_MUTANTS = {
    "hit always true": (
        Replacement("evals.retrieval.judge", _hit),
        Replacement("evals.retrieval.shown", lambda _: _shown),
    ),
    "hit in any file": (
        Replacement("evals.retrieval.judge", _hit_in_any_file),
        Replacement("evals.retrieval.shown", lambda _: _shown),
    ),
    "threshold 0": (
        Replacement(
            "evals.gating.absolute.faults", lambda faults: lambda outcomes, _: faults(outcomes, 0.0)
        ),
    ),
    "dataset emptied": (Replacement("evals.labels.dataset.load", lambda _: lambda path: []),),
    "misses skipped": (Replacement("evals.retrieval.evaluate", _misses_skipped),),
    "judged by 50 passages": (Replacement("evals.retrieval.evaluate", _with_top_k(50)),),
    "critical questions ignored": (
        Replacement("evals.gating.absolute.faults", _without("critical")),
    ),
    "forbidden files ignored": (
        Replacement("evals.gating.absolute.faults", _without("forbidden")),
    ),
    "always green": (Replacement("evals.gating.absolute.faults", _without("")),),
    "second half of the questions dropped": (
        Replacement(
            "evals.retrieval.chosen", lambda chosen: lambda *args: _first_half(chosen(*args))
        ),
    ),
    "no answerable question passes": (
        Replacement("evals.retrieval.chosen", lambda _: lambda path, split: dataset.load(path)),
    ),
}
