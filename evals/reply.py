"""Measure the replies to questions over several vaults: the right card first, shown, complete.

The sets: labelled (rules.jsonl and handbook.jsonl), typed (what people type, over the same two
vaults), foreign (two vaults that nothing was ever fitted on), lists (lists, follow-ups and one-word
questions over these four, with --split calibration over five training texts as well), reworded
(rules in other words and cells of tables, over five vaults) and aliases (words that only a vault's
aliases.yaml knows), the last two with --split calibration.
Nothing here is a gate; what of it is one is in evals.retrieval.

Exit status: 0 measured; 2 nothing could be measured.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from api.llm.listwise import open_ordered
from evals.answers import program
from evals.answers.program import EvalReport, ReportRow, Table
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.labels.options import RULES, folder_named
from evals.measure import replies
from evals.measure.evaluation import evaluate
from evals.measure.outcome import Outcome
from evals.measure.stats import wilson
from evals.measure.subject import subject
from evals.reports import results
from retrieval.errors import DatasetError
from retrieval.settings import load

_OF_FILES = ("foreign", "reworded", "aliases", "lists")  # a file for each vault
_HEAD = ("kind", "n", "search 1st", "1st card", "search any", "shown", "complete", "nearest",
         "refused", "words: median, mean")  # fmt: skip


@dataclass(frozen=True, slots=True)
class RepliedQuestions:
    """The questions of one vault: a dataset, or the part of it that is about this vault."""

    name: str
    file: Path
    vault: Path
    questions: tuple[Question, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.reply", __doc__, dataset=None, split="gate")
    choices = ("labelled", "typed", *_OF_FILES)
    parser.add_argument("set", choices=choices, nargs="?", default="typed")
    return program.run(parser, argv, _measured)


def sets(name: str, split: str) -> list[RepliedQuestions]:
    """Return the vaults of a set with their questions. Raises DatasetError where there are none."""
    if name in _OF_FILES:
        files = {file.stem: file for file in sorted((RULES.parent / name).glob("*.jsonl"))}
    else:
        labelled = name == "labelled"
        files = {vault: RULES.with_name(f"{vault if labelled else name}.jsonl")
                 for vault in ("rules", "handbook")}  # fmt: skip
    found = [
        RepliedQuestions(
            vault if name in _OF_FILES else f"{name}, {vault}", file, folder_named(vault),
            tuple(q for q in dataset.load(file) if q.split == split and q.vault in ("", vault)),
        )
        for vault, file in files.items()
    ]  # fmt: skip
    asked_of = [one for one in found if one.questions]
    if not asked_of:
        raise DatasetError(f"the set {name!r} has no question of split {split!r}")
    return asked_of


def _measured(args: argparse.Namespace) -> EvalReport:
    outcomes: list[Outcome] = []
    tables: dict[str, Table] = {}
    notes: list[str] = []
    data: dict[str, object] = {}
    with open_ordered(load()) as context:
        for asked in sets(args.set, args.split):
            live = asked.vault.resolve() == context.settings.vault.resolve()
            with subject(context, None if live else asked.vault) as measured:
                found = program.collected(evaluate(context, measured, asked.questions), row)
                data[asked.name] = results.origin(asked.file, measured.files)
            tables |= report(asked.name, found)
            notes += confidence(asked.name, found)
            outcomes += found
        about = {"top_k": context.settings.rag_top_k, **program.given(args)}
        config = results.config(context, context.fingerprint, {"data": data}, about)
    tables |= report("all together", outcomes)
    sums = {"certainties": replies.certainties(outcomes)}
    rows = [row(one) for one in outcomes]
    return EvalReport(rows, tables, sums, config, (), notes + confidence("all", outcomes))


def report(name: str, outcomes: Sequence[Outcome]) -> dict[str, Table]:
    """Return two tables by their titles: the cards by kind, and what has no answer."""
    kinds = sorted({one.question.kind for one in outcomes if one.question.answerable})
    groups = program.grouped(outcomes, lambda one: one.question.kind, kinds)
    cards = [_cells(kind, group) for kind, group in groups.items() if replies.cards(group)]
    none = [
        (kind, str(n := sum(counts.values())), *(f"{count / n:.3f}" for count in counts.values()))
        for kind, counts in replies.certainties(outcomes).items()
    ]
    return {
        name: [_HEAD, *cards],
        f"{name}, no answer": [("kind", "n", "answered", "nearest", "refused"), *none],
    }


def confidence(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line: how far what replies say of their certainty comes true; none without any."""
    held = replies.reliability(outcomes)
    if not held:
        return []
    bins = ", ".join(f"{said:.2f}: {right:.2f}" for said, right, _ in held.bins)
    return [
        f"{name}: confidence (n = {held.n}): calibration error {held.error:.3f} (95 % of perfectly "
        f"calibrated ones are under {held.highest:.3f}), Brier {held.brier:.3f} (always the "
        f"mean: {held.base:.3f}); said and came true: {bins}"
    ]


def row(one: Outcome) -> ReportRow:
    """Return a question with what it was shown, as the reports show it."""
    reply = one.reply
    record = {
        "question": one.question.question,
        "certainty": reply.certainty if reply else None,
        "confidence": reply.confidence if reply else None,
        "shown": asdict(one.shown) if one.shown else None,
        "cards": [f"{c.path}:{c.first_line}-{c.last_line}" for c in reply.cards] if reply else [],
    }
    return ReportRow(one.question.id, one.question.kind, _line(one), "", record)


def _cells(name: str, group: Sequence[Outcome]) -> tuple[str, ...]:
    found = replies.cards(group)
    if not found:
        raise AssertionError(f"no reply to a question of {name} has cards")
    low, high = wilson(round(found.first * found.n), found.n)
    return (
        name, str(found.n), f"{found.first_hit:.3f}",
        f"{found.first:.3f} ({low:.2f} to {high:.2f})",
        f"{found.any_hit:.3f}", f"{found.shown:.3f}", f"{found.complete:.3f}",
        f"{found.nearest:.3f}", f"{found.refused:.3f}",
        f"{found.median_words:.0f}, {found.mean_words:.0f}",
    )  # fmt: skip


def _line(one: Outcome) -> str:
    certainty = one.reply.certainty if one.reply else "none"
    state = "no answer exists"
    if one.shown:
        state = "FIRST" if one.shown.first else "SHOWN" if one.shown.anywhere else "MISSED"
        state += "" if one.shown.complete else ", not all"
    return f"{state} ({one.question.kind}, {certainty}) — {one.question.one_line}"


if __name__ == "__main__":
    sys.exit(main())
