"""What the retrieval gate prints: a line a question, then what was measured."""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from evals.gating.compare import OFF_TOPIC, SMALL, Comparison, numbers
from evals.labels.dataset import Question
from evals.measure import replies, stats
from evals.measure.loss_stages import ALL
from evals.measure.measurement import REFUSED, Measurement, QuestionRow
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
    return (
        f"{path.name}, split {split or 'all'}: {len(questions)} questions; "
        f"embedding: {context.embedder.files.name}; rerank: {context.reranked_by}; "
        f"threshold: {context.threshold:g}"
    )


def left_out(path: Path, counts: Mapping[str, int]) -> str:
    """Return the line that says how many rows of a dataset are not asked; "" where all are."""
    if not counts:
        return ""
    said = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    hint = f"; python -m evals.draft --review {path}" if counts.get("draft") else ""
    return f"{path.name}: not asked: {said}{hint}\n"


def line(outcome: Outcome) -> str:
    """Return the line of one question: a hit, a miss with its stage, or what has no answer."""
    asked = outcome.question.one_line
    if outcome.judgement is None:
        return f"{'REFUSED' if outcome.refused else 'ANSWERED'} (no answer exists) — {asked}"
    if outcome.passed:
        return f"PASS — {asked}"
    expected = outcome.question.places[0][0].path
    return f"FAIL (expected in: {expected}; lost at: {outcome.lost_at}) — {asked}"


def comparison(found: Comparison, now: Measurement) -> list[str]:
    """Return a comparison with the baseline as lines, without its faults and with its warnings.

    A drop of a gating metric is a fault or a warning, so it is told once.
    """
    lines = [f"against the baseline: {found.paired} questions in both"]
    lines += [f"other than in the baseline: {difference}" for difference in found.differing]
    for name, ids in (("new", found.new), ("gone", found.gone), ("changed", found.changed)):
        lines += [f"{name} since the baseline, not compared: {', '.join(ids)}"] if ids else []
    lines += _some([f"FIXED {name}" for name in found.fixed])
    lines += _some([f"BROKEN {name} ({_loss(now.rows[name])})" for name in found.broken])
    told = [m for m in found.metrics if m.adjusted is not None or m.metric.startswith(REFUSED)]
    same = [metric.metric for metric in told if metric.before == metric.after]
    lines += [f"as before: {', '.join(same)}"] if same else []
    lines += [
        f"{metric.metric}: {numbers(metric)}"
        for metric in told
        if metric.after > metric.before or (metric.adjusted is None and metric.metric not in same)
    ]
    if any(change.metric == OFF_TOPIC for change in found.metrics):
        least = f"{found.smallest_refusals} answered" if found.smallest_refusals else "none"
        lines.append(
            f"smallest drop that {found.refusable} refused off-topic questions can show: {least}"
        )
    share = f"{100 * (found.smallest or 0) / found.paired:.1f} points of recall"
    least = f"{found.smallest} broken and none fixed, {share}" if found.smallest else "none"
    lines.append(f"smallest drop that {found.paired} questions can show: {least}")
    return lines + [f"WARNING: {warning}" for warning in found.warnings]


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - _LINES
    return [*lines[:_LINES], f"… and {more} more {lines[0].split(' ')[0]}"] if more > 0 else lines


def _loss(row: QuestionRow) -> str:
    return f"lost at: {row.lost_at}" if row.answerable else "has no answer, and is answered now"


def print_summary(run: Run, sums: Mapping[str, Any], folder: Path) -> None:
    """Print what was measured; the last line is the recall.

    Of many questions only some that fail are printed: the run's folder has all of them.
    """
    if run.comparison:
        print("\n".join(comparison(run.comparison, run.taken)))
    _print_failures(run.outcomes, folder)
    print()
    hit = f"hit@{run.top_k}"
    _print_kinds(sums["metrics"]["kind"], hit)
    refused = (
        [] if run.foreign else [o for o in run.outcomes if o.question.answerable and o.refused]
    )
    for outcome in refused[:_LINES]:  # a PASS of search that nobody sees
        print(f"refused though it has an answer — {outcome.question.one_line}")
    if more := len(refused[_LINES:]):
        print(f"… and {more} more that are refused")
    for stage, count in sums["lost_at"].items():
        if count:
            print(f"lost at {stage}: {count} ({ALL[stage].text})")
    _print_replies(run.outcomes)
    metrics = sums["metrics"]["all"]["all"]
    _print_metrics(metrics)
    times = sums["latency_ms"]["total"].items()
    print("search: " + ", ".join(f"{name} {value:.0f} ms" for name, value in times))
    print(f"results: {folder}")
    print_faults(run.faults)
    recall, n = metrics[hit], len(run.answerable)
    print(f"MRR: {metrics['mrr']['mean']:.3f}")
    print(f"95 % interval of recall: {recall['low']:.3f} to {recall['high']:.3f}")
    if not run.foreign:
        print(f"found and shown: {run.hits}/{n} = {run.hits / n:.2f}")
    print(f"Recall@{run.top_k}: {recall['mean'] * n:.0f}/{n} = {recall['mean']:.2f}")


def _print_failures(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Print the line of every question, or of many the first that fail."""
    few = len(outcomes) <= _FEW
    failed = [outcome for outcome in outcomes if few or (outcome.judgement and not outcome.passed)]
    shown = failed if few else failed[:_LINES]
    for outcome in shown:
        print(line(outcome))
    if more := len(failed) - len(shown):
        print(f"… and {more} more that fail, in {folder}")


def print_faults(faults: Sequence[str]) -> None:
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
    for kind, counts in replies.certainties(outcomes).items():
        n = sum(counts.values())
        shares = ", ".join(f"{name} {count / n:.3f}" for name, count in counts.items())
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


def _print_kinds(kinds: Mapping[str, Any], hit: str) -> None:
    print(f"{'kind':<12} {'n':>4} {hit:>7} {'MRR':>6}")
    for kind, found in kinds.items():
        n, hits, ranks = found[hit]["n"], found[hit]["mean"], found["mrr"]["mean"]
        print(f"{kind:<12} {n:>4} {hits:>7.3f} {ranks:>6.3f}")


def _print_metrics(metrics: Mapping[str, Any]) -> None:
    cells = [
        f"{name:<17} {found['n']:>4} {found['mean']:>6.3f}  {_spread(found):<27}"
        for name, found in metrics.items()
    ]
    half = (len(cells) + 1) // 2
    for first, second in zip_longest(cells[:half], cells[half:], fillvalue=""):
        print(f"{first}  {second}".rstrip())


def _spread(found: Mapping[str, Any]) -> str:
    if found["low"] is None or found["high"] is None:
        return "one question"
    return f"{found['low']:.3f} to {found['high']:.3f} {found['method']}"
