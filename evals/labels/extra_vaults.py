"""Questions over the training texts that the encoder has not seen: more rules to fit weights on.

Weights that are fitted on one vault follow it. What suits several suits the next one better.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.fitting import stage_weights
from evals.fitting.stage_weights import Example
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.labels.training_questions import stripped
from evals.measure.evaluation import evaluate
from evals.measure.subject import subject
from retrieval.context import SearchContext
from retrieval.errors import DatasetError

# Written after the shipped encoder was trained (docs/experiments.md, E17); the others it has seen.
COLLECTIONS = ("fantasy-f", "services-c", "tables-b")
# One question of so many is asked, over 1,000 in all. Most lines have two, the first in their own
# words: an even step would ask mostly one kind.
_EACH = 7


@dataclass(frozen=True, slots=True)
class Rules:
    """A collection as a vault, without its questions, and those of them that are asked."""

    name: str
    vault: Path
    questions: tuple[Question, ...]


def write(training: Path, folder: Path) -> list[Rules]:
    """Write the collections of `training` below `folder` and return them with their questions.

    Raises DatasetError where one of them is not there or holds no questions.
    """
    return [_written(training / name, folder / name) for name in COLLECTIONS]


def examples(context: SearchContext, asked: Sequence[Rules]) -> dict[str, list[Example]]:
    """Index and search each collection, and return what weights are fitted on, by its name.

    Raises DatasetError for a collection none of whose lines is found.
    """
    found = {}
    for one in asked:
        with subject(context, one.vault) as measured:
            outcomes = list(evaluate(context, measured, one.questions))
            found[one.name] = stage_weights.examples(outcomes, measured)
        if not found[one.name]:
            raise DatasetError(f"{one.name}: search finds the line of none of its questions")
    return found


def _written(source: Path, target: Path) -> Rules:
    if not source.is_dir():
        raise DatasetError(f"no folder {str(source)!r}; name another with --beside, or none")
    rows = []
    for text, questions in stripped(source, target):
        lines = text.text.split("\n")
        rows += [
            {"question": one.text, "source": text.path,
             "expectedChunkSubstring": lines[one.answer - 1].strip()}
            for one in questions
        ]  # fmt: skip
    listed = target.with_name(f"{target.name}.json")
    listed.write_text(json.dumps(rows[::_EACH]), "utf-8")
    return Rules(source.name, target, tuple(dataset.load(listed)))
