"""Fit the refusal threshold on the calibration split and show what each value would cost.

The chosen one is the highest (in steps of 0.01) that loses no question which search answers without
one; each of the others shown loses 5 % more of these. The chosen one is written to
retrieval/calibration.json with the models that it belongs to. The gate split is never read.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import quantiles

from evals import retrieval
from evals.dataset import UNANSWERABLE
from evals.judge import judge
from evals.retrieval import RULES, Outcome, Subject, evaluate
from retrieval import calibration
from retrieval.errors import DatasetError, RulesError
from retrieval.models import SearchResult
from retrieval.rulebook import open_rulebook
from retrieval.settings import load

_SHARES = 20  # of the hits: the curve shows a threshold for each


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, or 2 where nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals.calibrate", description=__doc__)
    parser.add_argument("--dataset", type=Path, default=RULES)
    parser.add_argument("--dry-run", action="store_true", help="print the curve, write nothing")
    args = parser.parse_args(argv)
    try:
        questions = retrieval.chosen(args.dataset, "calibration")
        with open_rulebook(load()) as opened:
            rules = replace(opened, threshold=float("-inf"))
            top_k = rules.settings.rag_top_k
            with retrieval.subject(rules, retrieval.vault_of(rules, args.dataset)) as measured:
                outcomes = list(evaluate(rules, measured, questions))
                limits = [limit(outcome, measured, top_k) for outcome in outcomes]
            value = fit(limits)
            _print_curve(outcomes, limits, value)
            if not args.dry_run:
                calibration.write(rules.embedder.files, rules.reranker, value, len(outcomes))
    except RulesError as error:
        print(f"evals.calibrate: nothing was measured: {error}", file=sys.stderr)
        return 2
    return 0


def limit(outcome: Outcome, measured: Subject, top_k: int) -> float | None:
    """Return the highest threshold at which this question is still a hit; None if it is none."""
    if outcome.judgement is None or not outcome.judgement.hit:
        return None
    scores = _scores(outcome.found)
    for value in sorted(scores.values(), reverse=True):
        hits = tuple(hit for hit in outcome.found.hits if scores[hit.chunk.id] >= value)
        found = replace(outcome.found, hits=hits)
        if judge(outcome.question, found, measured.files, measured.chunks_of, top_k).hit:
            return value
    raise AssertionError(f"{outcome.question.id} is a hit, but not with all of its passages")


def fit(limits: Sequence[float | None]) -> float:
    """Return the lowest limit of a hit, rounded down to 0.01; DatasetError where nothing is one."""
    hits = [value for value in limits if value is not None]
    if not hits:
        raise DatasetError("search answers none of the questions, so no threshold can be fitted")
    return _floor(min(hits))


def _floor(score: float) -> float:
    return math.floor(100 * score) / 100


def _scores(found: SearchResult) -> dict[str, float]:
    """What the threshold is compared with, of every passage returned."""
    by_chunk = {candidate.chunk_id: candidate for candidate in found.trace}
    rows = [by_chunk[hit.chunk.id] for hit in found.hits]
    return {
        row.chunk_id: row.dense_score if row.rerank_score is None else row.rerank_score
        for row in rows
    }


def _refused(outcomes: Sequence[Outcome], threshold: float) -> float:
    """Return the share of questions all of whose passages are under the threshold."""
    best = [max(_scores(outcome.found).values(), default=-math.inf) for outcome in outcomes]
    return sum(score < threshold for score in best) / len(best) if best else float("nan")


def _print_curve(outcomes: Sequence[Outcome], limits: Sequence[float | None], value: float) -> None:
    kinds = {kind: [o for o in outcomes if o.question.kind == kind] for kind in UNANSWERABLE}
    answerable = [outcome for outcome in outcomes if outcome.question.answerable]
    print("threshold  hits kept  answerable refused  " + "  ".join(f"{k} refused" for k in kinds))
    hits = [one for one in limits if one is not None]
    # Taken from the hits themselves: every reranker has a scale of its own.
    steps = {_floor(one) for one in quantiles(hits, n=_SHARES)} if len(hits) > 1 else set()
    for step in sorted({value, *steps}):
        shares = "  ".join(f"{_refused(o, step):>{len(k) + 8}.2f}" for k, o in kinds.items())
        keeps = sum(one >= step for one in hits)
        mark = "*" if step == value else " "
        print(f"{step:>8.2f}{mark}  {keeps:>9}  {_refused(answerable, step):>18.2f}  {shares}")
    print(json.dumps({"threshold": value, "n": len(outcomes), "split": "calibration"}))


if __name__ == "__main__":
    sys.exit(main())
