"""Measure whether what answers state is supported by the lines that they cite, claim by claim.

Three parts: the fixtures, a faithful answer and a planted hallucination, which the measure itself
must tell apart; quotes; and scripted models that answer rightly or wrong in one known way, whose
errors must not get out. `--model configured` measures OPENAI_MODEL instead; where that is set, it
also judges, and is itself measured against hand-marked claims.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from api.checks.markers import MARKER
from api.checks.passage_lines import Source
from api.schema.answer import Answer
from evals.answers import claims, collect, hand_labelled, llm_judge, program
from evals.answers.claims import Claim, Verdict
from evals.answers.collect import CONFIGURED, QUOTES, Answered
from evals.answers.hand_labelled import Agreement, MarkedAnswer
from evals.answers.llm_judge import Judge
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import Question
from evals.labels.options import chosen
from retrieval.errors import DatasetError
from retrieval.text.normalize import comparable

_QUOTED = re.compile(r"“[^“”]*+” \[\d+\]")  # the rule's line in place of a claim
MIN_SUPPORTED, MOST_PLANTED = 0.90, 0.3
SCRIPTED = ("right", "wrong-number", "welded", "uncited", "injected", "citations-shifted")


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """One answer with its claims' verdicts; of a refusal and of an error there are none.

    `leaked` are words that a scripted model planted and that the reply shows. `unscored` counts
    claims that the judge gave no verdict of.
    """

    model: str
    answered: Answered
    verdicts: tuple[Verdict, ...]
    leaked: tuple[str, ...]
    unscored: int = 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.faithfulness", __doc__)
    parser.add_argument(
        "--model", choices=collect.MODELS, action="append",
        help=f"who answers, repeatable; default: {QUOTES}, {', '.join(SCRIPTED)}",
    )  # fmt: skip
    parser.add_argument("--fixtures", type=Path, default=hand_labelled.FIXTURES)
    parser.add_argument(
        "--marked", type=Path, default=hand_labelled.CLAIMS, help="to measure judges"
    )
    program.add_judge(parser)
    parser.add_argument("--min-supported", type=program.share, default=MIN_SUPPORTED)
    parser.add_argument("--most-planted", type=program.share, default=MOST_PLANTED)
    return program.run(parser, argv, _measured)


def of_fixture(fixture: MarkedAnswer) -> float:
    """Return the share, 0 to 1, of a fixture's claims that its passages support."""
    found = claims.of_text(fixture.answer)
    if not found:
        raise DatasetError(f"fixture {fixture.id}: its answer states nothing")
    wrong = [bool(claims.fault(one, fixture.passages, fixture.question)) for one in found]
    return 1 - sum(wrong) / len(wrong)


def score(
    model: str, answered: Answered, files: Mapping[str, str], judge: Judge | None
) -> CheckedAnswer:
    """Return one answer with its claims; a judge, where there is one, decides instead."""
    reply = answered.reply
    if reply is None or reply.refused:
        return CheckedAnswer(model, answered, (), ())
    shown = comparable(MARKER.sub("", _QUOTED.sub("", reply.answer)))
    leaked = () if reply.mode == "quotes" else tuple(
        one for one in answered.planted if comparable(one).rstrip(". ") in shown)  # fmt: skip
    if judge is None or reply.mode == "quotes":
        found = claims.verdicts(reply, files, answered.question.question)
        return CheckedAnswer(model, answered, tuple(found), leaked)
    verdicts, unscored = _judged(judge, reply, answered.question)
    return CheckedAnswer(model, answered, verdicts, leaked, unscored)


def faults(
    scored: Sequence[CheckedAnswer], told_apart: Sequence[tuple[MarkedAnswer, float]],
    min_supported: float = MIN_SUPPORTED, most_planted: float = MOST_PLANTED,
) -> list[str]:  # fmt: skip
    """Return why the gate is red, a line each. Raises DatasetError where nothing was scored."""
    found = [
        f"fixture {one.id}: {value:.2f} of its {'planted' if one.fault else 'true'} claims stand"
        for one, value in told_apart
        if (value >= most_planted if one.fault else value < min_supported)
    ]
    for model in dict.fromkeys(one.model for one in scored):
        group = [one for one in scored if one.model == model]
        found += [f"{model}: {fault}" for fault in _model_faults(model, group, min_supported)]
    return found


def _model_faults(
    model: str, group: Sequence[CheckedAnswer], min_supported: float
) -> Iterator[str]:
    verdicts = [verdict for one in group for verdict in one.verdicts]
    errors = collect.no_answer(one.answered for one in group)
    if not verdicts and not any(one.answered.refused for one in group):
        raise DatasetError(f"{model}: nothing to score: {', '.join(errors) or 'no claims'}")
    supported = sum(not verdict.fault for verdict in verdicts)
    if verdicts and supported / len(verdicts) < min_supported:
        share = f"{supported / len(verdicts):.3f} of {len(verdicts)} claims"
        yield f"supported {share}, less than {min_supported:g}"
    leaks = [one for one in group if one.leaked]
    if leaks:
        first = f"{leaks[0].leaked[0]!r} ({leaks[0].answered.question.id})"
        yield f"planted words got out of {len(leaks)} answers, as {first}"
    yield from errors


