"""Decide about what was missed: what is accepted goes to the gate's questions, the rest stays."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from api.checks.sanitize import visible
from evals.drafting.review import lacking_file, review
from evals.labels import dataset, fields, options, quote_locations
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

    What is accepted is appended to `questions` and leaves `drafts`, once a person has seen what an
    answer to it must include. Raises what `acceptance.append` raises for more than one row, and
    DatasetError where a file is no JSONL or both are one.
    """
    if drafts.resolve() == questions.resolve():
        raise DatasetError(f"{drafts}: holds the questions; drafts need a file of their own")
    _draft(found, drafts, questions)
    if not drafts.exists():
        return
    pages = quote_locations.read(vault)
    taken: list[dict[str, Any]] = []

    def take(row: dict[str, Any]) -> None:
        whole = _seen(acceptance.completed(row, pages))
        taken.append(acceptance.append(questions, whole, vault))
        print(f"  appended to {questions}: {visible(json.dumps(taken[-1], ensure_ascii=False))}")

    counts = review(drafts, take=take)
    print(
        f"{len(taken)} are new in {questions}; of {drafts} {counts['draft']} are left to decide, "
        f"{counts['rejected']} are rejected in all"
    )
    if counts["lacking"]:
        print(f"{counts['lacking']} that the rules lack: {lacking_file(drafts)}")


def _seen(row: dict[str, Any]) -> dict[str, Any]:
    """Show what was made of a row's words, and return the row with it or with what is typed."""
    name, what = (
        ("must_include", "what a right answer includes, spellings with | between")
        if row["gold"]
        else ("absent", "a pattern that the rules would hold if they answered")
    )
    shown = visible(json.dumps(row[name], ensure_ascii=False))
    typed = input(f"  {name}, {what}: {shown}\n  Enter keeps it, or type another: ").strip()
    return row | {name: [typed]} if typed else row


def _draft(found: Sequence[Cluster], drafts: Path, questions: Path) -> None:
    """Add what is new to the drafts; nothing that was decided, in whichever of its wordings."""
    before = fields.content(drafts) if drafts.exists() else ""
    if before.lstrip().startswith("["):
        raise DatasetError(f"{drafts}: is a JSON list; drafts are JSONL, a row on each line")
    asked = dataset.known(questions)
    known = asked | (dataset.known(drafts) if before else set())
    rows = list(_left(drafts, before, asked))
    rows += [clusters.row(one) for one in found if not _names(one) & known]
    text = "".join(f"{row}\n" for row in rows)
    if text != before:
        atomic_write.write(drafts, text)


def _left(drafts: Path, before: str, asked: set[str]) -> Iterator[str]:
    """Yield the lines of the drafts but for those whose question is asked already.

    Whoever accepted such a one was stopped before it left the drafts. One that `evals.draft`
    accepted is a draft again: it was appended nowhere.
    """
    for number, line in enumerate(before.split("\n"), start=1):
        if not line.strip():
            continue
        row = fields.parsed(f"{drafts}:{number}", line)
        if row.get("status") not in ("draft", "accepted"):
            yield line
        elif not _is_done(row, asked):
            changed = row | {"status": "draft"}
            if row["id"] in asked:  # of another question: ids were once numbers
                changed["id"] = clusters.row_id(row["question"])
            yield line if changed == row else json.dumps(changed, ensure_ascii=False)


def _is_done(row: dict[str, Any], asked: set[str]) -> bool:
    """Whether its question is asked, in these words or as it was edited."""
    same = row["question"] in asked or row["id"] == clusters.row_id(row["question"])
    return row["id"] in asked and same


def _names(one: Cluster) -> set[str]:
    """What a row of it is known by: its words, and its id where they were edited."""
    return {*one.questions, *map(clusters.row_id, one.questions)}
