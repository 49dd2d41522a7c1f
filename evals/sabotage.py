"""Break search, replies and answers on purpose, one fault at a time: its gate must turn red.

The gate itself is broken, too: of every copy that lies a run whose outcome is known must say so.
Nothing here touches an index that answers anybody.

Exit status: 0 every fault was caught by its gate; 1 one was not, or a lying gate was not noticed;
2 nothing could be measured, or the sound pipeline is red already.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic

from evals.faults import of_gate, passes
from evals.faults.gates import GATES, Detection, effect
from evals.faults.of_ingest import INDEX_FAULTS
from evals.faults.of_replies import REPLY_FAULTS
from evals.faults.of_search import SEARCH_FAULTS
from evals.faults.passes import Data, Pass
from evals.faults.replace import Fault
from evals.retrieval import subject
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import DatasetError, RulesError
from retrieval.settings import load

FAULTS = SEARCH_FAULTS + REPLY_FAULTS + INDEX_FAULTS
_SHOWN = 100  # characters of what a gate measured


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a fault or a lying gate: whether its gate caught it, and all that turned red."""

    fault: str
    caught: bool
    wanted: str  # the gate that must turn red
    red: tuple[Detection, ...]
    effect: str
    seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    faults = [f for f in FAULTS if not (args.fast and f.ground == "rules")]
    faults = [f for f in faults if args.only is None or args.only in f.name]
    verdicts: list[Verdict] = []
    try:
        if not faults:
            raise DatasetError(f"no fault of this selection has {args.only!r} in its name")
        with passes.opened(load()) as context:
            for verdict in _tried(context, faults, with_gate=args.only is None):
                print(_line(verdict), flush=True)
                verdicts.append(verdict)
    except RulesError as error:
        print(f"evals.sabotage: nothing was measured: {error}", file=sys.stderr)
        return 2
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        rows = [asdict(verdict) for verdict in verdicts]
        args.json.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    missed = [verdict for verdict in verdicts if not verdict.caught]
    for verdict in missed:
        others = ", ".join(sorted({one.gate for one in verdict.red})) or "nothing"
        print(f"GATE FAILED: {verdict.wanted} did not notice: {verdict.fault} ({others} did)")
    print(f"{len(verdicts)} faults: {len(verdicts) - len(missed)} caught, {len(missed)} missed")
    return 1 if missed else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.sabotage", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="only what the handbook can show")
    parser.add_argument("--only", metavar="TEXT", help="only the faults with this in their name")
    parser.add_argument("--json", type=Path, help="write all verdicts to this file")
    return parser.parse_args(argv)


def _tried(
    context: SearchContext, faults: Sequence[Fault], *, with_gate: bool
) -> Iterator[Verdict]:
    handbook = passes.handbook()
    yield from _of_search(context, handbook, [f for f in faults if f.ground == "handbook"],
                          with_gate=with_gate)  # fmt: skip
    if of_answers := [fault for fault in faults if fault.ground == "answers"]:
        yield from _of_answers(context, handbook, of_answers)
    if of_rules := [fault for fault in faults if fault.ground == "rules"]:
        yield from _of_search(context, passes.rules(), of_rules, with_gate=False)


def _of_search(
    context: SearchContext, data: Data, faults: Sequence[Fault], *, with_gate: bool
) -> Iterator[Verdict]:
    """Index a vault once and ask everything once, then with each fault.

    Raises DatasetError where a gate is red before anything was broken: it would be red after it.
    """
    with ExitStack() as stack:
        with passes.quiet():
            ready = stack.enter_context(subject(context, data.vault))
        sound = _checked(passes.searched(context, data, (), ready))
        for fault in faults:
            started = monotonic()
            index = None if fault.index else ready
            broken = passes.searched(context, data, fault.swaps, index)
            did = broken.error or effect(sound, broken)
            yield _verdict(fault, sound, broken, did, monotonic() - started)
        if with_gate:
            yield from _of_gate(partial(of_gate.tried, passes.HANDBOOK[0], data.vault, ready,
                                        sound.outcomes))  # fmt: skip


def _of_answers(context: SearchContext, data: Data, faults: Sequence[Fault]) -> Iterator[Verdict]:
    """Make the vault the live index of `context`, answer everything, then with each fault.

    Raises DatasetError where not both sorts of questions are there: half of the gates were blind.
    """
    if {question.answerable for question in data.questions} != {True, False}:
        raise DatasetError("questions with and without an answer are both wanted")
    own = replace(context, settings=context.settings.model_copy(update={"vault": data.vault}))
    with passes.quiet():
        pipeline.run(own, data.vault)
    sound: dict[str, Pass] = {}
    with subject(own, None) as measured:
        for fault in faults:
            started = monotonic()
            answered = partial(passes.answered, own, data, measured=measured, model=fault.model)
            if fault.model not in sound:
                sound[fault.model] = _checked(answered(()))
            broken = answered(fault.swaps)
            yield _verdict(fault, sound[fault.model], broken, "", monotonic() - started)


def _of_gate(tried: partial[Iterator[tuple[str, str]]]) -> Iterator[Verdict]:
    sound, *mutants = tried()
    if sound[1]:
        raise DatasetError(f"the gate itself: {sound[1]}")
    for name, odd in mutants:
        red = (Detection("known runs", odd),) if odd else ()
        yield Verdict(f"gate: {name}", bool(odd), "known runs", red, "", 0.0)


def _checked(sound: Pass) -> Pass:
    for red in (detection for gate in GATES for detection in gate(sound, sound)):
        raise DatasetError(f"{red.gate} is red without any fault: {red.measured}")
    return sound


def _verdict(fault: Fault, sound: Pass, broken: Pass, did: str, seconds: float) -> Verdict:
    """Ask every gate about a broken pass."""
    red = tuple(detection for gate in GATES for detection in gate(sound, broken))
    caught = fault.must_turn_red in {detection.gate for detection in red}
    return Verdict(fault.name, caught, fault.must_turn_red, red, did, seconds)


def _line(verdict: Verdict) -> str:
    status = "caught" if verdict.caught else "MISSED"
    said = next((d.measured for d in verdict.red if d.gate == verdict.wanted), verdict.effect)
    measured = said.replace("\n", " ")
    shown = measured if len(measured) <= _SHOWN else measured[: _SHOWN - 1] + "…"
    return f"{status} {verdict.fault} | {verdict.wanted} | {shown}"


if __name__ == "__main__":
    sys.exit(main())
