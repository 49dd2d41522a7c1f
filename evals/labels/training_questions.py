"""Questions of a training text: they are typed under the lines that answer them."""

from dataclasses import dataclass, replace
from pathlib import Path

from ingest.read import vault
from ingest.read.vault import SourceFile
from retrieval.errors import DatasetError
from retrieval.text.normalize import searchable

TEXTS = Path(__file__).parents[2] / "training" / "texts"
_MARK = "??"  # with a blank after it, at a line's start


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """A question of a training text."""

    path: str  # of the text, below its collection
    line: int  # the question's own, 1-based
    answer: int  # the line that answers, 1-based, of the text without questions
    text: str  # as it is embedded


def without_questions(file: SourceFile) -> tuple[SourceFile, list[TrainingQuestion], list[str]]:
    """Return a training text without its questions, these, and what is wrong, as "line: what".

    A question asks for the nearest line above it that is no question.
    """
    lines: list[str] = []
    asked, faults = [], []
    for number, line in enumerate(file.text.split("\n"), start=1):
        if not line.lstrip().startswith(_MARK):
            lines.append(line)
            continue
        text = searchable(line.lstrip().removeprefix(_MARK)).strip()
        if not line.startswith(_MARK + " ") or not text:
            faults.append(f"{number}: {line!r} is no question; write '?? ' and its words")
        elif not lines or not lines[-1].strip():
            faults.append(f"{number}: no line stands above {text!r}; move it below its answer")
        else:
            asked.append(TrainingQuestion(file.path, number, len(lines), text))
    return replace(file, text="\n".join(lines)), asked, faults


def stripped(source: Path, target: Path) -> list[tuple[SourceFile, list[TrainingQuestion]]]:
    """Write a folder of training texts below `target` without their questions; return both.

    Raises VaultError for a folder that is not there, DatasetError for a file or a question that
    cannot be read.
    """
    found = vault.read(source)
    if found.rejected:
        raise DatasetError("; ".join(f"{source}/{error}" for error in found.rejected))
    written = []
    for file in found.files:
        text, questions, faults = without_questions(file)
        if faults:
            raise DatasetError(f"{source / file.path}:{faults[0]}")
        path = target / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.text, "utf-8")
        written.append((text, questions))
    return written
