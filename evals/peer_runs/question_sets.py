"""What is asked of which texts: both sample vaults, and Markdown that packages carry.

Of that nothing is copied into the repository: it is read where it is installed, and its questions
are made by a grammar when they are asked, so nobody has reviewed them.
"""

import importlib.util
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evals.drafting import candidates, selection
from evals.labels import dataset, quote_locations
from evals.labels.dataset import Question
from evals.labels.options import HANDBOOK, RULES, RULES_VAULT
from ingest.read import vault
from retrieval.errors import DatasetError

_PARTS = {  # of a package, with the folder in it that holds Markdown
    "fastapi": ".agents/skills", "typer": ".agents/skills",
    "playwright": "driver/package/lib/tools/skills",
}  # fmt: skip
_DRAFTS = 100
SETS = {  # where each is from, and its licence
    "sample": "vault/ of this repository, questions of the gate split, CC BY 4.0",
    "handbook": "evals/vaults/handbook, questions of the gate split, CC BY 4.0",
    "skills": "Markdown carried by fastapi (MIT), typer (MIT) and playwright (Apache-2.0); "
    "questions by evals.draft, nobody reviewed them",
}


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Texts in a folder that may be edited, questions that they answer, and off-topic ones."""

    folder: Path
    questions: tuple[Question, ...]
    off_topic: tuple[str, ...]
    files: Mapping[str, str]


def written(name: str, folder: Path, limit: int | None = None) -> QuestionSet:
    """Write the texts of a set below `folder` and return it, with at most `limit` questions.

    Raises DatasetError where a package that carries them is not installed.
    """
    texts, listed = folder / "texts", folder / "questions.jsonl"
    if name in ("sample", "handbook"):
        source = RULES_VAULT if name == "sample" else HANDBOOK
        listed = RULES if name == "sample" else RULES.with_name("handbook.jsonl")
        shutil.copytree(source, texts)
    else:
        rows = _skills(texts)
        listed.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    files = {file.path: file.text for file in vault.read(texts).files}
    gate = [one for one in dataset.load(listed) if one.split == "gate" and not one.history]
    asked = dataset.resolved([one for one in gate if one.answerable], files)
    off_topic = [one.question for one in gate if one.kind == "offtopic"]
    return QuestionSet(texts, tuple(asked[:limit]), tuple(off_topic[:limit]), files)


def _skills(folder: Path) -> Iterator[dict[str, object]]:
    for package, part in _PARTS.items():
        found = importlib.util.find_spec(package)
        source = Path(found.origin).parent / part if found and found.origin else None
        if not source or not source.is_dir():
            raise DatasetError(f"{package} with its Markdown is not installed; run: make setup")
        for file in source.rglob("*.md"):
            copy = folder / package / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
    found_all = candidates.of_vault(vault.read(folder).files)
    drafted = selection.select(found_all, quote_locations.read(folder), _DRAFTS, 1)
    for draft in drafted.drafts:
        yield json.loads(selection.row(draft)) | {"status": "accepted"}
