"""A dialogue over the drafts of a file: each decision is in the file before the next is asked."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from api.checks.sanitize import visible
from evals.labels import dataset
from retrieval import atomic_write
from retrieval.errors import DatasetError

_ASKS = "accept, edit, reject, lacking (the rules do not say it), skip, quit? "
_ASKS_REFUSED = (
    "a number (this line answers), accept (no line does: it must be refused), edit (and accept), "
    "reject, lacking (the rules do not say it and should), skip, quit? "
)
_Ask = Callable[[str], str]
_Row = dict[str, Any]


def review(
    path: Path, ask: _Ask = input, take: Callable[[_Row], None] | None = None
) -> Counter[str]:
    """Ask about each draft of a file until the last, or until quit; return its rows by status.

    An edited question is accepted. What the rules lack is listed in `lacking_file` as well. What
    was decided before stays; a skipped draft is one still. With `take` a row goes there when it is
    accepted and leaves the file; where that raises DatasetError, its draft is asked about again.
    Raises DatasetError for a file that is no JSONL of questions, OSError where it cannot be
    written, and what else `take` raises.
    """
    dataset.left_out(path)  # what cannot be read is said before the work
    lines = dict(enumerate(path.read_text("utf-8-sig").split("\n")))
    if lines[0].lstrip().startswith("["):
        raise DatasetError(f"{path}: is a JSON list; drafts are JSONL, a row on each line")
    rows = {number: json.loads(line) for number, line in lines.items() if line.strip()}
    drafts = [number for number, row in rows.items() if row.get("status") == "draft"]
    for place, number in enumerate(drafts, start=1):
        print("\n".join(_shown(rows[number], f"[{place} of {len(drafts)}]")))
        try:
            decided = _decided_and_taken(rows[number], ask, take)
        except EOFError:  # the end of what answers is as good as quit
            decided = None
        if decided is None:
            break
        rows[number] = decided
        lines[number] = json.dumps(decided, ensure_ascii=False)
        if take and decided["status"] == "accepted":
            del lines[number]
        atomic_write.write(path, "\n".join(lines.values()))
        _list_lacking(path, [row for row in rows.values() if row.get("status") == "lacking"])
    return Counter(row.get("status", "accepted") for row in rows.values())


def lacking_file(path: Path) -> Path:
    """Return where the questions stand that the rules lack an answer to, for who writes them."""
    return path.with_suffix(".lacking.md")


def _list_lacking(path: Path, rows: list[_Row]) -> None:
    if rows:
        items = (f"- {' '.join(row['question'].split())}\n" for row in rows)
        text = "# What the rules lack\n\n" + "".join(items)
        atomic_write.write(lacking_file(path), text)


def _decided_and_taken(row: _Row, ask: _Ask, take: Callable[[_Row], None] | None) -> _Row | None:
    while True:
        decided = _decided(row, ask)
        if not take or decided is None or decided["status"] != "accepted":
            return decided
        try:
            take(decided)
        except DatasetError as error:
            print(f"  not accepted: {visible(str(error))}")
        else:
            return decided


def _decided(row: _Row, ask: _Ask) -> _Row | None:
    """The row as it is decided, unchanged where it is skipped; None to quit."""
    while True:
        answer = ask(_ASKS if row["gold"] else _ASKS_REFUSED).strip().lower()
        lines = {str(n): gold for n, gold in enumerate(row.get("nearest") or (), start=1)}
        match answer:
            case number if number in lines:
                return _answered(row, lines[number])
            case "a" | "accept":
                return row | {"status": "accepted"}
            case "e" | "edit":
                if question := ask("question: ").strip():
                    return row | {"question": question, "status": "accepted"}
            case "r" | "reject":
                return row | {"status": "rejected"}
            case "l" | "lacking":
                return row | {"status": "lacking"}
            case "s" | "skip":
                return row
            case "q" | "quit":
                return None
            case _:
                print(f"{answer!r} is none of them; their first letters will do")


def _answered(row: _Row, gold: dict[str, str]) -> _Row:
    """The row with the line that answers it, which the search did not say."""
    kind = "table" if gold["quote"].lstrip().startswith("|") else "prose"
    said = {"kind": kind, "answer": gold["quote"], "gold": [gold], "why_unanswerable": None}
    return row | said | {"nearest": None, "status": "accepted"}


def _shown(row: _Row, place: str) -> Iterator[str]:
    """Yield a draft as people read it; nothing in it is obeyed by a terminal."""
    yield f"\n{place} {visible(row['question'])}"
    for gold in row["gold"]:
        yield f"  {visible(gold['path'])}"
        yield from (f"  | {visible(line)}" for line in gold["quote"].split("\n"))
    for number, near in enumerate(row.get("nearest") or (), start=1):
        yield f"  {number}. {visible(near['path'])}"
        yield from (f"     | {visible(line)}" for line in near["quote"].split("\n"))
