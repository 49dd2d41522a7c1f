"""Runs of the gate whose status is known, and copies of the gate that lie: a run must tell.

In a copy one function is wrong; at least one run of evals.retrieval must then end with another
status than the right one.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from evals import retrieval
from evals.faults.replace import Replacement, always, applied, changed
from evals.faults.runs import quiet
from evals.measure.outcome import Outcome, Subject
from evals.measure.shown import Shown
from retrieval.errors import DatasetError
from retrieval.models import SearchResult
from retrieval.text.normalize import comparable

_HITS = 10  # questions of a run
_SEARCH = "api.answer.card_reply.search"
_FAULTS = "evals.gating.thresholds.faults"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KnownOutcomeRun:
    """A search, some questions (lines of JSON), and the exit status that they must give."""

    name: str
    status: int
    rows: tuple[Row, ...]
    swaps: tuple[Replacement, ...] = ()


def tried(
    dataset_file: Path, vault: Path, ready: Subject, outcomes: Sequence[Outcome]
) -> Iterator[tuple[str, str]]:
    """Yield each copy of the gate that lies, with the first run that it gets wrong.

    That is "" where every status is right. `outcomes` are those of a sound pass over the vault,
    whose index is `ready`. Raises DatasetError where they do not hold enough hits and a miss, and
    where the gate itself gives a run another status.
    """
    runs = _runs(dataset_file, outcomes)
    prepared = Replacement("evals.retrieval.subject", lambda _: lambda *args: nullcontext(ready))
    with applied(prepared):
        for odd in _odd(runs, vault):
            raise DatasetError(f"the gate itself: {odd}")
        for name, swaps in GATE_MUTANTS.items():
            with applied(*swaps):
                odd = next(_odd(runs, vault), "")
            yield name, odd


def _runs(path: Path, outcomes: Sequence[Outcome]) -> list[KnownOutcomeRun]:
    lines = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    rows = {row["id"]: row for row in lines}
    hits = [o for o in outcomes if o.judgement and o.passed][:_HITS]
    missed = [o for o in outcomes if o.judgement and not o.passed][:1]
    if len(hits) < _HITS or not missed:
        raise DatasetError(f"{path}: the gate's known runs need {_HITS} hits and a miss")
    asked = tuple(rows[outcome.question.id] for outcome in hits)
    critical = rows[missed[0].question.id] | {"critical": True}
    first = hits[0].found.hits[0].chunk.path
    last = {outcome.question.question for outcome in hits[_HITS // 2 :]}
    return [
        KnownOutcomeRun("a sound search passes", 0, asked),
        KnownOutcomeRun("no passages at all", 1, asked, (_nothing(lambda _: True),)),
        KnownOutcomeRun("the last questions lost", 1, asked, (_nothing(last.__contains__),)),
        KnownOutcomeRun("the right passage last", 1, asked, (Replacement(_SEARCH, _last),)),
        KnownOutcomeRun("always the same passages", 1, asked, (_same(asked[0]["question"]),)),
        KnownOutcomeRun("right words of another file", 1, _misplaced(asked)),
        KnownOutcomeRun("a critical question lost", 1, (*asked, critical)),
        KnownOutcomeRun("a forbidden file first", 1,
                        (asked[0] | {"forbidden": [first]}, *asked[1:])),
        KnownOutcomeRun("no questions", 2, ()),
    ]  # fmt: skip


def _odd(runs: Sequence[KnownOutcomeRun], vault: Path) -> Iterator[str]:
    """Yield each run that the gate, as it stands now, gives another status than it should."""
    for run in runs:
        status = _status(run, vault.resolve())
        if status != str(run.status):
            yield f"{run.name}: exit {status} where {run.status} is right"


def _status(run: KnownOutcomeRun, vault: Path) -> str:
    """The exit status of evals.retrieval, or the name of the error that ended it."""
    clean = {"GITHUB_STEP_SUMMARY": "", "GITHUB_ACTIONS": ""}
    with tempfile.TemporaryDirectory(prefix="known-") as folder, chdir(folder):
        asked = Path("known.jsonl")
        asked.write_text("".join(json.dumps(row) + "\n" for row in run.rows), "utf-8")
        with applied(*run.swaps), quiet(), patch.dict(os.environ, clean):
            try:
                return str(retrieval.main(["--dataset", str(asked), "--vault", str(vault)]))
            except (ValueError, ZeroDivisionError) as error:  # no pass, but no verdict either
                return type(error).__name__


def _nothing(chosen: Callable[[str], bool]) -> Replacement:
    """Return no passages for the questions that are chosen."""

    def left(result: SearchResult) -> SearchResult:
        return replace(result, hits=()) if chosen(result.question) else result

    return changed(_SEARCH, left)


def _same(question: str) -> Replacement:
    """Return what is found for one question to all of them; nothing but the recall is red."""
    return Replacement(
        _SEARCH, lambda search: lambda context, _, **options: search(context, question, **options)
    )


def _last(search: Any) -> Any:
    """Return as many passages as are asked for, out of 50 without a threshold, worst first."""

    def wrong(context: Any, question: str, **options: Any) -> SearchResult:
        wanted = options.get("top_k") or context.settings.rag_top_k
        all_of_them = replace(context, threshold=float("-inf"))
        result: SearchResult = search(all_of_them, question, **{**options, "top_k": 50})
        return replace(result, hits=result.hits[::-1][:wanted])

    return wrong


def _misplaced(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The same questions, whose words are expected in files that do not hold them."""
    paths = sorted({row["gold"][0]["path"] for row in rows})
    next_of = dict(zip(paths, [*paths[1:], paths[0]], strict=True))
    return tuple(
        row | {"gold": [gold | {"path": next_of[row["gold"][0]["path"]]} for gold in row["gold"]],
               "alt": []}
        for row in rows
    )  # fmt: skip


def _in_any_file(judge: Any) -> Any:
    """Judge that a question is a hit where its words stand in some passage, of whichever file."""

    def lying(question: Any, found: SearchResult, *args: Any) -> Any:
        judgement = judge(question, found, *args)
        quotes = [comparable(gold.quote) for golds in question.places for gold in golds]
        texts = [comparable(hit.chunk.text) for hit in found.hits]
        said = any(quote in text for quote in quotes for text in texts)
        return replace(judgement, hit=True, rank=1, lost_at=None) if said else judgement

    return lying


def _without(word: str) -> Replacement:
    """Drop the gate's faults that begin with a word; "" drops all."""
    return changed(_FAULTS, lambda faults: [f for f in faults if not str(f).startswith(word)])


def _by_50(evaluate: Any) -> Any:
    return lambda *args, **options: evaluate(*args, **{**options, "top_k": 50})


_SHOWN = always(
    "evals.measure.evaluation.shown",
    Shown(first=True, anywhere=True, complete=True, words=0),
)
GATE_MUTANTS: dict[str, tuple[Replacement, ...]] = {
    "hit in any file": (Replacement("evals.measure.evaluation.judge", _in_any_file), _SHOWN),
    "threshold 0": (Replacement(_FAULTS, lambda faults: lambda found, _: faults(found, 0.0)),),
    "dataset emptied": (always("evals.labels.dataset.load", []),),
    "judged by 50 passages": (Replacement("evals.measure.evaluation.evaluate", _by_50),),
    "critical questions ignored": (_without("critical"),),
    "forbidden files ignored": (_without("forbidden"),),
    "always green": (_without(""),),
    "second half of the questions dropped": (
        changed("evals.retrieval.chosen", lambda asked: asked[: (len(asked) + 1) // 2]),
    ),
}  # fmt: skip
