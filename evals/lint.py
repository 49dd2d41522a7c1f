"""Check the labels of the datasets against their vaults, and the vaults' chunks, without a model.

Without arguments both, of all datasets. --dataset: the labels of one; --vault alone: the chunks of
one. Exit status: 0 nothing was found; 1 something was; 2 something could not be checked, which is
never a pass.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from evals.labels import chunk_checks, dataset, quote_locations, wording
from evals.labels.dataset import SPLITS, Question
from evals.labels.options import REWORDED, folder_named
from evals.labels.quote_locations import Pages
from evals.labels.training_questions import TEXTS
from retrieval import exit_status
from retrieval.errors import DatasetError
from retrieval.text.normalize import comparable, fold

_ROOT = Path(__file__).parents[1]
_DATASETS = _ROOT / "evals" / "datasets"
EVERYDAY = _ROOT / "retrieval" / "refusal" / "off_topic_questions.txt"
_RULES = "rules"  # what datasets call the sample vault
_FAILED = "evals.lint: nothing was checked"


def lint(path: Path, folder: Path) -> list[str]:
    """Return what is wrong with a dataset's labels, as "file:line: what", in its order.

    Raises DatasetError or VaultError where nothing can be checked.
    """
    about = _RULES if folder.resolve() == (_ROOT / "vault").resolve() else folder.name
    questions = [one for one in dataset.load(path) if one.vault in ("", about)]
    others = _asked_elsewhere(about) if path.resolve().parent == REWORDED else []
    pages = quote_locations.read(folder)
    ours = not _borrowed(path)
    found = [(item, what) for item in questions for what in _label_faults(item, pages, ours)]
    found += _shared_quotes([*others, *questions])
    # One word that is typed is a part of many questions, and no double of any.
    found += wording.duplicate_faults([one for one in [*others, *questions] if not one.vault])
    found += wording.twin_faults(questions, EVERYDAY.read_text("utf-8").splitlines())
    found = [finding for finding in found if finding[0] not in others]
    found.sort(key=lambda finding: finding[0].line)
    place = ":" if ours else ": question "
    return [f"{path}{place}{item.line}: {item.id}: {what}" for item, what in found]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return exit_status.of(_FAILED, lambda: _checked(args))


def _checked(args: argparse.Namespace) -> int:
    labels: list[tuple[Path, Path]] = []  # each dataset with its vault
    vaults: Iterable[Path] = ()  # whose chunks are checked
    if args.dataset:
        labels = [(args.dataset, args.vault)] if args.vault else list(_vaults_of(args.dataset))
    elif args.vault:
        vaults = [args.vault]
    else:
        labels = [label for path in _committed() for label in _vaults_of(path)]
        folders = dict.fromkeys(folder for _, folder in labels)
        vaults = [folder for folder in folders if folder.resolve().parent != TEXTS]
    checks = [partial(_checked_labels, path, folder) for path, folder in labels]
    checks += [partial(_checked_chunks, folder, args.encoder) for folder in vaults]
    return max(exit_status.of(_FAILED, partial(_status, check)) for check in checks)


def _status(check: Callable[[], tuple[Sequence[str], str]]) -> int:
    """Print what a check finds, then what it was about; return its exit status."""
    findings, about = check()
    print(*findings, about, sep="\n")
    return 1 if findings else 0


def _checked_labels(path: Path, folder: Path) -> tuple[Sequence[str], str]:
    findings = lint(path, folder)
    return findings, f"{path}: {len(findings)} findings against {folder}"


def _checked_chunks(folder: Path, encoder: str) -> tuple[Sequence[str], str]:
    report = chunk_checks.lint(folder, encoder)
    return report.findings, f"{folder}: {len(report.findings)} findings in {report.chunks} chunks"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.lint", description=__doc__)
    parser.add_argument("--dataset", type=Path, help="questions; default: all of evals/datasets")
    parser.add_argument("--vault", type=Path, help="the dataset's; default: evals/vaults/NAME "
                        "for NAME.jsonl where that exists, else vault")  # fmt: skip
    parser.add_argument("--encoder", default="bundled", help="whose limits hold: folder or hub id")
    return parser.parse_args(argv)


def _committed() -> list[Path]:
    paths = sorted(_shown(path) for path in _DATASETS.glob("*.jsonl"))
    if not paths:
        raise DatasetError(f"no dataset in {_shown(_DATASETS)}")
    others = [*_DATASETS.glob("lists/*.jsonl"), *REWORDED.glob("*.jsonl")]
    return [*paths, *sorted(_shown(path) for path in others)]


def _asked_elsewhere(about: str) -> list[Question]:
    """The questions about a vault that stand in the datasets of all others."""
    return [one for path in sorted(_DATASETS.glob("*.jsonl")) for one in dataset.load(path)
            if (one.vault or path.stem) == about]  # fmt: skip


def _vaults_of(path: Path) -> Iterator[tuple[Path, Path]]:
    """A dataset with each vault that it is about: those it names, else the one of its own name."""
    named = sorted({question.vault for question in dataset.load(path)} - {""})
    for name in named or [path.stem]:
        yield path, _shown(folder_named(name))


def _shown(path: Path) -> Path:
    """A path as a person at this folder would type it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _borrowed(path: Path) -> bool:
    """Whether it is a list as others keep them: no kinds, no splits, and whole files as golds."""
    return path.read_text("utf-8-sig").lstrip().startswith("[")


