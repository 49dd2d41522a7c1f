"""Measure what each stage of search is worth: the same questions with stages left out or changed.

Every row goes through the search that answers users and is compared with the shipped configuration,
question by question. Weights are the shipped ones, not fitted anew for a row. Nothing here is a
gate. Exit status: 0 measured; 2 nothing could be measured.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean, median

from evals import retrieval, stats
from evals.arms import NAMES, SHIPPED, Arm, Asked, Indexed, Setup, arms, ask, indexes
from evals.dataset import SPLITS, Question
from evals.retrieval import RULES
from evals.stats import ALPHA, Interval
from retrieval.errors import ConfigurationError, DatasetError, RulesError
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.settings import load

_HEAD = (
    "configuration", "k", "hit@k", "MRR", "MRR against shipped (95 %)", "hits lost / won", "p",
    "against shipped", "refused: no answer / answer", "pieces returned", "p50 ms",
    "texts embedded", "token KB a chunk",
)  # fmt: skip
_RECORDED = ("hit", "rank", "lost_at", "refused", "late", "pieces", "milliseconds")
_NOTES = (
    "Hits are counted among the k passages returned, MRR over the whole order, so k and the "
    "threshold leave it as it is. p: exact McNemar of the hits, adjusted by Holm for all rows; the "
    "intervals are each row's own. Rows that change a stage or the chunks have no threshold, which "
    "belongs to the scores of the whole. Longer passages hold more: read a hit beside the word "
    "pieces returned. Milliseconds are this machine's."
)


@dataclass(frozen=True, slots=True)
class Row:
    """A configuration with what it did with every question, and what its index costs."""

    arm: Arm
    index: Indexed
    asked: tuple[Asked, ...]

    @property
    def answerable(self) -> tuple[Asked, ...]:
        """The questions that hits and ranks are counted on."""
        return tuple(asked for asked in self.asked if asked.question.answerable)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A configuration beside the shipped one, on the same questions."""

    difference: float  # of MRR; under 0 is worse than as shipped
    interval: Interval
    lost: int  # questions that are a hit as shipped and not here
    won: int
    p_value: float  # of lost against won, this row alone

    def verdict(self, adjusted: float) -> str:
        """Return what is shown, where `adjusted` is the p-value for all rows together."""
        shown = set()
        if not self.interval.low <= 0 <= self.interval.high:
            shown.add("better" if self.difference > 0 else "worse")
        if adjusted < ALPHA:
            shown.add("better" if self.won > self.lost else "worse")
        return "mixed" if len(shown) > 1 else next(iter(shown), "no difference shown")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        questions = retrieval.chosen(args.dataset, args.split)
        if sum(question.answerable for question in questions) < 2:
            raise DatasetError(f"{args.dataset}: one answerable question shows no difference")
        with open_rulebook(load()) as rules:
            chosen = _chosen(rules, args.only)
            other = retrieval.vault_of(rules, args.dataset)
            rows = measure(rules, args.vault or other or rules.settings.vault, questions, chosen)
            heading = _heading(rules, args.dataset, args.split, rows)
    except RulesError as error:
        print(f"evals.ablation: nothing was measured: {error}", file=sys.stderr)
        return 2
    text = heading + table(rows)
    print(f"\n{text}", end="")
    for path, content in ((args.markdown, text), (args.svg, svg(rows)), (args.json, _lines(rows))):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.ablation", description=__doc__)
    parser.add_argument("--dataset", type=Path, default=RULES, help="questions, JSONL or JSON")
    parser.add_argument("--split", choices=SPLITS, help="only the questions of this split")
    parser.add_argument("--vault", type=Path, help="the folder to index; default: the dataset's")
    parser.add_argument(
        "--only", choices=NAMES, action="append", help="this row beside the shipped one; repeatable"
    )
    parser.add_argument("--json", type=Path, help="write one line a question to this file")
    parser.add_argument("--markdown", type=Path, help="write the table to this file, too")
    parser.add_argument("--svg", type=Path, help="draw the differences to this file")
    return parser.parse_args(argv)


def _chosen(rules: Rulebook, only: Sequence[str] | None) -> list[Arm]:
    found = arms(rules)
    missing = set(only or ()) - {arm.name for arm in found}
    if missing:
        raise ConfigurationError(
            f"no row {sorted(missing)}: the stage is off here; see RERANKER_MODEL, "
            "RAG_LATE_INTERACTION, and evals.calibrate for the threshold"
        )
    return [arm for arm in found if only is None or arm.name in {SHIPPED, *only}]


def measure(
    rules: Rulebook, folder: Path, questions: Sequence[Question], chosen: Sequence[Arm]
) -> list[Row]:
    """Return a row for each of `chosen`; those of the same setup share one measurement."""
    done: dict[Setup, tuple[Asked, ...]] = {}
    with indexes(rules, folder, {arm.setup.chunks for arm in chosen}) as made:
        for arm in chosen:
            if arm.setup not in done:
                print(f"measuring: {arm.title}", flush=True)
                done[arm.setup] = ask(rules, made[arm.setup.chunks], questions, arm.setup)
        return [Row(arm, made[arm.setup.chunks], done[arm.setup]) for arm in chosen]


