"""Fit the weights of the stages, the threshold and the refusal on the calibration split.

The threshold is the highest (in steps of 0.01) that loses no question which search answers without
one; each of the others shown loses 5 % more of these. The fit is written to
retrieval/calibration.json with the models that it belongs to and with the questions that it saw;
the refusal of whole questions, made of the same searches, to retrieval/refusal.json. The gate split
is never read.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean, quantiles

from api import refusal
from evals import fitting, refusal_fit, retrieval
from evals.dataset import UNANSWERABLE, Question
from evals.judge import judge
from evals.retrieval import RULES, Outcome, Subject, evaluate
from retrieval import calibration
from retrieval.errors import DatasetError, RulesError
from retrieval.models import SearchResult
from retrieval.rerank import Reranker
from retrieval.rulebook import Rulebook, calibrated_for, open_rulebook
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
            rules = replace(opened, weights=calibration.UNFITTED.weights, threshold=-math.inf)
            with retrieval.subject(rules, retrieval.vault_of(rules, args.dataset)) as measured:
                fit, refusing = _fit(rules, measured, questions)
            if not args.dry_run:
                models = calibrated_for(rules.settings, rules.embedder, rules.reranker)
                seen = _manifest(args.dataset, questions)
                calibration.write(models, fit, seen)
                refusal.write(models, refusing, seen)
    except RulesError as error:
        print(f"evals.calibrate: nothing was measured: {error}", file=sys.stderr)
        return 2
    return 0


def _fit(
    rules: Rulebook, measured: Subject, questions: Sequence[Question]
) -> tuple[calibration.Fit, refusal.Fit]:
    """Fit the weights, the threshold under them, and the refusal; print what they cost and gain."""
    # A reranker reads what the other stages put first, so these are fitted before it is asked.
    rules = _weighted(replace(rules, reranker=None), measured, questions, rules.reranker)
    if rules.reranker:
        rules = _weighted(rules, measured, questions, rules.reranker)
    outcomes = list(evaluate(rules, measured, questions))
    limits = [limit(outcome, measured, rules.settings.rag_top_k) for outcome in outcomes]
    value = threshold(limits)
    known = refusal_fit.examples(outcomes)
    refusing = refusal_fit.fit(known)
    limits_of = {name: one for name, one in asdict(refusing).items() if name != "vault"}
    print(f"refusal of whole questions: {limits_of}; share refused, cross-validated:")
    try:
        print(refusal_fit.table(known))
    except DatasetError as error:
        print(f"not cross-validated: {error}")
    _print_curve(outcomes, limits, value)
    return calibration.Fit(rules.weights, value), refusing


def _weighted(
    rules: Rulebook, measured: Subject, questions: Sequence[Question], reranker: Reranker | None
) -> Rulebook:
    """Return `rules` with fitted weights and with `reranker`."""
    known = fitting.examples(list(evaluate(rules, measured, questions)), measured)
    weights = fitting.fit(known)
    stages = "with" if rules.reranker else "without"
    before, after = (
        fmean(fitting.reciprocal_rank(example, one) for example in known)
        for one in (rules.weights, weights)
    )
    print(
        f"{stages} the reranker: {weights}; MRR {before:.3f} before, {after:.3f} after, "
        f"{fitting.cross_validated(known):.3f} cross-validated (n = {len(known)})"
    )
    return replace(rules, weights=weights, reranker=reranker)


def _manifest(path: Path, questions: Sequence[Question]) -> dict[str, object]:
    """What the fit has seen, so that a test can show that it was none of the gate's questions."""
    ids = sorted(question.id for question in questions)
    return {"dataset": path.name, "split": "calibration", "questions": len(ids), "ids": ids}


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


def threshold(limits: Sequence[float | None]) -> float:
    """Return the lowest limit of a hit, rounded down to 0.01; DatasetError where nothing is one."""
    hits = [value for value in limits if value is not None]
    if not hits:
        raise DatasetError("search answers none of the questions, so no threshold can be fitted")
    return _floor(min(hits))


def _floor(score: float) -> float:
    return math.floor(100 * score) / 100


def _scores(found: SearchResult) -> dict[str, float]:
    """What the threshold is compared with, of every passage returned."""
    return {hit.chunk.id: hit.score for hit in found.hits}


def _refused(outcomes: Sequence[Outcome], value: float) -> float:
    """Return the share of questions all of whose passages are under the threshold."""
    best = [max(_scores(outcome.found).values(), default=-math.inf) for outcome in outcomes]
    return sum(score < value for score in best) / len(best) if best else float("nan")


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
