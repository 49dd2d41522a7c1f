"""What programs are told to ask: which questions, of which split, about which vault."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evals.labels import dataset
from evals.labels.dataset import SPLITS, Question
from evals.labels.training_questions import TEXTS
from retrieval.errors import DatasetError

if TYPE_CHECKING:  # so that evals.lint, which loads no model, can read where vaults are
    from retrieval.context import SearchContext

RULES = Path(__file__).parents[1] / "datasets" / "rules.jsonl"
RULES_VAULT = Path(__file__).parents[2] / "vault"  # what the questions of RULES are about
REWORDED = RULES.parent / "reworded"  # a file for each vault
_VAULTS = Path(__file__).parents[1] / "vaults"
HANDBOOK = _VAULTS / "handbook"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what is asked of which vault."""
    parser.add_argument("--dataset", type=Path, default=RULES, help="questions, JSONL or JSON")
    parser.add_argument("--split", choices=SPLITS, help="only the questions of this split")
    parser.add_argument(
        "--vault", type=Path, help="index this folder for the measurement only; default: the index"
    )
    parser.add_argument("--top-k", type=_passages, help="passages; default: RAG_TOP_K")


def share(text: str) -> float:
    """Return the value of an option that is a share; ArgumentTypeError where it is not 0 to 1."""
    if not 0 <= float(text) <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not 0 to 1")
    return float(text)


def chosen(path: Path, split: str | None, *, answerable: bool = True) -> list[Question]:
    """Return the questions of a split; DatasetError where there is none, or none `answerable`."""
    questions = [q for q in dataset.load(path) if split is None or q.split == split]
    if not any(question.answerable or not answerable for question in questions):
        what = "answerable question" if answerable else "question"
        raise DatasetError(f"{path}: no {what} of split {split or 'all'}")
    return questions


def vault_of(context: "SearchContext", path: Path) -> Path | None:
    """Return the folder that a dataset is about where it is known not to be VAULT; else None."""
    other = context.settings.vault.resolve() != RULES_VAULT.resolve()
    return RULES_VAULT if other and path.resolve() == RULES.resolve() else None


def folder_named(name: str) -> Path:
    """Return the vault of evals/vaults or the training texts of that name; else the sample."""
    folders = (_VAULTS / name, TEXTS / name)
    return next((folder for folder in folders if folder.is_dir()), RULES_VAULT)


def _passages(text: str) -> int:
    if not 1 <= int(text) <= 50:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to 50")
    return int(text)
