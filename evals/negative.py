"""Measure refusals both ways: of questions without an answer, and false ones of the others.

Either alone is passed by a program that always refuses, or never does. A model's error is neither
an answer nor a refusal, so it counts against both.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from evals.answers import collect, program
from evals.answers.collect import Answered
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import UNANSWERABLE
from evals.labels.options import chosen
from retrieval.errors import DatasetError

MIN_OFFTOPIC, MOST_FALSE = 0.93, 0.02  # what is kept: the gate; measured 0.939 and 0.008
AIM_OFFTOPIC = 0.97
ANSWERABLE = "answerable"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.negative", __doc__)
    collect.add_model(parser)
    share = program.share
    parser.add_argument("--min-offtopic", type=share, default=MIN_OFFTOPIC, help="refused, 0 to 1")
    parser.add_argument("--min-unanswerable", type=share, default=0.0, help="of all such kinds")
    parser.add_argument("--most-false", type=share, default=MOST_FALSE, help="false refusals")
    return program.run(parser, argv, _measured)


def groups(answered: Sequence[Answered]) -> dict[str, list[Answered]]:
    """Return what was asked by its kind, all that have an answer together; no empty group."""
    found = program.grouped(answered, _kind, (*UNANSWERABLE, ANSWERABLE))
    return {name: group for name, group in found.items() if name != "all"}


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
    limits = (("offtopic", found.get("offtopic"), min_offtopic),
              ("all that has no answer", none, min_unanswerable))  # fmt: skip
    wrong = [
        f"refused {_refused(group):.3f} of {what}, less than {limit:g}"
        for what, group, limit in limits if group and _refused(group) < limit
    ]  # fmt: skip
    falsely = _refused(found[ANSWERABLE])
    if falsely > most_false:
        wrong.append(
            f"false refusals {falsely:.3f} of what has an answer, more than {most_false:g}"
        )
    return wrong + collect.no_answer(answered)


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = chosen(args.dataset, args.split, answerable=False)
    with collect.opened(args.dataset, questions) as (rules, measured):
        answered = program.collected(collect.ask_all(rules, measured, args.model, questions), row)
        config = program.config(rules, measured, args)
    wrong = faults(answered, min_offtopic=args.min_offtopic, most_false=args.most_false,
                   min_unanswerable=args.min_unanswerable)  # fmt: skip
    found = groups(answered)
    reasons = Counter(str(o.reply.refusal_reason) for o in answered if o.reply and o.refused)
    sums: dict[str, object] = {
        name: {"asked": len(group), "refused": sum(one.refused for one in group)}
        for name, group in found.items()
    }
    sums["reasons"] = dict(reasons)
    notes = [f"refused for {reason}: {count}" for reason, count in sorted(reasons.items())]
    if _refused(found.get("offtopic", [])) < AIM_OFFTOPIC:
        notes.append(f"aim: {AIM_OFFTOPIC:g} of offtopic refused, which is not reached")
    table = program.table(found, ("kind", "refused", "share (95 % interval)"), _cells)
    rows = [row(one) for one in answered]
    return EvalReport(rows, {"": table}, sums, config, wrong, notes)


def row(one: Answered) -> ReportRow:
    """Return one question as the reports show it."""
    item, reply = one.question, one.reply
    right = reply is not None and one.refused != item.answerable
    what = "ERROR" if reply is None else "REFUSED" if one.refused else "ANSWERED"
    note = f"{item.kind}, no answer exists" if not item.answerable else item.kind
    line = f"{'PASS' if right else 'FAIL'}: {what} ({note}) — {item.one_line}"
    wrong = (
        "" if right else one.error or f"{what.lower()}: {item.why_unanswerable or 'has an answer'}"
    )
    record = {
        "question": item.question, "refused": one.refused, "error": one.error,
        "reason": reply.refusal_reason if reply else None,
        "answer": reply.answer if reply else None,
    }  # fmt: skip
    return ReportRow(item.id, item.kind, line, wrong, record)


def _kind(one: Answered) -> str:
    return ANSWERABLE if one.question.answerable else one.question.kind


def _cells(group: Sequence[Answered]) -> list[str]:
    refused = [float(one.refused) for one in group]
    return [f"{sum(refused):.0f}", program.spread(refused)]


def _refused(group: Sequence[Answered]) -> float:
    """The share that is refused; of no questions nothing is missing."""
    return fmean(one.refused for one in group) if group else 1.0


if __name__ == "__main__":
    sys.exit(main())
