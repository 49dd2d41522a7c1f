"""Measure the language model of OPENAI_MODEL over all questions of a split, with what it costs.

Each question is asked as people ask it: cards, prompt, guard and readers as they are set. Replies
are kept by what was asked (`--kept`), so a run that broke off goes on, and a change of the guard is
measured again without a call. `--compare MODEL` asks a second model of the same server the same.

Right is an answer with all of `must_include` that cites a line of its gold. A model's error is
neither right nor a refusal.

Exit status: 0 the gates passed, or there are none; 1 one failed; 2 nothing could be measured.
"""

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import quantiles

from api.checks.readers import opening
from api.schema.answer import Answer
from evals import accuracy
from evals.answers import claims, collect, program
from evals.answers.collect import Answered
from evals.answers.kept_replies import KeptModel, Spent
from evals.answers.program import EvalReport, ReportRow, Table
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.labels.options import chosen
from evals.measure import span_overlap, stats
from evals.measure.outcome import Subject
from evals.measure.span_overlap import PageOf
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError

KEPT = Path("results") / "kept-replies"


@dataclass(frozen=True, slots=True)
class Measured:
    """A question with its answer: `right` is None of one that has no answer."""

    answered: Answered
    right: bool | None
    unsupported: tuple[str, ...]  # why, of each such claim
    claims: int
    spent: Spent

    @property
    def tokens(self) -> tuple[int, int]:
        """The tokens that were read and written for it."""
        reply = self.answered.reply
        return (reply.usage.prompt_tokens, reply.usage.completion_tokens) if reply else (0, 0)

    @property
    def seconds(self) -> float:
        """What a person would have waited: the search and the model's calls."""
        reply = self.answered.reply
        searched = reply.timings.embed_ms + reply.timings.search_ms if reply else 0.0
        return self.spent.seconds + searched / 1000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.model", __doc__, split="gate")
    add = parser.add_argument
    add("--sample", type=int, help="so many questions, always the same ones")
    add("--compare", metavar="MODEL", help="another model of the same server, question by question")
    add("--kept", type=Path, default=KEPT, help="a folder of kept replies; default: %(default)s")
    add("--price-in", type=float, default=0.0, help="for a million tokens that are read")
    add("--price-out", type=float, default=0.0, help="for a million that are written")
    add("--min-right", type=program.share, default=0.0, help="the gate, 0 to 1")
    add("--max-unsupported", type=program.share, default=1.0, help="of the claims, 0 to 1")
    return program.run(parser, argv, _measured)


def sample(questions: Sequence[Question], size: int | None) -> list[Question]:
    """Return `size` of the questions by the hashes of their ids, or all of them."""
    if size is None or size >= len(questions):
        return list(questions)
    first = sorted(questions, key=lambda q: hashlib.sha256(q.id.encode()).hexdigest())[:size]
    return [question for question in questions if question in first]


def faults(
    found: Sequence[Measured], min_right: float = 0.0, max_unsupported: float = 1.0
) -> list[str]:
    """Return why the gate is red, a line each; errors always are."""
    right = [one.right for one in found if one.right is not None]
    wrong, said = sum(len(one.unsupported) for one in found), sum(one.claims for one in found)
    red = []
    if right and sum(right) < min_right * len(right):
        red.append(f"right {sum(right)} of {len(right)}, less than {min_right:g}")
    if said and wrong > max_unsupported * said:
        red.append(f"unsupported {wrong} of {said} claims, more than {max_unsupported:g}")
    return red + collect.no_answer(one.answered for one in found)


def asked(
    context: SearchContext, measured: Subject, questions: Sequence[Question], kept: Path
) -> Iterator[Measured]:
    """Yield what the settings' model makes of every question, in order."""
    page_of = span_overlap.pages_of(measured.files)
    with closing(KeptModel(context.settings, kept)) as model:
        readers = opening.readers(context, model)
        for item in dataset.resolved(questions, measured.files):
            model.turn()
            reply = collect.answer(context, model, item, readers)
            yield _judged(reply, measured.files, page_of, model.spent)


def _judged(
    answered: Answered, files: Mapping[str, str], page_of: PageOf, spent: Spent
) -> Measured:
    item, reply = answered.question, answered.reply
    right = accuracy.score(answered, page_of).score == 2 if item.answerable else None
    if reply is None or reply.mode == "quotes":
        return Measured(answered, right, (), 0, spent)
    found = claims.verdicts(reply, files, item.question)
    wrong = tuple(verdict.fault for verdict in found if verdict.fault)
    return Measured(answered, right, wrong, len(found), spent)


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = sample(chosen(args.dataset, args.split, answerable=False), args.sample)
    with collect.opened(args.dataset, questions) as (rules, measured):
        name = rules.settings.openai_model
        if name is None:
            raise ConfigurationError("OPENAI_MODEL is not set, so there is no model to measure")
        runs = {}
        for model in dict.fromkeys([name, *([args.compare] if args.compare else [])]):
            settings = rules.settings.model_copy(update={"openai_model": model})
            used = replace(rules, settings=settings)
            runs[model] = program.collected(asked(used, measured, questions, args.kept), row)
        config = program.config(rules, measured, args, model=name)
    tables: dict[str, Table] = {}
    for model, found in runs.items():
        tables |= {model: shares(found), f"{model}, cost": cost(found, args),
                   f"{model}, verdicts": verdicts(found)}  # fmt: skip
    if len(runs) > 1:
        tables["compared"] = compared(runs)
    sums = {model: _sums(found) for model, found in runs.items()}
    rows = [row(one, model) for model, found in runs.items() for one in found]
    red = faults(runs[name], args.min_right, args.max_unsupported)
    return EvalReport(rows, tables, sums, config, red)


