"""Measure the guard on hand-made answers, half of them right, half wrong in one known way.

They go the way of a model's reply: claims that fail are replaced or struck. Both directions count:
a guard that changes everything catches all that is wrong. Build with `--split dev` alone; the
figures that are published are those of `held`. `new.jsonl` is for a last look, `--dataset
evals/datasets/answers/new.jsonl --split fresh`: nothing is ever built on it. `signs.jsonl`, split
`signs`, is to build on, too. `--reader` adds a reader: a scripted one that is right, agrees with
all or denies all, or those of the settings.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from api.checks import review
from api.checks.readers import opening, verifier
from api.checks.readers.verifier import Asked, Readers, Verdicts
from api.checks.review import Review
from api.llm.client import LanguageModel
from api.schema.guard import ReaderName
from evals.answers import hand_labelled, program
from evals.answers.hand_labelled import (
    GUARD,
    GUARD_SPLITS,
    NEW_SPLIT,
    SIGNS_SPLIT,
    MarkedAnswer,
)
from evals.answers.program import EvalReport, ReportRow, Table
from evals.reports import results
from retrieval.context import open_context
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.models import Chunk, Hit
from retrieval.settings import load

MOST_CHANGED, MOST_WHOLE, MIN_CAUGHT = 0.11, 0.02, 0.77  # what is kept: the gate
AIMS = (  # docs/experiments.md, E38 and E69: not reached by the rules alone
    "aims: at most 0.05 of the right answers changed and 0.01 lost, 0.90 of the wrong ones caught"
)
CONFIGURED = "configured"  # what GUARD_LLM and GUARD_MODEL name
READERS = ("none", "perfect", "agrees", "denies", CONFIGURED)
_SECONDS = 3600.0  # a measurement waits for a reader


@dataclass(frozen=True, slots=True)
class Checked:
    """A case with what became of its answer, and what each reader said of it."""

    case: MarkedAnswer
    seen: Review
    verdicts: tuple[Verdicts, ...] = ()

    @property
    def stopped(self) -> bool:
        """Whether a claim went; one whose fault is to have no source may have got it instead."""
        return bool(self.seen.faults or (self.case.fault == "uncited" and self.seen.added))


@dataclass(slots=True, eq=False)
class _Script:
    """A reader that denies all claims of some answers: all of the wrong ones, all, or none."""

    script: str
    case: MarkedAnswer
    name: ReaderName = "llm"

    def verdicts(self, asked: Asked) -> Verdicts:
        """Return the script's verdicts."""
        denies = self.script == "denies" or (self.script == "perfect" and bool(self.case.fault))
        numbers = [claim.number for claim in asked.claims]
        why = f"the scripted reader says no ({self.script})"
        return Verdicts("llm", "read", len(numbers), dict.fromkeys(numbers if denies else (), why))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser(
        "evals.guard_set", __doc__, dataset=GUARD,
        splits=(*GUARD_SPLITS, NEW_SPLIT, SIGNS_SPLIT), split="held",
    )  # fmt: skip
    share = program.share
    parser.add_argument("--by-check", action="store_true", help="count each check by itself, too")
    parser.add_argument("--reader", choices=READERS, default="none", help="who reads, besides")
    parser.add_argument("--most-changed", type=share, default=MOST_CHANGED, help="of the right")
    parser.add_argument("--most-whole", type=share, default=MOST_WHOLE, help="of the right, lost")
    parser.add_argument("--min-caught", type=share, default=MIN_CAUGHT, help="of the wrong")
    return program.run(parser, argv, _measured)


def checked(case: MarkedAnswer, readers: Readers | None = None) -> Checked:
    """Return a case with what the guard, and readers, leave of its answer."""
    hits = [
        Hit(Chunk(one.path, one.heading, 1, 1 + one.text.count("\n"), one.text, one.context), 1, ())
        for one in case.passages
    ]  # fmt: skip
    reading = review.read(case.answer, hits, case.question)
    verdicts = readers.read(reading, _SECONDS) if readers else []
    seen = review.settled(reading, verifier.findings(reading, verdicts))
    return Checked(case, seen, tuple(verdicts))


