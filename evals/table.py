"""Measure both sample vaults and write the table of the README.

The table stands between two comment lines; nothing else of the README is touched. Exit status: 0
written; 2 nothing could be measured or written.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from evals import retrieval
from evals.measure import summary
from evals.measure.run import Run
from evals.reports import document, results, runs
from evals.retrieval import RULES, RULES_VAULT, evaluate, subject
from retrieval.context import SearchContext, open_context
from retrieval.errors import RulesError
from retrieval.settings import load

_COMMAND = "make table"  # which the README names
_SETS = [  # dataset, vault; the live index may hold another one
    (RULES, RULES_VAULT),
    (RULES.with_name("handbook.jsonl"), Path(__file__).with_name("vaults") / "handbook"),
]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.table", description=__doc__)
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    args = parser.parse_args(argv)
    try:
        document.check(document.README, _COMMAND)
        with open_context(load()) as context:
            runs = [_run(context, dataset, folder) for dataset, folder in _SETS]
            top_k = context.settings.rag_top_k
        for run in runs:
            print(f"results: {results.write(run, args.results)}")
        text = table(runs, top_k)
        document.put(document.README, _COMMAND, text)
    except RulesError as error:
        print(f"evals.table: nothing was measured: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"evals.table: measured, but not written: {error}", file=sys.stderr)
        return 2
    print(text)
    return 0


def table(runs: Sequence[Run], top_k: int) -> str:
    """Return the README's table, a row a run, and when it was measured."""
    head = [
        "gate split", "n", f"recall@{top_k} (95 %)", "MRR", "off-topic refused",
        "answerable refused", "p50 of search",
    ]  # fmt: skip
    rows = [head, ["---"] * len(head), *(_cells(run) for run in runs)]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join([*lines, "", f"Measured on {results.measured_on()}."])


def _run(context: SearchContext, dataset: Path, folder: Path) -> Run:
    with subject(context, folder) as measured:
        outcomes = list(evaluate(context, measured, retrieval.chosen(dataset, "gate")))
        return runs.made_run(
            context, measured, outcomes, (), dataset_file=dataset, vault_folder=folder, top_k=None,
            options={"program": "evals.table", "split": "gate"},
        )  # fmt: skip


def _cells(run: Run) -> list[str]:
    judged = [outcome.judgement for outcome in run.outcomes if outcome.judgement]
    found = summary.estimate([float(judgement.hit) for judgement in judged])
    refused = summary.refused(run.outcomes)
    return [
        f"{run.dataset.name}, {len(run.files)} files",
        str(found.n),
        f"{found.mean:.3f} ({found.low:.2f} to {found.high:.2f})",
        f"{fmean(1 / j.rank if j.rank else 0 for j in judged):.3f}",
        "{} of {}".format(*refused["offtopic"]),
        "{} of {}".format(*refused["answerable"]),
        f"{summary.latency(run.outcomes)['total']['p50']:.0f} ms",
    ]


if __name__ == "__main__":
    sys.exit(main())
