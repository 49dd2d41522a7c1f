"""Fit the refusal threshold on the calibration split and show what each value would cost.

The chosen one is the highest (in steps of 0.01) that keeps 99 % of the questions that search
answers without a threshold. It is written to retrieval/calibration.json with the models that it
belongs to. The gate split is never read.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evals import retrieval
from evals.dataset import UNANSWERABLE
from evals.retrieval import RULES, Outcome, evaluate
from retrieval import calibration
from retrieval.errors import RulesError
from retrieval.rulebook import open_rulebook
from retrieval.settings import load

KEEP = 0.99  # of the hits without a threshold
_STEPS = [step / 100 for step in range(0, 121)]
_SHOWN = 5  # every fifth step is printed


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
            with retrieval.subject(rules, None) as measured:
                outcomes = list(evaluate(rules, measured, questions))
            value = fit(outcomes)
            _print_curve(outcomes, value)
            if not args.dry_run:
                calibration.write(rules.embedder.files, rules.reranker, value, len(outcomes))
    except RulesError as error:
        print(f"evals.calibrate: nothing was measured: {error}", file=sys.stderr)
        return 2
    return 0


def fit(outcomes: Sequence[Outcome]) -> float:
    """Return the highest threshold that keeps the share KEEP of the hits."""
    hits = sum(kept(outcome, float("-inf")) for outcome in outcomes)
    fitting = [step for step in _STEPS if sum(kept(o, step) for o in outcomes) >= KEEP * hits]
    return max(fitting, default=0.0)


def kept(outcome: Outcome, threshold: float) -> bool:
    """Tell whether a hit stays one at this threshold: all passages up to its last gold do."""
    judged = outcome.judgement
    if judged is None or not judged.hit or judged.rank is None:
        return False
    return outcome.found.hits[judged.rank - 1].score >= threshold


def refused(outcomes: Sequence[Outcome], threshold: float) -> float:
    """Return the share of questions whose best passage is under the threshold."""
    scores = [o.found.hits[0].score if o.found.hits else float("-inf") for o in outcomes]
    return sum(score < threshold for score in scores) / len(scores) if scores else float("nan")


def _print_curve(outcomes: Sequence[Outcome], value: float) -> None:
    kinds = {kind: [o for o in outcomes if o.question.kind == kind] for kind in UNANSWERABLE}
    answerable = [o for o in outcomes if o.question.answerable]
    print("threshold  hits kept  answerable refused  " + "  ".join(f"{k} refused" for k in kinds))
    for index, step in enumerate(_STEPS):
        if step == value or (index % _SHOWN == 0 and 0.3 <= step <= 0.9):
            shares = "  ".join(
                f"{refused(found, step):>{len(k) + 8}.2f}" for k, found in kinds.items()
            )
            keeps = sum(kept(o, step) for o in answerable)
            mark = "*" if step == value else " "
            print(f"{step:>8.2f}{mark}  {keeps:>9}  {refused(answerable, step):>18.2f}  {shares}")
    print(json.dumps({"threshold": value, "n": len(outcomes), "split": "calibration"}))


if __name__ == "__main__":
    sys.exit(main())
