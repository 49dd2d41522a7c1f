"""Measure context precision: how much of what is returned helps to answer the question.

Without a model a passage is relevant where it holds a gold. Labels name few lines, so no search
can reach 1: the ceiling, what the golds allow, stands beside. A judge, where OPENAI_MODEL is set,
marks every passage, and the share of questions with two relevant ones of the first three counts.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from api.checks.citations import source
from evals.answers import collect, llm_judge, program
from evals.answers.llm_judge import Judge
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import ANSWERABLE
from evals.labels.options import chosen
from evals.measure.evaluation import evaluate
from evals.measure.judge import ChunksOf, holders
from evals.measure.outcome import Outcome
from retrieval.errors import DatasetError

MIN_REACHED, MIN_TWO = 0.75, 0.6
_FIRST, _WANTED = 3, 2  # of the first three passages two are to be relevant


@dataclass(frozen=True, slots=True)
class ScoredPassages:
    """The passages of one question, best first: each relevant, or not, or None: not judged.

    `possible` is how many of them could be relevant, going by the labels; None where a judge marks.
    """

    outcome: Outcome
    relevant: tuple[bool | None, ...]
    possible: int | None

    @property
    def precision(self) -> float:
        """The share of the judged passages that is relevant, 0 to 1; 0 where none is left."""
        judged = [one for one in self.relevant if one is not None]
        return sum(judged) / len(judged) if judged else 0.0

    @property
    def two_of_three(self) -> bool:
        """Whether two of the first three are relevant, or all where fewer are possible."""
        wanted = _WANTED if self.possible is None else min(_WANTED, max(self.possible, 1))
        return sum(map(bool, self.relevant[:_FIRST])) >= wanted


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.relevance", __doc__)
    parser.add_argument(
        "--min-reached", type=program.share, default=MIN_REACHED,
        help="the gate: precision as a share of what the labels allow; without a judge",
    )  # fmt: skip
    parser.add_argument(
        "--min-two", type=program.share, default=MIN_TWO,
        help="the gate: questions with two relevant passages of the first three",
    )  # fmt: skip
    program.add_judge(parser)
    return program.run(parser, argv, _measured)


def by_labels(outcome: Outcome, chunks_of: ChunksOf, top_k: int) -> ScoredPassages:
    """Mark the passages that hold a gold of any place."""
    golds = {gold for place in outcome.question.places for gold in place}
    held = {name for gold in golds if gold.quote for name in holders(gold, chunks_of(gold.path))}
    files = {gold.path for gold in golds if not gold.quote}
    relevant = [h.chunk.id in held or h.chunk.path in files for h in outcome.found.hits]
    whole = sum(len(chunks_of(path)) for path in files)
    return ScoredPassages(outcome, tuple(relevant), min(len(held) + whole, top_k))


def by_judge(outcome: Outcome, judge: Judge) -> ScoredPassages:
    """Let a judge mark the passages."""
    question = " ".join([*outcome.question.history[-1:], outcome.question.question])
    marks = [judge.relevant(question, source(hit)) for hit in outcome.found.hits]
    return ScoredPassages(outcome, tuple(marks), None)


def reached(scored: Sequence[ScoredPassages]) -> float:
    """Return the relevant passages as a share, 0 to 1, of those that the labels allow."""
    possible = sum(one.possible or 0 for one in scored)
    return sum(sum(map(bool, one.relevant)) for one in scored) / possible if possible else 0.0


def faults(
    scored: Sequence[ScoredPassages], min_reached: float = MIN_REACHED, min_two: float = MIN_TWO
) -> list[str]:
    """Return why the gate is red, a line each. Raises DatasetError where nothing was marked."""
    if not any(mark is not None for one in scored for mark in one.relevant):
        raise DatasetError(f"no passage of {len(scored)} questions was marked relevant or not")
    found = []
    if all(one.possible is not None for one in scored) and reached(scored) < min_reached:
        found.append(f"reached {reached(scored):.3f} of the relevant passages, less than "
                     f"{min_reached:g}")  # fmt: skip
    two = fmean(one.two_of_three for one in scored)
    if two < min_two:
        found.append(f"two of the first three are relevant in {two:.3f}, less than {min_two:g}")
    return found


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = [q for q in chosen(args.dataset, args.split) if q.answerable]
    with (
        collect.opened(args.dataset, questions) as (rules, measured),
        llm_judge.judging(rules.settings, wanted=args.judge) as judge,
    ):

        def marked(outcome: Outcome) -> ScoredPassages:
            if judge:
                return by_judge(outcome, judge)
            return by_labels(outcome, measured.chunks_of, rules.settings.rag_top_k)

        scored = program.collected(map(marked, evaluate(rules, measured, questions)), row)
        name, unscored = (judge.name, judge.unscored) if judge else ("none", 0)
        config = program.config(rules, measured, args, judge=name)
    sums = {
        "precision": fmean(one.precision for one in scored),
        "reached": reached(scored),
        "two_of_three": fmean(one.two_of_three for one in scored),
        "unscored": unscored,
    }
    groups = program.grouped(scored, lambda one: one.outcome.question.kind, ANSWERABLE)
    table = program.table(groups, ("kind", "precision", "ceiling", "two of three"), _cells)
    notes = (
        f"unscored passages: {unscored}",
        f"reached of what labels allow: {sums['reached']:.3f}",
    )
    wrong = faults(scored, args.min_reached, args.min_two)
    return EvalReport([row(one) for one in scored], {"": table}, sums, config, wrong, notes)


def row(one: ScoredPassages) -> ReportRow:
    """Return one question as the reports show it."""
    item = one.outcome.question
    marks = "".join("?" if mark is None else "+" if mark else "-" for mark in one.relevant)
    what = "PASS" if one.two_of_three else "FAIL"
    line = f"{what} {marks or 'nothing returned'} — {item.one_line}"
    record = {
        "question": item.question, "passages": [hit.chunk.id for hit in one.outcome.found.hits],
        "relevant": list(one.relevant), "possible": one.possible, "precision": one.precision,
    }  # fmt: skip
    wrong = "" if one.two_of_three else f"relevant of the first {_FIRST}: {marks[:_FIRST]}"
    return ReportRow(item.id, item.kind, line, wrong, record)


def _cells(group: Sequence[ScoredPassages]) -> list[str]:
    """Precision, what labels allow of it where as many passages are returned, two of three."""
    possible = [
        min(one.possible, len(one.relevant)) / len(one.relevant)
        for one in group if one.possible is not None and one.relevant
    ]  # fmt: skip
    return [
        program.spread([one.precision for one in group]),
        f"{fmean(possible):.3f}" if possible else "-",
        program.spread([float(one.two_of_three) for one in group]),
    ]


if __name__ == "__main__":
    sys.exit(main())
