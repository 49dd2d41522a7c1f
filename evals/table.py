"""Measure both sample vaults and write the table of the README.

The table stands between two comment lines; nothing else of the README is touched. Exit status: 0
written; 2 nothing could be measured or written.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.answers import program
from evals.labels.options import HANDBOOK, RULES, RULES_VAULT, chosen
from evals.measure.evaluation import measure
from evals.measure.run import Run
from evals.measure.subject import subject
from evals.reports import markdown, results, stored
from retrieval import atomic_write
from retrieval.context import SearchContext, open_context
from retrieval.errors import ConfigurationError
from retrieval.settings import load

README = Path(__file__).parents[1] / "README.md"
_BEGIN, _END = "<!-- measured: make table -->", "<!-- end of measured -->"
_SETS = [  # dataset, vault; the live index may hold another one
    (RULES, RULES_VAULT),
    (RULES.with_name("handbook.jsonl"), HANDBOOK),
]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.table", description=__doc__)
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    args = parser.parse_args(argv)
    return program.measuring("evals.table", lambda: _written(args.results))


def _written(results_folder: Path) -> None:
    around(README)  # what cannot be written is said before the work
    with open_context(load()) as context:
        runs = [_run(context, dataset, folder) for dataset, folder in _SETS]
    sums = []
    for run in runs:
        folder, summed = stored.write(run, results_folder)
        print(f"results: {folder}")
        sums.append(summed)
    text = table(runs, sums)
    put(README, text)
    print(text)


def table(runs: Sequence[Run], sums: Sequence[Mapping[str, Any]]) -> str:
    """Return the README's table, a row a run with its sums, and when it was measured."""
    head = [
        "gate split", "n", f"recall@{runs[0].top_k} (95 %)", "MRR", "off-topic refused",
        "answerable refused", "p50 of search",
    ]  # fmt: skip
    lines = markdown.table([head, *map(_cells, runs, sums)])
    return "\n".join([*lines, "", f"Measured on {results.measured_on()}."])


def put(path: Path, text: str) -> None:
    """Write `text` as the table of a document. Raises ConfigurationError as `around` does."""
    before, after = around(path)
    atomic_write.write(path, f"{before}{_BEGIN}\n{text}\n{_END}{after}")


def around(path: Path) -> tuple[str, str]:
    """Return what stands before and behind the table of a document.

    Raises ConfigurationError where it cannot be read, or has not both comment lines.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ConfigurationError(
            f"{path.name} has no lines {_BEGIN!r} and {_END!r} around the table; restore them"
        )
    return before, after


def _run(context: SearchContext, dataset: Path, folder: Path) -> Run:
    with subject(context, folder) as measured:
        questions = chosen(dataset, "gate")
        return measure(
            context, measured, questions, dataset_file=dataset, vault_folder=folder,
            options={"program": "evals.table", "split": "gate"},
        )  # fmt: skip


def _cells(run: Run, sums: Mapping[str, Any]) -> list[str]:
    metrics = sums["metrics"]["all"]["all"]
    recall = metrics[f"hit@{run.top_k}"]
    return [
        f"{run.dataset.name}, {len(run.measured.files)} files",
        str(recall["n"]),
        f"{recall['mean']:.3f} ({recall['low']:.2f} to {recall['high']:.2f})",
        f"{metrics['mrr']['mean']:.3f}",
        *("{refused} of {asked}".format(**sums["refused"][x]) for x in ("offtopic", "answerable")),
        f"{sums['latency_ms']['total']['p50']:.0f} ms",
    ]


if __name__ == "__main__":
    sys.exit(main())
