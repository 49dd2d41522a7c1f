"""What is asked of which texts: both sample vaults, and two collections that packages carry.

Of these nothing is copied into the repository: they are read where they are installed, and their
questions are made by a grammar when they are asked, so nobody has reviewed them.
"""

import importlib.util
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from pydoc_data.topics import topics

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
_ENTRY = re.compile(  # a name with its arguments, and the first sentence below it
    r"^([a-z_]+(?:\.\w+)+)\(.*\)\n\n   ([A-Z](?:.|\n   (?=\S)){30,300}?\.)(?=\s|$)", re.MULTILINE
)
SETS = {  # where each is from, and its licence
    "sample": "vault/ of this repository, questions of the gate split, CC BY 4.0",
    "handbook": "evals/vaults/handbook, questions of the gate split, CC BY 4.0",
    "python": "the language reference in Python's pydoc_data, PSF licence; questions by a grammar "
    "from its entries, half by name and half by what they do",
    "skills": "Markdown carried by fastapi (MIT), typer (MIT) and playwright (Apache-2.0); "
    "questions by evals.draft, nobody reviewed them",
}


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Texts in a folder that may be edited, questions that they answer, and off-topic ones."""

    name: str
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
        rows = _reference(texts) if name == "python" else _skills(texts)
        listed.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    files = {file.path: file.text for file in vault.read(texts).files}
    gate = [one for one in dataset.load(listed) if one.split == "gate" and not one.history]
    asked = dataset.resolved([one for one in gate if one.answerable], files)
    off_topic = [one.question for one in gate if one.kind == "offtopic"]
    return QuestionSet(name, texts, tuple(asked[:limit]), tuple(off_topic[:limit]), files)


def _reference(folder: Path) -> Iterator[dict[str, object]]:
    """Write a file for each topic, its headings as Markdown's; yield questions of its entries."""
    folder.mkdir(parents=True)
    texts = {
        f"{name}.md": re.sub(r"^(\S.*)\n([*=~-])\2{3,}$", r"# \1", text, flags=re.MULTILINE)
        for name, text in sorted(topics.items())
    }
    entries: dict[str, str] = {}
    for path, text in texts.items():
        (folder / path).write_text(text, "utf-8")
        entries |= {match[2]: match[1] for match in _ENTRY.finditer(text)}
    for number, (said, name) in enumerate(sorted(entries.items(), key=lambda pair: pair[1])):
        what = " ".join(said.split())
        does = f"{what[0].lower()}{what[1:-1]}"
        asked = f"What does {name}() do?" if number % 2 else f"Which one does this: {does}?"
        golds = [[{"path": path, "quote": what}] for path, text in texts.items() if said in text]
        yield {
            "id": f"{name}-{number}", "question": asked, "kind": "prose", "answer": what,
            "gold": golds[0], "alt": golds[1:], "split": "gate",
        }  # fmt: skip


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
