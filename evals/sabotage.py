"""Break search on purpose, one fault at a time, and demand that a named gate turns red.

The gate itself is broken, too: of every copy that lies a canary must say so. Nothing here touches
an index that answers anybody.

Exit status: 0 every fault was caught, or is known to be too small for so few questions; 1 a fault
or a lying gate was not noticed; 2 nothing could be measured, or the sound pipeline is red already.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from evals.faults import known_outcome_runs, run_pipeline
from evals.faults.detectors import GATES, Detection, Effect, Pass, effect
from evals.faults.known_outcome_runs import GateMutant
from evals.faults.of_cards import REPLY_FAULTS
from evals.faults.of_ingest import INDEX_FAULTS
from evals.faults.of_search import SEARCH_FAULTS
from evals.faults.replace import Fault
from evals.faults.run_pipeline import LARGE, SMALL, Ground
from evals.measure.outcome import Subject
from evals.retrieval import subject
from retrieval.context import SearchContext
from retrieval.errors import DatasetError, RulesError
from retrieval.settings import load

FAULTS = SEARCH_FAULTS + REPLY_FAULTS + INDEX_FAULTS
GROUNDS = {"small": SMALL, "large": LARGE}
_SHOWN = 100  # characters of what a gate measured


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one fault: "caught", "undetectable" or "missed", by whom, and what it did.

    `effect` is None where the pipeline refused to work.
    """

    fault: str
    ground: str
    status: str
    gates: tuple[Detection, ...]
    effect: Effect | None
    seconds: float

    @property
    def measured(self) -> str:
        """What the first gate measured, or how far from visible the effect was."""
        if self.gates:
            return self.gates[0].measured
        if self.effect is None:
            return "nothing, and no gate is red"
        did = self.effect
        return (
            f"undetectable at n = {did.n}: {did.moved} moved, {did.lost} lost, {did.gained} "
            f"gained; {did.detectable} lost would be seen"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    faults = [f for f in FAULTS if not args.fast or f.ground == "small"]
    faults = [f for f in faults if args.only is None or args.only in f.name]
    try:
        if not faults:
            raise DatasetError(f"no fault of this selection has {args.only!r} in its name")
        with run_pipeline.opened(load()) as context:
            verdicts, copies = _tried(context, faults, with_copies=args.only is None)
    except RulesError as error:
        print(f"evals.sabotage: nothing was measured: {error}", file=sys.stderr)
        return 2
    if args.json:
        rows = {"faults": [asdict(v) for v in verdicts], "gate_copies": [asdict(c) for c in copies]}
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return _summary(verdicts, copies)


def verdict(fault: Fault, sound: Pass, broken: Pass, seconds: float = 0.0) -> Verdict:
    """Ask every gate about a broken pass and return what came of it."""
    alarms = tuple(alarm for gate in GATES for alarm in gate(sound, broken))
    did = None if broken.error else effect(sound, broken)
    status = "caught" if alarms else "undetectable" if fault.subtle else "missed"
    return Verdict(fault.name, fault.ground, status, alarms, did, seconds)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.sabotage", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="only what the small vault can show")
    parser.add_argument("--only", metavar="TEXT", help="only the faults with this in their name")
    parser.add_argument("--json", type=Path, help="write all verdicts to this file")
    return parser.parse_args(argv)


def _tried(
    context: SearchContext, faults: Sequence[Fault], *, with_copies: bool
) -> tuple[list[Verdict], list[GateMutant]]:
    """Try the faults, each on its ground, and the copies of the gate on the small one."""
    verdicts: list[Verdict] = []
    copies: list[GateMutant] = []
    for name, ground in GROUNDS.items():
        here = [fault for fault in faults if fault.ground == name]
        lies = with_copies and name == "small"
        if here or lies:
            with _sound(context, ground) as (ready, sound):
                verdicts += _verdicts(context, here, ready, sound)
                copies += _copies(ready, sound) if lies else []
    return verdicts, copies


@contextmanager
def _sound(context: SearchContext, ground: Ground) -> Iterator[tuple[Subject, Pass]]:
    """Index a vault once and ask everything once.

    Raises DatasetError where a gate is red before anything was broken: it would be red after it.
    """
    with ExitStack() as stack:
        with run_pipeline.quiet():
            ready = stack.enter_context(subject(context, ground.vault))
        sound = run_pipeline.run(context, ground, ready=ready, checked=ground is not LARGE)
        for alarm in (alarm for gate in GATES for alarm in gate(sound, sound)):
            raise DatasetError(
                f"{ground.dataset.name}: {alarm.gate} is red without any fault: {alarm.measured}"
            )
        print(f"{ground.dataset.name}: {len(sound.outcomes)} questions, sound and green")
        yield ready, sound


def _verdicts(
    context: SearchContext, faults: Sequence[Fault], ready: Subject, sound: Pass
) -> Iterator[Verdict]:
    for fault in faults:
        started = monotonic()
        index = None if fault.index else ready
        ground = GROUNDS[fault.ground]
        broken = run_pipeline.run(context, ground, fault.swaps, ready=index, checked=fault.index)
        found = verdict(fault, sound, broken, monotonic() - started)
        print(_line(found), flush=True)
        yield found


def _copies(ready: Subject, sound: Pass) -> Iterator[GateMutant]:
    for copy in known_outcome_runs.tried(GROUNDS["small"], ready, sound.outcomes):
        print(f"{copy.status:<12} gate: {copy.name} | {copy.canary} | {copy.said}", flush=True)
        yield copy


def _line(found: Verdict) -> str:
    gates = ", ".join(dict.fromkeys(alarm.gate for alarm in found.gates)) or "-"
    measured = found.measured.replace("\n", " ")
    shown = measured if len(measured) <= _SHOWN else measured[: _SHOWN - 1] + "…"
    return f"{found.status:<12} {found.fault} | {gates} | {shown}"


def _summary(verdicts: Sequence[Verdict], copies: Sequence[GateMutant]) -> int:
    """Print what was not noticed and return the exit status."""
    counts = {s: [v for v in verdicts if v.status == s]
              for s in ("caught", "undetectable", "missed")}  # fmt: skip
    deaf = [copy for copy in copies if copy.status == "missed"]
    print()
    for found in counts["missed"]:
        print(f"GATE FAILED: nothing noticed: {found.fault}: {found.measured}")
    for copy in deaf:
        print(f"GATE FAILED: no canary noticed: {copy.name}: {copy.said}")
    shares = ", ".join(f"{len(found)} {status}" for status, found in counts.items())
    print(f"{len(verdicts)} faults: {shares}; {len(copies)} copies of the gate: {len(deaf)} missed")
    return 1 if counts["missed"] or deaf else 0


if __name__ == "__main__":
    sys.exit(main())
