"""Measure the replies to questions over several vaults: the right card first, shown, complete.

The sets: labelled (rules.jsonl and handbook.jsonl), typed (what people type, over the same two
vaults), and foreign (two vaults that nothing was ever fitted on). Nothing here is a gate; what of
it is one is in evals.retrieval.

Exit status: 0 measured; 2 nothing could be measured.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.labels import dataset
from evals.labels.dataset import SPLITS, Question
from evals.measure import replies
from evals.measure.outcome import Outcome
from evals.measure.stats import wilson
from evals.retrieval import RULES, RULES_VAULT, evaluate, subject
from retrieval.context import SearchContext, open_context
from retrieval.errors import DatasetError, RulesError
from retrieval.settings import load

_VAULTS = Path(__file__).with_name("vaults")
_FOREIGN = RULES.parent / "foreign"


@dataclass(frozen=True, slots=True)
class RepliedQuestion:
    """The questions of one vault: a dataset, or the part of it that is about this vault."""

    name: str
    vault: Path
    questions: tuple[Question, ...]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.reply", description=__doc__)
    parser.add_argument("set", choices=("labelled", "typed", "foreign"), nargs="?", default="typed")
    parser.add_argument("--split", choices=SPLITS, default="gate", help="foreign ones are all gate")
    parser.add_argument("--json", type=Path, help="write a line a question to this file, too")
    parser.add_argument("--quiet", action="store_true", help="print the tables alone")
    args = parser.parse_args(argv)
    try:
        outcomes: list[Outcome] = []
        with open_context(load()) as context:
            for asked in sets(args.set, args.split):
                found = list(_measured(context, asked, quiet=args.quiet))
                print(f"\n{asked.name}\n{report(found)}\n")
                outcomes += found
    except RulesError as error:
        print(f"evals.reply: nothing was measured: {error}", file=sys.stderr)
        return 2
    print(f"\nall together\n{report(outcomes)}")
    if args.json:
        args.json.write_text("".join(json.dumps(record(one)) + "\n" for one in outcomes), "utf-8")
    return 0


def sets(name: str, split: str) -> list[RepliedQuestion]:
    """Return the vaults of a set with their questions. Raises DatasetError where there are none."""
    if name == "foreign":
        found = [
            RepliedQuestion(f.stem, _VAULTS / f.stem, _of(f))
            for f in sorted(_FOREIGN.glob("*.jsonl"))
        ]
    elif name == "typed":
        typed = _of(RULES.with_name("typed.jsonl"), split)
        found = [
            RepliedQuestion(f"typed, {vault}", folder, tuple(q for q in typed if q.vault == vault))
            for vault, folder in (("rules", RULES_VAULT), ("handbook", _VAULTS / "handbook"))
        ]
    else:
        found = [
            RepliedQuestion("rules", RULES_VAULT, _of(RULES, split)),
            RepliedQuestion(
                "handbook", _VAULTS / "handbook", _of(RULES.with_name("handbook.jsonl"), split)
            ),
        ]
    if not any(asked.questions for asked in found):
        raise DatasetError(f"the set {name!r} has no question of split {split!r}")
    return found


def report(outcomes: Sequence[Outcome]) -> str:
    """Return tables as Markdown: the cards by kind, what has no answer, and the confidence."""
    lines = [
        "| kind | n | search 1st | 1st card | search any | shown | complete | nearest | refused | "
        "words: median, mean |",
        "|---" * 10 + "|",
    ]
    kinds = sorted({one.question.kind for one in outcomes if one.question.answerable})
    groups = {"all": list(outcomes)}
    groups |= {kind: [one for one in outcomes if one.question.kind == kind] for kind in kinds}
    for name, group in groups.items():
        found = replies.cards(group)
        if found:
            low, high = wilson(round(found.first * found.n), found.n)
            lines.append(
                f"| {name} | {found.n} | {found.first_hit:.3f} | {found.first:.3f} "
                f"({low:.2f} to {high:.2f}) | {found.any_hit:.3f} | {found.shown:.3f} | "
                f"{found.complete:.3f} | {found.nearest:.3f} | {found.refused:.3f} | "
                f"{found.median_words:.0f}, {found.mean_words:.0f} |"
            )
    lines += ["", "| has no answer | n | answered | nearest | refused |", "|---" * 5 + "|"]
    for kind, counts in replies.certainties(outcomes).items():
        n = sum(counts.values())
        shares = " | ".join(f"{count / n:.3f}" for count in counts.values())
        lines.append(f"| {kind} | {n} | {shares} |")
    held = replies.reliability(outcomes)
    if held:
        bins = ", ".join(f"{said:.2f}: {right:.2f}" for said, right, _ in held.bins)
        lines += [
            "",
            f"confidence (n = {held.n}): calibration error {held.error:.3f} (95 % of perfectly "
            f"calibrated ones are under {held.highest:.3f}), Brier {held.brier:.3f} (always the "
            f"mean: {held.base:.3f}); said and came true: {bins}",
        ]
    return "\n".join(lines)


def record(one: Outcome) -> dict[str, object]:
    """Return a question with what it was shown, as JSON has it."""
    reply = one.reply
    return {
        "id": one.question.id,
        "question": one.question.question,
        "kind": one.question.kind,
        "certainty": reply.certainty if reply else None,
        "confidence": reply.confidence if reply else None,
        "shown": asdict(one.shown) if one.shown else None,
        "cards": [f"{c.path}:{c.first_line}-{c.last_line}" for c in reply.cards] if reply else [],
    }


def _measured(context: SearchContext, asked: RepliedQuestion, *, quiet: bool) -> Iterator[Outcome]:
    live = asked.vault.resolve() == context.settings.vault.resolve()
    with subject(context, None if live else asked.vault) as measured:
        for one in evaluate(context, measured, asked.questions):
            if not quiet:
                print(_line(one), flush=True)
            yield one


def _line(one: Outcome) -> str:
    certainty = one.reply.certainty if one.reply else "none"
    state = "no answer exists"
    if one.shown:
        state = "FIRST" if one.shown.first else "SHOWN" if one.shown.anywhere else "MISSED"
        state += "" if one.shown.complete else ", not all"
    return f"{state} ({one.question.kind}, {certainty}) — {' '.join(one.question.question.split())}"


def _of(path: Path, split: str | None = None) -> tuple[Question, ...]:
    return tuple(q for q in dataset.load(path) if split is None or q.split == split)


if __name__ == "__main__":
    sys.exit(main())
