"""Measure refusal over vaults that nothing was fitted on: is a question about these rules at all?

The training texts and the handbook are the vaults. The questions in evals/datasets/subjects were
written for this by people who had not seen the refusal: answerable ones, everyday matters, and
words of the rules in another sense. What is fitted for the sample vault has no part in it: the
limits are those of every other vault. An answerable question counts where search returns its line.

Nothing here is a gate. Exit status: 0 measured; 2 nothing could be measured.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import numpy as np
from scipy.stats import mannwhitneyu

from api import refusal
from api.refusal import Fit, Signals
from evals import beside, dataset, retrieval
from evals.retrieval import RULES
from retrieval.errors import DatasetError, RulesError
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.settings import load

QUESTIONS = RULES.with_name("subjects")
VAULTS = (Path("training"), Path(__file__).with_name("vaults"))
_FOUND, _EVERYDAY, _SENSE = "answerable", "everyday", "sense"
_SHARES = (0.02, 0.03, 0.05, 0.08)  # of answerable questions, refused by a limit for all vaults

Values = Mapping[str, Sequence[float]]  # by group of questions


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of one vault that say something, by their group."""

    vault: str
    signals: Mapping[str, tuple[Signals, ...]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.subjects", description=__doc__)
    parser.add_argument(
        "--questions", type=Path, default=QUESTIONS, help="a folder, one file a vault"
    )
    args = parser.parse_args(argv)
    try:
        with open_rulebook(load()) as opened, TemporaryDirectory() as folder:
            rules = replace(opened, threshold=-math.inf)
            asked = list(measured(rules, args.questions, Path(folder)))
    except RulesError as error:
        print(f"evals.subjects: nothing was measured: {error}", file=sys.stderr)
        return 2
    print(report(asked))
    return 0


def measured(rules: Rulebook, questions: Path, folder: Path) -> Iterator[Asked]:
    """Index each vault below `folder`, ask its questions, and yield what was found.

    Raises DatasetError where `questions` holds no file, or one whose vault is not there.
    """
    files = sorted(questions.glob("*.jsonl"))
    if not files:
        raise DatasetError(f"no *.jsonl in {str(questions)!r}")
    for file in files:
        source = next((base / file.stem for base in VAULTS if (base / file.stem).is_dir()), None)
        if source is None:
            raise DatasetError(
                f"{file}: no folder {file.stem!r} in {[str(base) for base in VAULTS]}"
            )
        beside.stripped(source, folder / file.stem)
        groups: dict[str, list[Signals]] = {_FOUND: [], _EVERYDAY: [], _SENSE: []}
        with retrieval.subject(rules, folder / file.stem) as subject:
            for one in retrieval.evaluate(rules, subject, dataset.load(file)):
                given = refusal.signals(one.found)
                if given is None or (one.judgement and not one.judgement.hit):
                    continue
                groups[_group(one.question.id, answerable=one.question.answerable)].append(given)
        yield Asked(file.stem, {name: tuple(found) for name, found in groups.items()})


def _group(name: str, *, answerable: bool) -> str:
    if answerable:
        return _FOUND
    return _EVERYDAY if f"-{_EVERYDAY}-" in name else _SENSE


def report(asked: Sequence[Asked]) -> str:
    """Return two tables as Markdown: each vault at the limits it has, all of them at others.

    Raises DatasetError where a group of questions is empty.
    """
    for one in asked:
        if empty := [name for name, found in one.signals.items() if not found]:
            raise DatasetError(f"{one.vault}: none of the questions of {empty} says anything")
    lines = [
        "| vault | n | area under the curve | " + _heads(asked),
        "|---" * 6 + "|",
    ]
    for one in asked:
        values = _values([one], refusal.subject)
        counts = " + ".join(str(len(found)) for found in values.values())
        refused = _refused(_values([one], lambda given: refusal.evidence(given, Fit())), 0.0)
        lines.append(f"| {one.vault} | {counts} | {_area(values):.3f} | {_cells(refused)}")
    for name, read in (("words and vectors", refusal.subject), ("vectors alone", _vector)):
        areas = [_area(_values([one], read)) for one in asked]
        lines += ["", f"{name}: mean area {fmean(areas):.3f}; one limit for all vaults:", "",
                  "| limit | " + _heads(asked),
                  "|---" * 4 + "|"]  # fmt: skip
        values = _values(asked, read)
        for share in _SHARES:
            limit = float(np.quantile(values[_FOUND], share))
            lines.append(f"| {limit:.3f} | {_cells(_refused(values, limit))}")
    return "\n".join(lines)


def _vector(given: Signals) -> float:
    return refusal.subject(replace(given, covered=None))


def _values(asked: Sequence[Asked], read: Callable[[Signals], float]) -> Values:
    names = asked[0].signals
    return {name: [read(given) for one in asked for given in one.signals[name]] for name in names}


def _refused(values: Values, limit: float) -> dict[str, float]:
    return {name: fmean(value < limit for value in found) for name, found in values.items()}


def _area(values: Values) -> float:
    """How often an answerable question is above one of the others, 0 to 1; ties count half."""
    others = [*values[_EVERYDAY], *values[_SENSE]]
    above = mannwhitneyu(values[_FOUND], others).statistic
    return float(above) / (len(values[_FOUND]) * len(others))


def _heads(asked: Sequence[Asked]) -> str:
    return " | ".join(f"{name} refused" for name in asked[0].signals) + " |"


def _cells(shares: Mapping[str, float]) -> str:
    return " | ".join(f"{share:.3f}" for share in shares.values()) + " |"


if __name__ == "__main__":
    sys.exit(main())
