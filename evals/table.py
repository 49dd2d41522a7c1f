"""Measure both sample vaults and write the table of the README anew.

The table stands between two comment lines; nothing else of the README is touched.
"""

import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median

from scipy.stats import binomtest

from evals import retrieval
from evals.retrieval import RULES_VAULT, Outcome, evaluate, subject
from retrieval.errors import ConfigurationError, RulesError
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.settings import load

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- measured: make table -->", "<!-- end of measured -->"
_SETS = [  # dataset, vault; the live index may hold another one
    ("rules.jsonl", RULES_VAULT),
    ("handbook.jsonl", Path(__file__).with_name("vaults") / "handbook"),
]


def main() -> int:
    """Run the program and return its exit status: 0, or 2 where nothing could be measured."""
    try:
        with open_rulebook(load()) as rules:
            rows = [_row(rules, name, folder) for name, folder in _SETS]
            top_k = rules.settings.rag_top_k
        text = README.read_text("utf-8")
        if BEGIN not in text or END not in text:
            raise ConfigurationError(f"README.md has no line {BEGIN!r} or {END!r}; restore them")
    except RulesError as error:
        print(f"evals.table: nothing was measured: {error}", file=sys.stderr)
        return 2
    table = _table(rows, top_k)
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    README.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")
    print(table)
    return 0


def _row(rules: Rulebook, name: str, folder: Path) -> list[str]:
    questions = retrieval.chosen(retrieval.RULES.with_name(name), "gate")
    with subject(rules, folder) as measured:
        outcomes = list(evaluate(rules, measured, questions))
    judged = [outcome.judgement for outcome in outcomes if outcome.judgement]
    hits = sum(judgement.hit for judgement in judged)
    interval = binomtest(hits, len(judged)).proportion_ci(method="wilson")
    seconds = [o.found.timings.embed_ms + o.found.timings.search_ms for o in outcomes]
    return [
        f"{name}, {len(measured.files)} files",
        str(len(judged)),
        f"{hits / len(judged):.3f} ({interval.low:.2f} to {interval.high:.2f})",
        f"{fmean(1 / j.rank if j.rank else 0 for j in judged):.3f}",
        _refused([outcome for outcome in outcomes if outcome.question.kind == "offtopic"]),
        _refused([outcome for outcome in outcomes if outcome.question.answerable]),
        f"{median(seconds):.0f} ms",
    ]


def _refused(outcomes: Sequence[Outcome]) -> str:
    refused = sum(not outcome.found.hits for outcome in outcomes)
    return f"{refused} of {len(outcomes)}"


def _table(rows: Sequence[Sequence[str]], top_k: int) -> str:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    ).stdout.strip()
    head = [
        "gate split", "n", f"recall@{top_k} (95 %)", "MRR", "off-topic refused",
        "answerable refused", "p50 of search",
    ]  # fmt: skip
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]
    today = datetime.now(UTC).date().isoformat()
    return "\n".join([*lines, "", f"Measured on {today} at commit `{commit or 'unknown'}`."])


if __name__ == "__main__":
    sys.exit(main())
