"""Where the vault is that a dataset is about, by its name."""

from pathlib import Path

from evals.labels.training_questions import TEXTS

REWORDED = Path(__file__).parents[1] / "datasets" / "reworded"  # a file for each vault
_VAULTS = Path(__file__).parents[1] / "vaults"
_SAMPLE = Path(__file__).parents[2] / "vault"


def folder_named(name: str) -> Path:
    """Return the vault of evals/vaults or the training texts of that name; else the sample."""
    folders = (_VAULTS / name, TEXTS / name)
    return next((folder for folder in folders if folder.is_dir()), _SAMPLE)
