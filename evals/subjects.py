"""Measure refusal over fifteen other vaults: is a question about these rules at all?

The training texts and the handbook are the vaults. The questions in evals/datasets/subjects were
written for this by people who had not seen the refusal: answerable ones, everyday matters, and
words of the rules in another sense. What is fitted for the sample vault has no part in it: each
vault is judged by the limit that the others give. The encoder has seen eleven of them, and the
stages' weights are half of three others; the handbook is new to both. An answerable question counts
where search returns its line.

Nothing here is a gate. Exit status: 0 measured; 2 nothing could be measured.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import numpy as np
from scipy.stats import mannwhitneyu

from evals import retrieval
from evals.labels import dataset, extra_vaults
from evals.retrieval import RULES
from retrieval.context import SearchContext, open_context
from retrieval.errors import DatasetError, RulesError
from retrieval.refusal import off_topic
from retrieval.refusal.off_topic import Signals
from retrieval.settings import load

QUESTIONS = RULES.with_name("subjects")
VAULTS = (Path("training/texts"), Path(__file__).with_name("vaults"))
_FOUND, _EVERYDAY, _SENSE = "answerable", "everyday", "sense"
_SHARES = (0.02, 0.03, 0.05, 0.08)  # of answerable questions, refused by a limit for all vaults
_AIM = 0.05  # the share that the shipped limit is made of

Read = Callable[[Signals], float]
Values = Mapping[str, Sequence[float]]  # by group of questions


@dataclass(frozen=True, slots=True)
class SubjectQuestion:
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
        with open_context(load()) as opened, TemporaryDirectory() as folder:
            context = replace(opened, threshold=-math.inf)
            asked = list(measured(context, args.questions, Path(folder)))
    except RulesError as error:
        print(f"evals.subjects: nothing was measured: {error}", file=sys.stderr)
        return 2
    print(report(asked))
    return 0


def measured(context: SearchContext, questions: Path, folder: Path) -> Iterator[SubjectQuestion]:
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
        extra_vaults.stripped(source, folder / file.stem)
        groups: dict[str, list[Signals]] = {_FOUND: [], _EVERYDAY: [], _SENSE: []}
        with retrieval.subject(context, folder / file.stem) as subject:
            for one in retrieval.evaluate(context, subject, dataset.load(file)):
                given = off_topic.signals(one.found)
                if given is None or (one.judgement and not one.judgement.hit):
                    continue
                groups[_group(one.question.id, answerable=one.question.answerable)].append(given)
        yield SubjectQuestion(file.stem, {name: tuple(found) for name, found in groups.items()})


def _group(name: str, *, answerable: bool) -> str:
    if answerable:
        return _FOUND
    return _EVERYDAY if f"-{_EVERYDAY}-" in name else _SENSE


def report(asked: Sequence[SubjectQuestion]) -> str:
    """Return tables as Markdown: each vault by the others' limit, and limits for all of them.

    Raises DatasetError where a group of questions is empty, and for fewer than two vaults.
    """
    for one in asked:
        if empty := [name for name, found in one.signals.items() if not found]:
            raise DatasetError(f"{one.vault}: none of the questions of {empty} says anything")
    if len(asked) < 2:
        raise DatasetError(f"{len(asked)} vault: there are no others to take a limit from")
    lines = []
    for name, read in (("words and vectors", off_topic.subject), ("vectors alone", _vector)):
        lines += [
            f"{name}, each vault by the limit of the others:",
            "",
            *_held_out(asked, read),
            "",
        ]
        lines += [f"{name}, one limit for all:", "", *_limits(_values(asked, read)), ""]
    return "\n".join(lines)


def _held_out(asked: Sequence[SubjectQuestion], read: Read) -> list[str]:
    lines = [
        "| vault | n | area under the curve | limit | " + _heads(asked[0].signals),
        "|---" * (4 + len(asked[0].signals)) + "|",
    ]
    found: dict[str, list[bool]] = {name: [] for name in asked[0].signals}
    areas = []
    for one in asked:
        others = _values([other for other in asked if other is not one], read)
        limit = float(np.quantile(others[_FOUND], _AIM))
        values = _values([one], read)
        for name, group in values.items():
            found[name] += [value < limit for value in group]
        areas.append(_area(values))
        counts = " + ".join(str(len(group)) for group in values.values())
        shares = _cells(_refused(values, limit))
        lines.append(f"| {one.vault} | {counts} | {areas[-1]:.3f} | {limit:.3f} | {shares}")
    counts = " + ".join(str(len(group)) for group in found.values())
    shares = _cells({name: fmean(group) for name, group in found.items()})
    return [*lines, f"| all | {counts} | {fmean(areas):.3f} (mean) | | {shares}"]


def _limits(values: Values) -> list[str]:
    lines = ["| limit | " + _heads(values), "|---" * (1 + len(values)) + "|"]
    for share in _SHARES:
        limit = float(np.quantile(values[_FOUND], share))
        lines.append(f"| {limit:.3f} | {_cells(_refused(values, limit))}")
    return lines


def _vector(given: Signals) -> float:
    return off_topic.subject(replace(given, covered=None))


def _values(asked: Sequence[SubjectQuestion], read: Read) -> Values:
    names = asked[0].signals
    return {name: [read(given) for one in asked for given in one.signals[name]] for name in names}


def _refused(values: Values, limit: float) -> dict[str, float]:
    return {name: fmean(value < limit for value in found) for name, found in values.items()}


def _area(values: Values) -> float:
    """How often an answerable question is above one of the others, 0 to 1; ties count half."""
    others = [*values[_EVERYDAY], *values[_SENSE]]
    above = mannwhitneyu(values[_FOUND], others).statistic
    return float(above) / (len(values[_FOUND]) * len(others))


def _heads(groups: Iterable[str]) -> str:
    return " | ".join(f"{name} refused" for name in groups) + " |"


def _cells(shares: Mapping[str, float]) -> str:
    return " | ".join(f"{share:.3f}" for share in shares.values()) + " |"


if __name__ == "__main__":
    sys.exit(main())