def _label_faults(item: Question, pages: Pages, ours: bool) -> Iterator[str]:
    if ours:
        yield from _field_faults(item)
        yield from _forbidden_faults(item, pages)
    for gold in (gold for golds in item.places for gold in golds):
        if ours or gold.quote:
            least = 1 if item.vault else quote_locations.SHORTEST
            yield from quote_locations.quote_faults(gold, pages, shortest=least)
        elif gold.path not in pages:
            yield f"{gold.path!r} is no file of the vault"
    for pattern in item.absent:
        yield from quote_locations.absence_faults(pattern, pages)
    if item.kind == "paraphrase":
        yield from wording.paraphrase_faults(item, pages)
    yield from wording.personal_faults(item)


def _field_faults(item: Question) -> Iterator[str]:
    if item.split not in SPLITS:
        yield f"split is {item.split!r}, not {' or '.join(SPLITS)}"
    if item.critical and item.split != "gate":
        yield f"critical, but its split is {item.split!r}: only the gate loses by it"
    if item.vault:  # measured by its gold lines alone (evals.reply)
        if not item.answer:
            yield f"kind {item.kind!r} without answer"
        return
    if item.answerable:
        wanted = {"answer": item.answer, "must_include": item.must_include}
        unwanted = {"why_unanswerable": item.why_unanswerable, "absent": item.absent}
    else:
        wanted = {"why_unanswerable": item.why_unanswerable, "absent": item.absent}
        unwanted = {"answer": item.answer, "must_include": item.must_include}
    yield from (f"kind {item.kind!r} without {name}" for name in wanted if not wanted[name])
    yield from (f"kind {item.kind!r} with {name}" for name in unwanted if unwanted[name])
    if item.kind == "multi" and len(item.places[0]) < 2:
        yield "kind 'multi' with one gold: name two, or change the kind"
    if item.answerable and item.answer:
        yield from _answer_faults(item)


def _forbidden_faults(item: Question, pages: Pages) -> Iterator[str]:
    """Yield what makes a forbidden file guard nothing, or forbid the answer itself."""
    needed = {gold.path for golds in item.places for gold in golds}
    for path in item.forbidden:
        if not item.answerable:
            yield f"forbids {path!r}, but a question without an answer is not judged by its files"
        elif path not in pages:
            yield f"forbids {path!r}, which is no file of the vault"
        elif path in needed:
            yield f"forbids {path!r}, which holds the answer"


def _answer_faults(item: Question) -> Iterator[str]:
    """Score the expected answer as a reply would be: letter case and typography do not count."""
    answer = _plain(item.answer)
    for entry in item.must_include:
        alternatives = [_plain(alternative) for alternative in entry.split("|")]
        if not all(alternatives):
            yield f"must_include {entry!r} has an empty alternative, which every answer includes"
        elif not any(alternative in answer for alternative in alternatives):
            yield f"must_include {entry!r} is not in the answer {item.answer!r}"
    for entry in item.must_not_include:
        if any(_plain(alternative) in answer for alternative in entry.split("|")):
            yield f"must_not_include {entry!r} is in the answer {item.answer!r}"


def _plain(text: str) -> str:
    return fold(text).casefold().strip()


def _shared_quotes(questions: Sequence[Question]) -> Iterator[tuple[Question, str]]:
    """Yield each quote that equals, holds or is inside of an earlier one of another split."""
    seen: dict[str, list[tuple[str, Question]]] = {}  # by path
    for item in questions:
        for gold in (gold for golds in item.places for gold in golds):
            quote, others = comparable(gold.quote), seen.setdefault(gold.path, [])
            for text, other in others:
                if item.split != other.split and quote and (quote in text or text in quote):
                    shown = quote_locations.shortened(min(quote, text, key=len))
                    where = f"{other.id} (line {other.line}), which is in {other.split}"
                    yield item, f'shares the quote "{shown}" with {where}'
            others.append((quote, item))


if __name__ == "__main__":
    sys.exit(main())
