"""Measure refusals both ways: of questions without an answer, and false ones of the others.

Either alone is passed by a program that always refuses, or never does. A model's error is neither
an answer nor a refusal, so it counts against both.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from evals.answers import collect, program
from evals.answers.collect import Answered
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import UNANSWERABLE, Question
from evals.measure.outcome import Outcome, Subject
from evals.measure.summary import best_score, estimate
from evals.reports import page, plot
from evals.reports.plot import Curve
from evals.retrieval import evaluate
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.refusal import off_topic

MIN_OFFTOPIC, MOST_FALSE = 0.93, 0.02  # what is kept: the gate; measured 0.939 and 0.008
AIM_OFFTOPIC = 0.97
ANSWERABLE = "answerable"
_STEPS = 60  # points of the curve

Best = Sequence[tuple[Question, float | None]]  # the score that the threshold is compared with


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.negative", __doc__)
    share = program.share
    parser.add_argument("--min-offtopic", type=share, default=MIN_OFFTOPIC, help="refused, 0 to 1")
    parser.add_argument("--min-unanswerable", type=share, default=0.0, help="of all such kinds")
    parser.add_argument("--most-false", type=share, default=MOST_FALSE, help="false refusals")
    args = parser.parse_args(argv)
    return program.run(args, "evals.negative", lambda: _measured(args))


def groups(answered: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Return what was asked by its kind, all that have an answer together; no empty group."""
    found = {kind: [one for one in answered if one.question.kind == kind] for kind in UNANSWERABLE}
    found[ANSWERABLE] = [one for one in answered if one.question.answerable]
    return {name: group for name, group in found.items() if group}


def faults(
    answered: Sequence[Answered],
    *,
    min_offtopic: float = MIN_OFFTOPIC,
    min_unanswerable: float = 0.0,
    most_false: float = MOST_FALSE,
) -> list[str]:
    """Return why the gate is red, a line each.

    Raises DatasetError where questions of one of the two sorts are missing: one direction alone
    says nothing.
    """
    found = groups(answered)
    none = [one for kind in UNANSWERABLE for one in found.get(kind, ())]
    if not none or ANSWERABLE not in found:
        raise DatasetError("questions with and without an answer are both wanted, to measure "
                           "refusals in both directions")  # fmt: skip
    wrong = []
    offtopic = found.get("offtopic")
    if offtopic and _refused(offtopic) < min_offtopic:
        wrong.append(f"refused {_refused(offtopic):.3f} of offtopic, less than {min_offtopic:g}")
    if _refused(none) < min_unanswerable:
        wrong.append(f"refused {_refused(none):.3f} of all that has no answer, less than "
                     f"{min_unanswerable:g}")  # fmt: skip
    falsely = _refused(found[ANSWERABLE])
    if falsely > most_false:
        wrong.append(
            f"false refusals {falsely:.3f} of what has an answer, more than {most_false:g}"
        )
    errors = [one for one in answered if one.reply is None]
    if errors:
        wrong.append(f"no answer to {len(errors)} questions: {errors[0].error}")
    return wrong


def curve(best: Best) -> list[Curve]:
    """Return the shares that a threshold alone would refuse, over the range of all best scores."""
    # A question that the vault has by name is infinitely over its limit.
    scores = [score for _, score in best if score is not None and math.isfinite(score)]
    if not scores:
        return []
    steps = [float(one) for one in np.linspace(min(scores), max(scores), _STEPS)]
    kinds = {
        ("answerable, falsely refused", "c"): [s for q, s in best if q.answerable],
        ("offtopic, refused", "a"): [s for q, s in best if q.kind == "offtopic"],
        ("nearmiss, falsepremise and edition, refused", "b"): [
            s for q, s in best if not q.answerable and q.kind != "offtopic"
        ],
    }
    return [
        Curve(f"{label} (of {len(group)})", style, [(at, _under(group, at)) for at in steps])
        for (label, style), group in kinds.items() if group
    ]  # fmt: skip


