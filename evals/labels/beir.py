"""Read BEIR folders, corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv, as questions and a vault.

Source of the format: the loader of beir (`GenericDataLoader`): a line of the corpus has `_id`,
`title` and `text`, one of the queries `_id` and `text`; a qrels file has a head line and then
query-id, corpus-id and score, separated by tabs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evals.labels import fields
from evals.labels.dataset import Gold, Question
from retrieval.errors import DatasetError

SPLITS = {"train": "calibration", "dev": "calibration", "test": "gate"}  # others keep their names
_NAME_LIMIT = 200  # bytes of a file's name; file systems end at 255


@dataclass(frozen=True, slots=True)
class Imported:
    """A BEIR folder as questions about a vault.

    Each relevant document is a place of its own: any of them is a hit. `unjudged` counts the
    queries without a relevant document, which are no questions; `missing` names the relevant
    documents that the corpus does not hold: a question with no other is a miss, lost at "label".
    """

    questions: tuple[Question, ...]
    files: Mapping[str, str]  # Markdown by path
    unjudged: int
    missing: tuple[str, ...]


def read(folder: Path) -> Imported:
    """Return the questions of all splits, in the order of the queries, and the corpus as files.

    Raises DatasetError naming file and line for what is not in the format, for a query that stands
    in two splits, and where no query has a relevant document.
    """
    files: dict[str, str] = {}
    for where, row in _rows(folder / "corpus.jsonl"):
        path = file_name(fields.text(where, row, "_id"))
        if path in files:
            raise DatasetError(f"{where}: the id {row['_id']!r} stands there already")
        title = " ".join(str(row.get("title") or "").split())
        files[path] = (f"# {title}\n\n" if title else "") + fields.text(where, row, "text") + "\n"
    queries = _queries(folder / "queries.jsonl")
    relevant, splits = _qrels(folder, queries)
    questions = [
        _question(number, name, text, relevant[name], splits[name])
        for number, (name, text) in enumerate(queries.items(), start=1)
        if name in relevant
    ]
    if not questions:
        raise DatasetError(f"{folder}: no query has a relevant document, so nothing can be asked")
    named = {name for names in relevant.values() for name in names}
    missing = sorted(name for name in named if file_name(name) not in files)
    return Imported(tuple(questions), files, len(queries) - len(questions), tuple(missing))


def file_name(name: str) -> str:
    """Return the name of the file for a document's id: never hidden, never in another folder."""
    safe = quote(name, safe=" ()+,=@").replace(".", "%2E")
    if len(safe) > _NAME_LIMIT:
        safe = f"{safe[:_NAME_LIMIT]}-{sha256(name.encode()).hexdigest()[:12]}"
    return f"{safe}.md"


def _queries(path: Path) -> dict[str, str]:
    queries: dict[str, str] = {}
    for where, row in _rows(path):
        name = fields.text(where, row, "_id")
        if name in queries:
            raise DatasetError(f"{where}: the id {name!r} stands there already")
        queries[name] = fields.text(where, row, "text")
    return queries


def _qrels(folder: Path, queries: Mapping[str, str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The relevant documents of each query, and its split."""
    paths = sorted((folder / "qrels").glob("*.tsv"))
    if not paths:
        raise DatasetError(
            f"{folder / 'qrels'}: no file SPLIT.tsv, so nothing is known as relevant"
        )
    relevant: dict[str, list[str]] = {}
    stood: dict[str, str] = {}
    for path in paths:
        for where, (query, document, score) in _judgements(path):
            if query not in queries:
                raise DatasetError(f"{where}: the query {query!r} is not in queries.jsonl")
            if stood.setdefault(query, path.stem) != path.stem:
                raise DatasetError(f"{where}: {query!r} is in {stood[query]}.tsv, too; keep one")
            if score > 0:
                relevant.setdefault(query, []).append(document)
    return relevant, {query: SPLITS.get(split, split) for query, split in stood.items()}


def _judgements(path: Path) -> Iterator[tuple[str, tuple[str, str, float]]]:
    for number, line in enumerate(fields.content(path).split("\n"), start=1):
        if number == 1 or not line.strip():  # the first line is the head
            continue
        where, cells = f"{path}:{number}", line.rstrip("\r").split("\t")
        if len(cells) != 3:
            raise DatasetError(
                f"{where}: has {len(cells)} cells, not 3 separated by tabs: {line!r}"
            )
        try:
            score = float(cells[2])
        except ValueError as error:
            raise DatasetError(f"{where}: the score {cells[2]!r} is not a number") from error
        yield where, (cells[0], cells[1], score)


def _question(line: int, name: str, text: str, documents: Sequence[str], split: str) -> Question:
    return Question(
        line=line, id=name, question=text, kind="prose", answer="",
        places=tuple((Gold(file_name(document), ""),) for document in documents),
        split=split, critical=False, must_include=(), must_not_include=(), why_unanswerable="",
        absent=(), history=(), forbidden=(),
    )  # fmt: skip


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((where, row) for where, _, row in fields.rows(path, fields.content(path)))