def compare(shipped: Row, row: Row) -> Comparison:
    """Compare two rows, question by question; an unanswerable question says nothing."""
    pairs = list(zip(shipped.answerable, row.answerable, strict=True))
    before, after = zip(*((a.reciprocal_rank, b.reciprocal_rank) for a, b in pairs), strict=True)
    lost = sum(a.hit and not b.hit for a, b in pairs)
    won = sum(b.hit and not a.hit for a, b in pairs)
    return Comparison(
        fmean(after) - fmean(before), stats.difference_interval(before, after), lost, won,
        stats.mcnemar(lost, won),
    )  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """Return the table in Markdown, the first row being the shipped one, with how to read it."""
    pairs = [(row, compare(rows[0], row)) for row in rows]
    names = [str(row.arm.setup) for row in rows]
    # Rows of one setup are one comparison, and the shipped one with itself is none.
    tests = {name: one.p_value for name, (_, one) in zip(names, pairs, strict=True)}
    adjusted = {names[0]: 1.0} | stats.holm({n: p for n, p in tests.items() if n != names[0]})
    cells = [_cells(row, one, adjusted[str(row.arm.setup)]) for row, one in pairs]
    lines = ["| " + " | ".join(line) + " |" for line in (_HEAD, ["---"] * len(_HEAD), *cells)]
    better = [line[0] for line in cells if line[_HEAD.index("against shipped")] == "better"]
    lines += ["", f"Better than as shipped: {'; '.join(better) or 'none'}.", "", _NOTES]
    encoded = sorted({r.arm.title for r in rows for a in r.asked if a.late == "encoded"})
    if encoded:
        lines += ["", f"Token vectors did not fit RAG_TOKEN_STORAGE_MB: {'; '.join(encoded)}."]
    return "\n".join([*lines, ""])


def _cells(row: Row, compared: Comparison, adjusted: float) -> list[str]:
    answerable = row.answerable
    other = [asked for asked in row.asked if not asked.question.answerable]
    hits = sum(asked.hit for asked in answerable)
    low, high = compared.interval
    stored = row.index.token_bytes / row.index.chunks if row.arm.setup.late else 0.0
    return [
        row.arm.title,
        str(row.arm.setup.top_k),
        f"{hits}/{len(answerable)} = {hits / len(answerable):.3f}",
        f"{fmean(asked.reciprocal_rank for asked in answerable):.3f}",
        f"{compared.difference:+.3f} ({low:+.3f} to {high:+.3f})",
        f"{compared.lost} / {compared.won}",
        f"{adjusted:.3f}",
        "itself" if row.arm.name == SHIPPED else compared.verdict(adjusted),
        f"{_refused(other)} / {_refused(answerable)}",
        f"{fmean(asked.pieces for asked in row.asked):.0f}",
        f"{median(asked.milliseconds for asked in row.asked):.0f}",
        f"{row.index.texts:,}",
        f"{stored / 1000:.1f}",
    ]


def _refused(asked: Sequence[Asked]) -> str:
    return f"{sum(one.refused for one in asked)} of {len(asked)}"


def _heading(rules: Rulebook, path: Path, split: str | None, rows: Sequence[Row]) -> str:
    off = [] if rules.settings.rag_late_interaction else ["late interaction is off"]
    off += [] if rules.reranker else ["the reranker is off"]
    off += [] if math.isfinite(rules.threshold) else ["no threshold is fitted"]
    return (
        f"{path.name}, split {split or 'all'}: {len(rows[0].answerable)} answerable questions of "
        f"{len(rows[0].asked)}; embedding: {rules.embedder.files.name}; {rules.weights}; "
        f"threshold: {rules.threshold:g}. "
        + (f"No row of its own where {' and '.join(off)}.\n\n" if off else "\n\n")
    )


def svg(rows: Sequence[Row]) -> str:
    """Draw each row's difference of MRR with its interval: text, so that no library is needed."""
    compared = [compare(rows[0], row) for row in rows]
    reach = max(0.05, *(abs(end) for one in compared for end in one.interval))
    height, middle, scale = 26 * len(rows) + 60, 480, 200 / reach
    shapes = [f'<path d="M{middle} 34V{height - 22}" stroke="#999"/>']
    for number, (row, one) in enumerate(zip(rows, compared, strict=True)):
        y, x = 26 * number + 48, middle + scale * one.difference
        low, high = (middle + scale * end for end in one.interval)
        hits = fmean(asked.hit for asked in row.answerable)
        shapes += [
            _text(12, y + 5, row.arm.title),
            f'<path d="M{low:.1f} {y}H{high:.1f}" stroke="#357" stroke-width="2"/>',
            f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="#357"/>',
            _text(710, y + 5, f"{one.difference:+.3f}   hit@{row.arm.setup.top_k} {hits:.3f}"),
        ]
    shapes += [_text(12, 20, "Difference of MRR to the shipped configuration, 95 % interval")]
    shapes += [_text(middle + scale * v - 18, height - 6, f"{v:+.2f}") for v in (-reach, 0, reach)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" '
        f'font-family="sans-serif" font-size="14"><rect width="100%" height="100%" fill="#fff"/>'
        + "".join(shapes) + "</svg>\n"
    )  # fmt: skip


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#222">{escape(text)}</text>'


def _lines(rows: Sequence[Row]) -> str:
    """One JSON object a question, with what every row did with it."""
    lines = []
    for number, asked in enumerate(rows[0].asked):
        found = {
            row.arm.name: {name: getattr(row.asked[number], name) for name in _RECORDED}
            for row in rows
        }
        record = {"id": asked.question.id, "question": asked.question.question, "rows": found}
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
