"""What the retrieval gate prints: a line a question, then what was measured."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from statistics import fmean

from evals.gating.compare import SMALL
from evals.labels.dataset import Question
from evals.measure import replies, stats, summary
from evals.measure.judge import LOST_AT, Judgement, losses
from evals.measure.outcome import Outcome
from evals.measure.run import Run
from retrieval.context import SearchContext

_FEW = 16  # questions that are all printed
_LINES = 5  # of more that are printed
_KINDS = 12  # of faults that are printed
_NAMING = ("critical", "forbidden", "gold line gone")  # faults that end with the question's name
# What tells two others of a kind apart: the question or file in front, quotes, files and numbers.
_OWN = re.compile(
    r'^[^\s:]{1,200}(?::\S{1,9})?: |"[^"]{0,200}"|\[[^\[\]]{0,200}\]|\([^()]{0,200}\)|\d+'
)


def heading(
    context: SearchContext, path: Path, split: str | None, questions: Sequence[Question]
) -> str:
    """Return the first line: what is asked, and of which models."""
    reranker = context.reranker.name if context.reranker else "off"
    return (
        f"{path.name}, split {split or 'all'}: {len(questions)} questions; "
        f"embedding: {context.embedder.files.name}; rerank: {reranker}; "
        f"threshold: {context.threshold:g}"
    )


def line(outcome: Outcome) -> str:
    """Return the line of one question: a hit, a miss with its stage, or what has no answer."""
    asked = " ".join(outcome.question.question.split())
    if outcome.judgement is None:
        return f"{'REFUSED' if outcome.refused else 'ANSWERED'} (no answer exists) — {asked}"
    if outcome.passed:
        return f"PASS — {asked}"
    expected = outcome.question.places[0][0].path
    return f"FAIL (expected in: {expected}; lost at: {outcome.lost_at}) — {asked}"


def print_summary(run: Run, folder: Path) -> None:
    """Print what was measured; the last line is the recall.

    Of many questions only some that fail are printed: the run's folder has all of them.
    """
    outcomes = run.outcomes
    judged = [(o.question, o.judgement) for o in outcomes if o.judgement]
    _print_failures(outcomes, folder)
    print()
    _print_table("kind", run.top_k, [(question.kind, judgement) for question, judgement in judged])
    refused = [o for o in outcomes if o.question.answerable and o.refused]
    for outcome in refused[:_LINES]:  # a PASS of search that nobody sees
        print(f"refused though it has an answer — {' '.join(outcome.question.question.split())}")
    if more := len(refused[_LINES:]):
        print(f"… and {more} more that are refused")
    for stage, count in losses(outcome.lost_at for outcome in outcomes).items():
        if count:
            print(f"lost at {stage}: {count} ({LOST_AT[stage]})")
    _print_replies(outcomes)
    _print_metrics(run)
    total = summary.latency(outcomes)["total"]
    print("search: " + ", ".join(f"{name} {value:.0f} ms" for name, value in total.items()))
    print(f"results: {folder}")
    _print_faults(run.faults)
    hits = sum(judgement.hit for _, judgement in judged)
    interval = stats.wilson(hits, len(judged))
    print(f"MRR: {fmean(1 / j.rank if j.rank else 0 for _, j in judged):.3f}")
    print(f"95 % interval of recall: {interval.low:.3f} to {interval.high:.3f}")
    print(f"found and shown: {run.hits}/{len(judged)} = {run.hits / len(judged):.2f}")
    print(f"Recall@{run.top_k}: {hits}/{len(judged)} = {hits / len(judged):.2f}")


def _print_failures(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Print the line of every question, or of many the first that fail."""
    few = len(outcomes) <= _FEW
    failed = [outcome for outcome in outcomes if few or (outcome.judgement and not outcome.passed)]
    shown = failed if few else failed[:_LINES]
    for outcome in shown:
        print(line(outcome))
    if more := len(failed) - len(shown):
        print(f"… and {more} more that fail, in {folder}")


def _print_faults(faults: Sequence[str]) -> None:
    """Print a fault of each kind, with how many differ from it in names and numbers alone."""
    kinds: dict[str, list[str]] = {}
    for fault in faults:
        kind = fault.split(":")[0] if fault.startswith(_NAMING) else _OWN.sub("", fault)
        kinds.setdefault(kind, []).append(fault)
    for same in list(kinds.values())[:_KINDS]:
        more = f" (and {len(same) - 1} more like it)" if len(same) > 1 else ""
        print(f"GATE FAILED: {same[0]}{more}")
    if len(kinds) > _KINDS:
        print(f"GATE FAILED: {len(kinds) - _KINDS} more kinds of faults")


def _print_replies(outcomes: Sequence[Outcome]) -> None:
    """What people are shown, and what so few questions cannot say."""
    found = replies.cards(outcomes)
    if found is None:
        return
    print(
        f"replies: right card first {found.first:.3f} (search {found.first_hit:.3f}), shown "
        f"{found.shown:.3f} (search {found.any_hit:.3f}), nearest {found.nearest:.3f}, refused "
        f"{found.refused:.3f}; words unfolded: median {found.median_words:.0f}, mean "
        f"{found.mean_words:.0f}"
    )
    for kind, (n, answered, nearest, refused) in replies.certainties(outcomes).items():
        shares = f"answered {answered:.3f}, nearest {nearest:.3f}, refused {refused:.3f}"
        print(f"{kind:<12} {n:>4} {shares}")
    held = replies.reliability(outcomes)
    if held:
        print(
            f"confidence: calibration error {held.error:.3f} (chance: up to {held.highest:.3f}), "
            f"Brier {held.brier:.3f} (always the mean: {held.base:.3f})"
        )
    if found.n < SMALL:
        low, high = stats.wilson(round(found.shown * found.n), found.n)
        print(
            f"{found.n} answerable questions are few: the share shown may be {low:.2f} to "
            f"{high:.2f}. Without --baseline a lost one is not seen; write one: "
            "python -m evals.baseline --update --dataset FILE --baseline FILE"
        )


def _print_table(name: str, top_k: int, rows: Sequence[tuple[str, Judgement]]) -> None:
    print(f"{name:<12} {'n':>4} {f'hit@{top_k}':>7} {'MRR':>6}")
    for value in sorted({row[0] for row in rows}):
        judged = [judgement for kind, judgement in rows if kind == value]
        mrr = fmean(1 / j.rank if j.rank else 0 for j in judged)
        print(f"{value:<12} {len(judged):>4} {fmean(j.hit for j in judged):>7.3f} {mrr:>6.3f}")


def _print_metrics(run: Run) -> None:
    cells = [
        f"{name:<17} {found.n:>4} {found.mean:>6.3f}  {_spread(found):<27}"
        for name, found in run.tables["all"]["all"].items()
    ]
    half = (len(cells) + 1) // 2
    for first, second in zip_longest(cells[:half], cells[half:], fillvalue=""):
        print(f"{first}  {second}".rstrip())


def _spread(found: summary.Estimate) -> str:
    if found.low is None or found.high is None:
        return "one question"
    return f"{found.low:.3f} to {found.high:.3f} {found.method}"
