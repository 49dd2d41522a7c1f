"""Compare search with the committed baseline, question by question, or write the baseline again.

A drop within the noise warns; a critical question that was broken or a significant drop fails.
`--update` refuses while the gate is red, and wants to know why where other models were measured or
questions of the baseline are gone or asked otherwise. The best baseline so far stays in the file
and is compared, too: small drops add up.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured or written.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from evals import retrieval
from evals.gating import absolute
from evals.gating.compare import Comparison, against_best, compare, report
from evals.labels.dataset import SPLITS
from evals.measure import measurement
from evals.measure.measurement import BASELINE, Measurement
from evals.measure.outcome import Outcome
from evals.retrieval import MIN_RECALL, RULES, evaluate
from retrieval.context import open_context
from retrieval.errors import DatasetError, RulesError
from retrieval.settings import load

__all__ = ["compare", "main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        stored = None
        if not args.update or args.baseline.exists():
            stored = measurement.read(args.baseline)
        outcomes, now = _measure(args.dataset, args.split, args.vault)
        found = compare(stored, now) if stored else None
        if stored and found:
            print("\n".join(report(found, now)))
        faults = [str(fault) for fault in absolute.faults(outcomes, args.min_recall)]
        if stored and found:
            faults += [*found.faults, *against_best(stored, now)]
            faults += () if args.update else found.altered
        for fault in faults:
            print(f"GATE FAILED: {fault}")
        if args.update and not faults:
            _update(args.baseline, args.why, stored, found, now)
    except RulesError as error:
        print(f"evals.baseline: {error}", file=sys.stderr)
        return 2
    if args.update and faults:
        print(f"evals.baseline: the gate is red, so {args.baseline} stays", file=sys.stderr)
    return 1 if faults else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.baseline", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write what is measured now")
    parser.add_argument("--why", default="", help="why the models are others, for who reads it")
    parser.add_argument("--dataset", type=Path, default=RULES, help="questions, JSONL or JSON")
    parser.add_argument(
        "--split", choices=SPLITS, help="only these; default: gate of the rules, all of another set"
    )
    parser.add_argument(
        "--vault", type=Path, help="index this folder for the measurement only; default: the index"
    )
    parser.add_argument("--baseline", type=Path, default=BASELINE, help="the file to read or write")
    parser.add_argument("--min-recall", type=float, default=MIN_RECALL, help="the gate, 0 to 1")
    args = parser.parse_args(argv)
    if args.split is None and args.dataset.resolve() == RULES.resolve():
        args.split = "gate"
    return args


def _measure(
    path: Path, split: str | None, folder: Path | None
) -> tuple[list[Outcome], Measurement]:
    questions = retrieval.chosen(path, split)
    with (
        open_context(load()) as context,
        retrieval.subject(context, folder or retrieval.vault_of(context, path)) as measured,
    ):
        outcomes = list(evaluate(context, measured, questions))
        asked = [outcome.question for outcome in outcomes]
        made_with = measurement.fingerprint(context, measured, asked, context.settings.rag_top_k)
    return outcomes, measurement.measurement(outcomes, made_with)


def _update(
    path: Path,
    why: str,
    stored: Measurement | None,
    found: Comparison | None,
    now: Measurement,
) -> None:
    """Write the baseline; DatasetError where it needs a reason that nobody gave."""
    reasons = list(_to_be_explained(found)) if found else []
    if reasons and not why.strip():
        raise DatasetError(f"{path} stays: say --why: {'; '.join(reasons)}")
    kept = stored.why if stored and not why.strip() else why.strip()
    best = measurement.best_of(stored, now.rows) if stored else None
    measurement.write(path, Measurement(kept, now.fingerprint, now.rows, best))
    print(f"wrote {path}: {len(now.rows)} questions")


def _to_be_explained(found: Comparison) -> Iterator[str]:
    """What makes the new numbers mean something else than the old ones."""
    yield from (name for name in found.differing if name.startswith(("models ", "search top_k")))
    yield from found.altered
    yield from found.unguarded


if __name__ == "__main__":
    sys.exit(main())
