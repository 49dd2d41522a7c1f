"""Break search, replies and answers on purpose, one fault at a time: its gate must turn red.

The gate itself is broken, too: of every copy that lies a run whose outcome is known must say so.
Nothing here touches an index that answers anybody.

Exit status: 0 every fault was caught by its gate; 1 one was not, or a lying gate was not noticed;
2 nothing could be measured, or the sound pipeline is red already.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from time import monotonic

from evals.answers import program
from evals.answers.program import EvalReport, ReportRow
from evals.faults import of_gate, runs
from evals.faults.detection import GATES, Detection, effect
from evals.faults.of_ingest import INDEX_FAULTS
from evals.faults.of_replies import REPLY_FAULTS
from evals.faults.of_search import SEARCH_FAULTS
from evals.faults.replace import Fault
from evals.faults.runs import SOUND, Data, Pass
from evals.measure.subject import subject
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.settings import load

FAULTS = SEARCH_FAULTS + REPLY_FAULTS + INDEX_FAULTS
_SHOWN = 100  # characters of what a gate measured


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a fault or a lying gate: the gate that must turn red, and all that did."""

    fault: str
    wanted: str
    red: tuple[Detection, ...]
    effect: str
    seconds: float = 0.0

    @property
    def caught(self) -> bool:
        """Whether its own gate turned red."""
        return self.wanted in {detection.gate for detection in self.red}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.sabotage", __doc__, dataset=None, splits=())
    parser.add_argument("--fast", action="store_true", help="only what the handbook can show")
    parser.add_argument("--only", metavar="TEXT", help="only the faults with this in their name")
    return program.run(parser, argv, _measured)


def _measured(args: argparse.Namespace) -> EvalReport:
    faults = [f for f in FAULTS if not (args.fast and f.ground == "rules")]
    faults = [f for f in faults if args.only is None or args.only in f.name]
    if not faults:
        raise DatasetError(f"no fault of this selection has {args.only!r} in its name")
    with runs.opened(load()) as context:
        tried = _tried(context, faults, with_gate=args.only is None)
        verdicts = program.collected(tried, row)
    rows = [row(verdict) for verdict in verdicts]
    missed = [one.fault for one in rows if one.fault]
    sums = {"caught": len(rows) - len(missed), "missed": len(missed)}
    notes = [f"{len(rows)} faults: {sums['caught']} caught, {sums['missed']} missed"]
    return EvalReport(rows, {}, sums, {"fast": args.fast, "only": args.only}, missed, notes)


def _tried(
    context: SearchContext, faults: Sequence[Fault], *, with_gate: bool
) -> Iterator[Verdict]:
    of = {name: [fault for fault in faults if fault.ground == name]
          for name in ("handbook", "answers", "rules")}  # fmt: skip
    handbook = runs.handbook()
    yield from of_search(context, handbook, of["handbook"], with_gate=with_gate)
    if of["answers"]:
        yield from of_answers(context, handbook, of["answers"])
    if of["rules"]:
        yield from of_search(context, runs.rules(), of["rules"], with_gate=False)


def of_search(
    context: SearchContext, data: Data, faults: Sequence[Fault], *, with_gate: bool
) -> Iterator[Verdict]:
    """Index a vault once and ask everything once, then with each fault.

    Raises DatasetError where a gate is red before anything was broken: it would be red after it.
    """
    with ExitStack() as stack:
        with runs.quiet():
            ready = stack.enter_context(subject(context, data.vault))
        sound = _checked(runs.searched(context, data, SOUND, ready))
        for fault in faults:
            started = monotonic()
            broken = runs.searched(context, data, fault, None if fault.index else ready)
            did = broken.error or effect(sound, broken)
            yield _verdict(fault, sound, broken, did, started)
        if with_gate:
            outcomes = sound.outcomes
            for name, odd in of_gate.tried(runs.HANDBOOK[0], data.vault, ready, outcomes):
                red = (Detection("known runs", odd),) if odd else ()
                yield Verdict(f"gate: {name}", "known runs", red, "")


def of_answers(context: SearchContext, data: Data, faults: Sequence[Fault]) -> Iterator[Verdict]:
    """Make the vault the live index of `context`, answer everything, then with each fault.

    Raises DatasetError where not both sorts of questions are there: half of the gates were blind.
    """
    if {question.answerable for question in data.questions} != {True, False}:
        raise DatasetError("questions with and without an answer are both wanted")
    own = replace(context, settings=context.settings.model_copy(update={"vault": data.vault}))
    with runs.quiet():
        pipeline.run(own, data.vault)
    sound: dict[str, Pass] = {}
    with subject(own, None) as measured:
        for fault in faults:
            started = monotonic()
            if fault.model not in sound:
                plain = replace(SOUND, model=fault.model)
                sound[fault.model] = _checked(runs.answered(own, data, plain, measured))
            broken = runs.answered(own, data, fault, measured)
            yield _verdict(fault, sound[fault.model], broken, "", started)


def _checked(sound: Pass) -> Pass:
    for red in (detection for gate in GATES for detection in gate(sound, sound)):
        raise DatasetError(f"{red.gate} is red without any fault: {red.measured}")
    return sound


def _verdict(fault: Fault, sound: Pass, broken: Pass, did: str, started: float) -> Verdict:
    """Ask every gate about a broken pass."""
    red = tuple(detection for gate in GATES for detection in gate(sound, broken))
    return Verdict(fault.name, fault.must_turn_red, red, did, monotonic() - started)


def row(verdict: Verdict) -> ReportRow:
    """Return a verdict as the reports show it."""
    said = next((d.measured for d in verdict.red if d.gate == verdict.wanted), verdict.effect)
    measured = said.replace("\n", " ")
    shown = measured if len(measured) <= _SHOWN else measured[: _SHOWN - 1] + "…"
    line = (
        f"{'caught' if verdict.caught else 'MISSED'} {verdict.fault} | {verdict.wanted} | {shown}"
    )
    others = ", ".join(sorted({one.gate for one in verdict.red})) or "nothing"
    missed = f"{verdict.wanted} did not notice: {verdict.fault} ({others} did)"
    record = asdict(verdict) | {"caught": verdict.caught}
    return ReportRow(verdict.fault, verdict.wanted, line, "" if verdict.caught else missed, record)


if __name__ == "__main__":
    sys.exit(main())