def shares(found: Sequence[Measured]) -> Table:
    """Return what the model does, as shares with their intervals."""
    asked_for = [one for one in found if one.right is not None]
    none = [one for one in found if one.right is None]
    rows = [
        ("right", [float(bool(one.right)) for one in asked_for]),
        ("refused, though there is an answer", [float(one.answered.refused) for one in asked_for]),
        ("refused, as there is none", [float(one.answered.refused) for one in none]),
        ("unsupported claims", [float(n < len(one.unsupported)) for one in found
                                for n in range(one.claims)]),
    ]  # fmt: skip
    table = [(name, str(len(v)), program.spread(v) if v else "-") for name, v in rows]
    return [("what", "n", "share (95 % interval)"), *table]


def cost(found: Sequence[Measured], args: argparse.Namespace) -> Table:
    """Return tokens, money and time."""
    read, written = (sum(one.tokens[at] for one in found) for at in (0, 1))
    money = (read * args.price_in + written * args.price_out) / 1_000_000
    waits = [one.seconds for one in found]
    cuts = quantiles(waits, n=20) if len(waits) > 1 else waits * 19
    calls, kept = (sum(getattr(one.spent, name) for one in found) for name in ("calls", "kept"))
    return [
        ("calls", "kept", "tokens read", "written", "money", "p50", "p95"),
        (str(calls), str(kept), f"{read:,}", f"{written:,}", f"{money:.4f}", f"{cuts[9]:.1f} s",
         f"{cuts[18]:.1f} s"),
    ]  # fmt: skip


def verdicts(found: Sequence[Measured]) -> Table:
    """Return how often each verdict of the guard, and each kind of its findings, came."""
    replies = [one.answered.reply for one in found if one.answered.reply]
    counts = Counter(f"verdict {reply.guard.verdict}" for reply in replies)
    counts += Counter(f"found {kind}" for reply in replies for kind in _kinds(reply))
    counts += Counter(
        f"{one.reader} {one.outcome}, {one.denied} of {one.claims} denied"
        for reply in replies for one in reply.guard.readers if one.denied or one.outcome != "read"
    )  # fmt: skip
    return [("guard", "answers"), *((name, str(n)) for name, n in sorted(counts.items()))]


def compared(runs: Mapping[str, Sequence[Measured]]) -> Table:
    """Return the difference of the second model to the first, question by question."""
    (first, before), (second, after) = runs.items()
    pairs = [
        (float(bool(one.right)), float(bool(other.right)))
        for one, other in zip(before, after, strict=True) if one.right is not None
    ]  # fmt: skip
    head = ("right", first, second, "difference (95 %)", "p")
    if len(pairs) < 2:
        return [head, (f"of {len(pairs)}", "-", "-", "-", "-")]
    ours, theirs = zip(*pairs, strict=True)
    low, high = stats.difference_interval(ours, theirs)
    broken, fixed = pairs.count((1.0, 0.0)), pairs.count((0.0, 1.0))
    difference = (sum(theirs) - sum(ours)) / len(pairs)
    return [head, (f"of {len(pairs)}", f"{sum(ours):.0f}", f"{sum(theirs):.0f}",
                   f"{difference:+.3f} ({low:+.3f} to {high:+.3f})",
                   f"{stats.mcnemar(broken, fixed):.3f}")]  # fmt: skip


def _kinds(reply: Answer) -> set[str]:
    return {found.kind for found in reply.guard.findings}


def _sums(found: Sequence[Measured]) -> dict[str, object]:
    right = [one.right for one in found if one.right is not None]
    return {
        "asked": len(found), "right": sum(right), "answerable": len(right),
        "claims": sum(one.claims for one in found),
        "unsupported": sum(len(one.unsupported) for one in found),
        "tokens": [sum(one.tokens[at] for one in found) for at in (0, 1)],
    }  # fmt: skip


def row(one: Measured, model: str = "") -> ReportRow:
    """Return one question as the reports show it."""
    item, reply = one.answered.question, one.answered.reply
    said = reply.answer if reply else one.answered.error
    good = one.answered.refused if one.right is None else one.right
    wrong = "" if good and not one.unsupported else "; ".join(one.unsupported) or said
    line = f"{'PASS' if good else 'FAIL'} — {item.one_line}"
    record = {
        "model": model, "question": item.question, "right": one.right, "answer": said,
        "unsupported": list(one.unsupported), "seconds": one.seconds,
        "guard": reply.guard.model_dump() if reply else None,
    }  # fmt: skip
    return ReportRow(f"{item.id} {model}".strip(), item.kind, line, wrong, record)


if __name__ == "__main__":
    sys.exit(main())
