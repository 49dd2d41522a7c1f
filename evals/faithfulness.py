"""Measure whether what answers state is supported by the lines that they cite, claim by claim.

Three parts: the fixtures, a faithful answer and a planted hallucination, which the measure itself
must tell apart; quotes; and scripted models that answer rightly or wrong in one known way, whose
errors must not get out. `--model configured` measures OPENAI_MODEL instead; where that is set, it
also judges, and is itself measured against hand-marked claims.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from api.checks.markers import MARKER
from api.checks.passage_lines import Source
from api.schema.answer import Answer
from evals.answers import claims, collect, fixtures, judged_set, llm_judge, program
from evals.answers.claims import Claim, Verdict
from evals.answers.collect import CONFIGURED, QUOTES, Answered
from evals.answers.fixtures import Fixture
from evals.answers.llm_judge import Judge
from evals.answers.program import EvalReport, ReportRow
from evals.labels.dataset import Question
from evals.measure.outcome import Subject
from evals.measure.summary import estimate
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.text.normalize import comparable

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
    parser = program.parser("evals.faithfulness", __doc__, models=False)
    parser.add_argument(
        "--model", choices=collect.MODELS, action="append",
        help=f"who answers, repeatable; default: {QUOTES}, {', '.join(SCRIPTED)}",
    )  # fmt: skip
    parser.add_argument("--fixtures", type=Path, default=fixtures.FIXTURES)
    parser.add_argument("--marked", type=Path, default=judged_set.MARKED, help="to measure judges")
    parser.add_argument(
        "--judge", action=argparse.BooleanOptionalAction, default=None,
        help="judge by OPENAI_MODEL; default: where it is set",
    )  # fmt: skip
    parser.add_argument("--min-supported", type=program.share, default=MIN_SUPPORTED)
    parser.add_argument("--most-planted", type=program.share, default=MOST_PLANTED)
    args = parser.parse_args(argv)
    return program.run(args, "evals.faithfulness", lambda: _measured(args))


def score(
    model: str, answered: Answered, files: Mapping[str, str], judge: Judge | None
) -> CheckedAnswer:
    """Return one answer with its claims; a judge, where there is one, decides instead."""
    reply = answered.reply
    if reply is None or reply.refused:
        return CheckedAnswer(model, answered, (), ())
    shown = comparable(MARKER.sub("", reply.answer))
    leaked = () if reply.mode == "quotes" else tuple(
        one for one in answered.planted if comparable(one).rstrip(". ") in shown)  # fmt: skip
    if judge is None or reply.mode == "quotes":
        found = claims.verdicts(reply, files, answered.question.question)
        return CheckedAnswer(model, answered, tuple(found), leaked)
    verdicts, unscored = _judged(judge, reply, answered.question)
    return CheckedAnswer(model, answered, verdicts, leaked, unscored)


def faults(
    scored: Sequence[CheckedAnswer], told_apart: Sequence[tuple[Fixture, float]],
    min_supported: float = MIN_SUPPORTED, most_planted: float = MOST_PLANTED,
) -> list[str]:  # fmt: skip
    """Return why the gate is red, a line each. Raises DatasetError where nothing was scored."""
    found = [
        f"fixture {one.id}: {value:.2f} of a {'faithful answer' if one.faithful else 'planted'} "
        f"{'is' if one.faithful else 'hallucination are'} supported"
        for one, value in told_apart
        if (value < min_supported if one.faithful else value >= most_planted)
    ]
    for model in dict.fromkeys(one.model for one in scored):
        group = [one for one in scored if one.model == model]
        found += [f"{model}: {fault}" for fault in _model_faults(model, group, min_supported)]
    return found


def _model_faults(
    model: str, group: Sequence[CheckedAnswer], min_supported: float
) -> Iterator[str]:
    verdicts = [verdict for one in group for verdict in one.verdicts]
    errors = [one.answered.error for one in group if one.answered.reply is None]
    if not verdicts and not any(one.answered.refused for one in group):
        why = errors[0] if errors else "no claims"
        raise DatasetError(f"{model}: {len(errors)} errors and nothing to score: {why}")
    supported = sum(not verdict.fault for verdict in verdicts)
    if verdicts and supported / len(verdicts) < min_supported:
        share = f"{supported / len(verdicts):.3f} of {len(verdicts)} claims"
        yield f"supported {share}, less than {min_supported:g}"
    leaks = [one for one in group if one.leaked]
    if leaks:
        first = f"{leaks[0].leaked[0]!r} ({leaks[0].answered.question.id})"
        yield f"planted words got out of {len(leaks)} answers, as {first}"
    if errors:
        yield f"no answer to {len(errors)} questions: {errors[0]}"


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
    questions = collect.chosen(args.dataset, args.split)
    told_apart = [(one, fixtures.score(one)) for one in fixtures.load(args.fixtures)]
    with collect.opened(args.dataset, questions) as (rules, measured):
        models = args.model or (QUOTES, *SCRIPTED)
        with llm_judge.judging(rules.settings, wanted=args.judge) as judge:
            scored = _asked(rules, measured, models, questions, judge)
            agreement = _agreement(args.marked, judge)
        limits = {"min_supported": args.min_supported, "most_planted": args.most_planted}
        config = program.config(
            rules, measured, args, program="evals.faithfulness", models=list(models),
            judge=judge.name if judge else "none", **limits,
        )  # fmt: skip
    return report(scored, told_apart, faults(scored, told_apart, **limits), agreement, config)


def _asked(
    context: SearchContext, measured: Subject, models: Sequence[str], questions: Sequence[Question],
    judge: Judge | None,
) -> list[CheckedAnswer]:  # fmt: skip
    scored: list[CheckedAnswer] = []
    for model in models:
        used = judge if model == CONFIGURED else None  # scripts are measured without keys
        with collect.answering(context, measured, model) as answerer:
            for answered in collect.ask_all(answerer, questions):
                scored.append(score(model, answered, measured.files, used))
                print(row(scored[-1]).line, flush=True)
    return scored


def _agreement(path: Path, judge: Judge | None) -> list[judged_set.Agreement]:
    """How far the keyless check and the judge agree with people."""
    marked = judged_set.load(path)
    found = [judged_set.measure("the check without a model", claims.supports, marked)]
    if judge:

        def judged(claim: str, passage: Source) -> bool | None:
            return judge.supports(claim, [passage])

        found.append(judged_set.measure(f"the judge {judge.name}", judged, marked))
    return found


def report(
    scored: Sequence[CheckedAnswer],
    told_apart: Sequence[tuple[Fixture, float]],
    found: Sequence[str],
    agreement: Sequence[judged_set.Agreement],
    config: Mapping[str, object],
) -> EvalReport:
    """Return the report of scored answers."""
    head = ("model", "n", "answers", "quotes", "refused", "errors", "leaked", "claims", "unscored",
            "supported")  # fmt: skip
    table: list[tuple[str, ...]] = [head]
    sums: dict[str, object] = {"fixtures": {one.id: value for one, value in told_apart}}
    for model in dict.fromkeys(one.model for one in scored):
        counts = _counts([one for one in scored if one.model == model])
        sums[model] = counts
        table.append((model, *(str(counts[name]) for name in head[1:])))
    notes = [f"fixture {one.id}: {value:.2f} supported" for one, value in told_apart]
    notes += map(str, agreement)
    sums["agreement"] = [asdict(one) for one in agreement]
    rows = tuple(row(one) for one in scored)
    return EvalReport(
        "evals.faithfulness", rows, tuple(table), tuple(notes), sums, tuple(found), config
    )


def _counts(group: Sequence[CheckedAnswer]) -> dict[str, int | str]:
    replies = [one.answered.reply for one in group if one.answered.reply]
    verdicts = [verdict for one in group for verdict in one.verdicts]
    shares = [float(not verdict.fault) for verdict in verdicts]
    return {
        "n": len(group),
        "answers": sum(not one.refused and one.mode == "model" for one in replies),
        "quotes": sum(not one.refused and one.mode == "quotes" for one in replies),
        "refused": sum(one.refused for one in replies),
        "errors": len(group) - len(replies),
        "leaked": sum(bool(one.leaked) for one in group),
        "claims": len(verdicts),
        "unscored": sum(one.unscored for one in group),
        "supported": program.spread(estimate(shares)) if shares else "-",
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
    line = f"{what} ({one.model}) — {' '.join(item.question.split())}"
    line += f" ({wrong[0]})" if wrong else ""
    record = {
        "id": item.id, "model": one.model, "question": item.question, "kind": item.kind,
        "answer": reply.answer if reply else None, "leaked": list(one.leaked),
        "claims": [{"text": v.claim.text, "fault": v.fault} for v in one.verdicts],
        "unscored": one.unscored, "error": one.answered.error,
    }  # fmt: skip
    return ReportRow(f"{item.id} {one.model}", item.kind, line, "; ".join(wrong), record)


if __name__ == "__main__":
    sys.exit(main())