def faults(
    cases: Sequence[Checked],
    most_changed: float = MOST_CHANGED,
    min_caught: float = MIN_CAUGHT,
    most_whole: float = MOST_WHOLE,
) -> list[str]:
    """Return why the gate is red, a line each; a reader that denies nearly everything is named.

    Raises DatasetError where there are not both right and wrong answers to check.
    """
    right = [one.seen for one in cases if not one.case.fault]
    wrong = [one.stopped for one in cases if one.case.fault]
    if not right or not wrong:
        raise DatasetError("right and wrong answers are both wanted to measure a guard")
    changed = sum(bool(seen.faults) for seen in right) / len(right)
    whole = sum(not seen.text for seen in right) / len(right)
    caught = sum(wrong) / len(wrong)
    found = []
    if changed > most_changed:
        found.append(f"changed {changed:.3f} of the right answers, more than {most_changed:g}")
    if whole > most_whole:
        found.append(f"nothing left of {whole:.3f} of the right ones, more than {most_whole:g}")
    if caught < min_caught:
        found.append(f"caught {caught:.3f} of the wrong answers, less than {min_caught:g}")
    said = [verdicts for one in cases for verdicts in one.verdicts]
    for reader in sorted({one.reader for one in said}):
        own = [one for one in said if one.reader == reader]
        denied, claims = sum(len(one.denied) for one in own), sum(one.claims for one in own)
        found += [verifier.warning(reader, denied, claims)] * verifier.denies_all(denied, claims)
    return found


@contextmanager
def _readers(name: str) -> Iterator[Readers | None]:
    """Yield the readers of the settings where these are wanted, else None."""
    if name != CONFIGURED:
        yield None
        return
    settings = load()
    if settings.openai_model is None:
        raise ConfigurationError("OPENAI_MODEL is not set, so there are no readers to measure")
    with open_context(settings) as context, closing(LanguageModel(settings)) as model:
        yield opening.readers(context, model)


def _measured(args: argparse.Namespace) -> EvalReport:
    with _readers(args.reader) as configured:
        cases = program.collected(
            (checked(case, _chosen(args.reader, case, configured))
             for case in hand_labelled.guard_answers(args.dataset, args.split)), row,
        )  # fmt: skip
    kinds = sorted({one.case.fault for one in cases if one.case.fault})
    groups = {"right, changed": [one for one in cases if not one.case.fault]}
    groups["wrong, caught"] = [one for one in cases if one.case.fault]
    groups |= {f"  {kind}": [one for one in cases if one.case.fault == kind] for kind in kinds}
    head = ("answers", "stopped", "share (95 % interval)", "nothing left", "denied by a reader")
    tables = {"": program.table(groups, head, _cells)}
    if args.by_check:
        tables["by check"] = by_check(cases)
    sums = {
        name.strip(): {"n": len(group), "stopped": sum(one.stopped for one in group)}
        for name, group in groups.items()
    }
    config = {
        "commit": results.commit(),
        "dataset": args.dataset.name,
        "dataset_digest": hashlib.sha256(args.dataset.read_bytes()).hexdigest(),
        **program.given(args),
    }
    wrong = faults(cases, args.most_changed, args.min_caught, args.most_whole)
    return EvalReport([row(one) for one in cases], tables, sums, config, wrong, (AIMS,))


def _chosen(name: str, case: MarkedAnswer, configured: Readers | None) -> Readers | None:
    return configured if name in ("none", CONFIGURED) else Readers([_Script(name, case)])


def by_check(cases: Sequence[Checked]) -> Table:
    """Return a table of what each check stopped, and what nothing else stopped (leave-one-out).

    A check earns its place where it catches at least twice as many wrong answers as right ones.
    """
    rows: list[Sequence[str]] = [("check", "caught", "alone", "blocked", "alone")]
    found = [(one.case.fault, {fault.finding.check for fault in one.seen.faults}) for one in cases]
    for name in sorted({name for _, names in found for name in names}):
        wrong, right = ([names for fault, names in found if bool(fault) == bad and name in names]
                        for bad in (True, False))  # fmt: skip
        counts = [len(wrong), wrong.count({name}), len(right), right.count({name})]
        rows.append((name, *map(str, counts)))
    return rows


def _cells(group: Sequence[Checked]) -> list[str]:
    stopped = [float(one.stopped) for one in group]
    lost = sum(not one.seen.text for one in group)
    denied = sum(any(said.denied for said in one.verdicts) for one in group)
    return [f"{sum(stopped):.0f}", program.spread(stopped), str(lost), str(denied)]


def row(one: Checked) -> ReportRow:
    """Return one case as the reports show it."""
    case, found, wrong = one.case, [fault.finding for fault in one.seen.faults], ""
    if one.stopped != bool(case.fault):
        wrong = f"{case.fault} not caught" if case.fault else f"changed: {found[0].message}"
    line = f"{'FAIL' if wrong else 'PASS'} ({case.fault or 'right'}) — {case.answer!r}"
    line += f" ({wrong})" if wrong else ""
    record = {
        "fault": case.fault, "answer": case.answer, "shown": one.seen.text,
        "findings": [{"kind": f.kind, "text": f.text, "message": f.message} for f in found],
    }  # fmt: skip
    return ReportRow(case.id, case.fault or "right", line, wrong, record)


if __name__ == "__main__":
    sys.exit(main())