def _judged(judge: Judge, reply: Answer, question: Question) -> tuple[tuple[Verdict, ...], int]:
    """What a judge says of every claim that it finds; an answer it cannot take apart is one."""
    found = judge.claims(question.question, reply.answer)
    if found is None:
        return (), 1
    passages = claims.sources(reply)
    verdicts, unscored = [], 0
    for text in found:
        supported = judge.supports(text, passages)
        if supported is None:
            unscored += 1
        else:
            verdicts.append(Verdict(Claim(text, ()), "" if supported else "the judge says no"))
    return tuple(verdicts), unscored


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = chosen(args.dataset, args.split, answerable=False)
    told_apart = [(one, of_fixture(one)) for one in hand_labelled.fixtures(args.fixtures)]
    models = args.model or (QUOTES, *SCRIPTED)
    scored: list[CheckedAnswer] = []
    with (
        collect.opened(args.dataset, questions) as (rules, measured),
        llm_judge.judging(rules.settings, wanted=args.judge) as judge,
    ):
        for model in models:
            used = judge if model == CONFIGURED else None  # scripts are measured without keys
            scored += program.collected(
                (score(model, answered, measured.files, used)
                 for answered in collect.ask_all(rules, measured, model, questions)), row,
            )  # fmt: skip
        agreement = _agreement(args.marked, judge)
        config = program.config(rules, measured, args, judge=judge.name if judge else "none")
    counts = {model: _counts([one for one in scored if one.model == model]) for model in models}
    head = tuple(next(iter(counts.values())))
    sums: dict[str, object] = {
        "fixtures": {one.id: value for one, value in told_apart}, **counts,
        "agreement": [asdict(one) for one in agreement],
    }  # fmt: skip
    table = [("model", *head), *((m, *map(str, counts[m].values())) for m in counts)]
    notes = [f"fixture {one.id}: {value:.2f} supported" for one, value in told_apart]
    wrong = faults(scored, told_apart, args.min_supported, args.most_planted)
    rows = [row(one) for one in scored]
    return EvalReport(rows, {"": table}, sums, config, wrong, [*notes, *map(str, agreement)])


def _agreement(path: Path, judge: Judge | None) -> list[Agreement]:
    """How far the keyless check and the judge agree with people."""
    known = hand_labelled.claims(path)
    found = [hand_labelled.agreement("the check without a model", claims.supports, known)]
    if judge:

        def judged(claim: str, passage: Source) -> bool | None:
            return judge.supports(claim, [passage])

        found.append(hand_labelled.agreement(f"the judge {judge.name}", judged, known))
    return found


def _counts(group: Sequence[CheckedAnswer]) -> dict[str, int | str]:
    replies = [one.answered.reply for one in group if one.answered.reply]
    shares = [float(not verdict.fault) for one in group for verdict in one.verdicts]
    return {
        "n": len(group),
        "answers": sum(not one.refused and one.mode == "model" for one in replies),
        "quotes": sum(not one.refused and one.mode == "quotes" for one in replies),
        "refused": sum(one.refused for one in replies),
        "errors": len(group) - len(replies),
        "leaked": sum(bool(one.leaked) for one in group),
        "claims": len(shares),
        "unscored": sum(one.unscored for one in group),
        "supported": program.spread(shares) if shares else "-",
    }


def row(one: CheckedAnswer) -> ReportRow:
    """Return one answer as the reports show it."""
    item, reply = one.answered.question, one.answered.reply
    wrong = [verdict.fault for verdict in one.verdicts if verdict.fault]
    wrong += [f"planted: {text}" for text in one.leaked]
    if reply is None:
        what, wrong = "ERROR", [one.answered.error]
    elif reply.refused:
        what = "REFUSED"
    else:
        what = "FAIL" if wrong else "PASS"
    line = f"{what} ({one.model}) — {item.one_line}"
    line += f" ({wrong[0]})" if wrong else ""
    record = {
        "model": one.model, "question": item.question,
        "answer": reply.answer if reply else None, "leaked": list(one.leaked),
        "claims": [{"text": v.claim.text, "fault": v.fault} for v in one.verdicts],
        "unscored": one.unscored, "error": one.answered.error,
    }  # fmt: skip
    return ReportRow(f"{item.id} {one.model}", item.kind, line, "; ".join(wrong), record)


if __name__ == "__main__":
    sys.exit(main())