def drawn(lines: Sequence[Curve], threshold: float) -> str:
    """Return the curve as an SVG file of its own, with the report's colours."""
    figure = plot.plot(lines, x_label="by how much over the limit", limit=threshold)
    head = Markup('<svg xmlns="http://www.w3.org/2000/svg" width="{}" ').format(plot.WIDTH)
    own = str(figure).replace("<svg ", str(head), 1)
    at = own.index(">") + 1
    return f"{own[:at]}<style>{page.style()}</style>{own[at:]}\n"


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = collect.chosen(args.dataset, args.split)
    with (
        collect.opened(args.dataset, questions) as (rules, measured),
        collect.answering(rules, measured, args.model) as answerer,
    ):
        answered: list[Answered] = []
        for one in collect.ask_all(answerer, questions):
            answered.append(one)
            print(row(one).line, flush=True)
        limits = {"min_offtopic": args.min_offtopic, "min_unanswerable": args.min_unanswerable,
                  "most_false": args.most_false}  # fmt: skip
        config = program.config(
            rules, measured, args, program="evals.negative", model=args.model, **limits
        )
        figures = _figures(rules, measured, questions)
    return report(answered, faults(answered, **limits), config, figures)


def _figures(
    context: SearchContext, measured: Subject, questions: Sequence[Question]
) -> dict[str, str]:
    """What the threshold would refuse; searched again, as a refusal shows no score."""
    best = [(o.question, _over_limit(o)) for o in evaluate(context, measured, questions)]
    lines = curve(best)
    threshold = 0.0 if off_topic.is_refused(context) else context.threshold
    return {"refusals.svg": drawn(lines, threshold)} if lines else {}


def _over_limit(outcome: Outcome) -> float | None:
    """What a refusal compares with its threshold; the search drops passages by one of its own."""
    limits, given = outcome.found.off_topic_limits, off_topic.signals(outcome.found)
    if limits is None:
        return best_score(outcome)
    return off_topic.over_limit(given, limits) if given else None


def report(
    answered: Sequence[Answered],
    found: Sequence[str],
    config: Mapping[str, object],
    figures: Mapping[str, str],
) -> EvalReport:
    """Return the report of what was answered and refused."""
    table: list[tuple[str, ...]] = [("kind", "n", "refused", "share (95 % interval)")]
    sums: dict[str, object] = {}
    for name, group in groups(answered).items():
        refused = [float(one.refused) for one in group]
        table.append((name, str(len(group)), f"{sum(refused):.0f}",
                      program.spread(estimate(refused))))  # fmt: skip
        sums[name] = {"asked": len(group), "refused": int(sum(refused))}
    reasons = [str(one.reply.refusal_reason) for one in answered if one.reply and one.refused]
    sums["reasons"] = {reason: reasons.count(reason) for reason in sorted(set(reasons))}
    notes = [f"refused for {reason}: {reasons.count(reason)}" for reason in sorted(set(reasons))]
    offtopic = groups(answered).get("offtopic")
    if offtopic and _refused(offtopic) < AIM_OFFTOPIC:
        notes.append(f"aim: {AIM_OFFTOPIC:g} of offtopic refused, which is not reached")
    rows = tuple(row(one) for one in answered)
    return EvalReport(
        "evals.negative", rows, tuple(table), tuple(notes), sums, tuple(found), config, figures
    )


def row(one: Answered) -> ReportRow:
    """Return one question as the reports show it."""
    item, reply = one.question, one.reply
    right = reply is not None and one.refused != item.answerable
    what = "ERROR" if reply is None else "REFUSED" if one.refused else "ANSWERED"
    note = f"{item.kind}, no answer exists" if not item.answerable else item.kind
    line = f"{'PASS' if right else 'FAIL'}: {what} ({note}) — {' '.join(item.question.split())}"
    wrong = (
        "" if right else one.error or f"{what.lower()}: {item.why_unanswerable or 'has an answer'}"
    )
    record = {
        "id": item.id, "question": item.question, "kind": item.kind, "refused": one.refused,
        "reason": reply.refusal_reason if reply else None, "error": one.error,
        "answer": reply.answer if reply else None,
    }  # fmt: skip
    return ReportRow(item.id, item.kind, line, wrong, record)


def _refused(group: Sequence[Answered]) -> float:
    return sum(one.refused for one in group) / len(group)


def _under(scores: Sequence[float | None], threshold: float) -> float:
    return sum(one is None or one < threshold for one in scores) / len(scores)


if __name__ == "__main__":
    sys.exit(main())
