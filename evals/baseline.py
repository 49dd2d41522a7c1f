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

from api.llm.listwise import open_ordered
from evals.gating import gate
from evals.gating.compare import Comparison
from evals.gating.gate import MIN_RECALL
from evals.labels.options import RULES, add_options, chosen, share, vault_of
from evals.measure import measurement
from evals.measure.evaluation import measure
from evals.measure.measurement import BASELINE, Measurement
from evals.measure.run import Run
from evals.measure.subject import subject
from evals.reports import console
from retrieval import exit_status
from retrieval.errors import DatasetError
from retrieval.settings import load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return exit_status.of("evals.baseline", lambda: _compared(args))


def _compared(args: argparse.Namespace) -> int:
    run = _gated(args)
    faults, found = list(run.faults), run.comparison
    if found:
        print("\n".join(console.comparison(found, run.taken)))
        if args.update:  # what the set lost is what --why is for
            faults = [fault for fault in faults if fault not in found.altered]
    console.print_faults(faults)
    if args.update and not faults:
        _update(args.baseline, args.why, found, run.taken)
    if args.update and faults:
        print(f"evals.baseline: the gate is red, so {args.baseline} stays", file=sys.stderr)
    return 1 if faults else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.baseline", description=__doc__)
    add_options(parser)
    parser.add_argument("--min-recall", type=share, default=MIN_RECALL, help="the gate, 0 to 1")
    parser.add_argument("--update", action="store_true", help="write what is measured now")
    parser.add_argument("--why", default="", help="why the models are others, for who reads it")
    parser.add_argument("--baseline", type=Path, default=BASELINE, help="the file to read or write")
    args = parser.parse_args(argv)
    if args.split is None and args.dataset.resolve() == RULES.resolve():
        args.split = "gate"
    return args


def _gated(args: argparse.Namespace) -> Run:
    first = args.update and not args.baseline.exists()
    if not first:
        measurement.read(args.baseline)  # what cannot be compared is said before the work
    questions = chosen(args.dataset, args.split)
    with open_ordered(load()) as context:
        folder = args.vault or vault_of(context, args.dataset)
        with subject(context, folder) as measured:
            run = measure(
                context, measured, questions, dataset_file=args.dataset, top_k=args.top_k,
                vault_folder=folder or context.settings.vault,
            )  # fmt: skip
            return gate.checked(context, run, None if first else args.baseline, args.min_recall)


def _update(path: Path, why: str, found: Comparison | None, now: Measurement) -> None:
    """Write the baseline; DatasetError where it needs a reason that nobody gave."""
    stored = measurement.read(path) if found else None
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
