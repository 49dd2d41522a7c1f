"""Decide about what was missed: what is accepted goes to the gate's questions, the rest stays."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from api.checks.sanitize import visible
from evals.drafting.review import lacking_file, review
from evals.labels import dataset, options
from evals.missed import acceptance, clusters
from evals.missed.clusters import Cluster
from retrieval import atomic_write
from retrieval.context import SearchContext
from retrieval.errors import DatasetError


def refuse_another_vault(context: SearchContext, questions: Path) -> None:
    """Raise DatasetError where a file of questions is known to be about other rules than VAULT."""
    if options.vault_of(context, questions):
        raise DatasetError(
            f"{questions}: its questions are about the sample vault; name a file with your own: "
            "--dataset FILE (an empty one will do)"
        )


def of_missed(found: Sequence[Cluster], drafts: Path, questions: Path, vault: Path) -> None:
    """Ask about each cluster that neither file has, and about the drafts from before.

    What is accepted is appended to `questions` and leaves `drafts`. Raises what
    `acceptance.append` raises for more than one row, and DatasetError where a file is no JSONL.
    """
    _draft(found, drafts, questions)
    if not drafts.exists():
        return
    taken: list[dict[str, Any]] = []

    def take(row: dict[str, Any]) -> None:
        taken.append(acceptance.append(questions, row, vault))
        print(f"  appended to {questions}: {visible(json.dumps(taken[-1], ensure_ascii=False))}")

    counts = review(drafts, take=take)
    print(
        f"{len(taken)} are new in {questions}; of {drafts} {counts['draft']} are left to decide, "
        f"{counts['rejected']} were rejected"
    )
    if counts["lacking"]:
        print(f"{counts['lacking']} that the rules lack: {lacking_file(drafts)}")


def _draft(found: Sequence[Cluster], drafts: Path, questions: Path) -> None:
    """Add what is new to the drafts; nothing that was decided, in whichever of its wordings."""
    before = drafts.read_text("utf-8") if drafts.exists() else ""
    asked = dataset.known(questions)
    known = asked | (dataset.known(drafts) if before else set())
    # One that is asked already: whoever accepted it was stopped before it left the drafts.
    rows = [line for line in before.split("\n") if line and not _is_done(line, asked)]
    rows += [clusters.row(one) for one in found if not _names(one) & known]
    text = "".join(f"{row}\n" for row in rows)
    if text != before:
        atomic_write.write(drafts, text)


def _is_done(line: str, asked: set[str]) -> bool:
    row = json.loads(line)
    return row.get("status") == "draft" and row["id"] in asked


def _names(one: Cluster) -> set[str]:
    """What a row of it is known by: its words, and its id where they were edited."""
    return {*one.questions, *map(clusters.row_id, one.questions)}
