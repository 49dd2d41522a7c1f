"""For writers: what an edit of the vault does to search. No gate: it reports.

Indexes two states of a vault, that of a git commit and that of the work tree, asks every question
of both, and prints in Markdown which passages changed and the edited lines that did it.
Exit status: 0 reported; 2 nothing could be measured.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.answers import program
from evals.impacts import changes, report, two_processes
from evals.impacts.changes import Impact
from evals.impacts.states import edits, file_of, prefix_of, shown, state_of
from evals.labels import dataset
from evals.labels.dataset import Question
from evals.labels.options import RULES_VAULT, add_options, chosen
from evals.measure.subject import subject
from evals.reports import ci
from ingest.read import vault
from retrieval.context import SearchContext, open_context
from retrieval.index import generations
from retrieval.settings import load
from retrieval.vault_files import ALIASES


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return program.measuring("evals.impact", lambda: _reported(args))


def _reported(args: argparse.Namespace) -> None:
    impact, name = _impact(args), shown(args.vault)
    text = report.markdown(impact, name)
    print(text)
    if os.environ.get("GITHUB_ACTIONS"):
        for mark in report.annotations(impact, prefix_of(args.vault)):
            print(mark)
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(text + "\n", "utf-8")
    ci.append_summary([text])


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.impact", description=__doc__)
    parser.add_argument("--base", required=True, metavar="REF", help="a commit: main, HEAD^1, …")
    add_options(parser)
    parser.add_argument("--out", type=Path, help="write the Markdown to this file, too")
    parser.set_defaults(vault=RULES_VAULT)  # a folder in a git tree
    return parser.parse_args(argv)


def _impact(args: argparse.Namespace) -> Impact:
    questions = chosen(args.dataset, args.split)
    with state_of(args.base, args.vault) as (commit, folder):
        then, now = _texts(folder), _texts(args.vault)
        changed = tuple(edits(then, now))
        with open_context(load()) as context, ExitStack() as stack:
            top_k = args.top_k or context.settings.rag_top_k
            if not changed:  # nothing to index: what differs is no text of the vault
                return Impact(commit, top_k, len(questions), (), ())
            before = stack.enter_context(subject(context, folder, like=_live(context)))
            after = stack.enter_context(subject(context, args.vault, like=before.generation_id))
            labels = _labels_of(commit, args.dataset, questions)
            pairs = two_processes.pairs(context, (before, labels), (after, questions), top_k)
            return changes.compare(pairs, commit, changed, top_k)


def _live(context: SearchContext) -> int | None:
    with context.store.connect(autocommit=True) as conn:
        live = generations.live_or_none(conn)
    return live.id if live else None


def _texts(folder: Path) -> dict[str, str]:
    """Return what a writer edits, by its path: the rules, and the files of aliases."""
    texts = {file.path: file.text for file in vault.read(folder).files}
    for file in folder.rglob(ALIASES):
        texts[file.relative_to(folder).as_posix()] = file.read_text("utf-8", "replace")
    return texts


def _labels_of(commit: str, path: Path, questions: Sequence[Question]) -> list[Question]:
    """The questions with the labels they had: those of today need not fit the vault of then."""
    text = file_of(commit, path.resolve())
    if text is None:
        return list(questions)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(text, "utf-8")
        old = {(item.id, item.question): item for item in dataset.load(copy)}
    return [old.get((item.id, item.question), item) for item in questions]


if __name__ == "__main__":
    sys.exit(main())
