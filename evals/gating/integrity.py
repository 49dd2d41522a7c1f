"""Check without labels that an index is that of its vault, and that a search returned its lines.

A gate of the labels sees what their questions ask for. A stale file, a citation that is a line off
or a passage returned twice need not lose any of them; here one is enough.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from evals.measure.outcome import Outcome
from ingest.read.tables import plain_cells
from retrieval.errors import VaultError
from retrieval.models import Chunk, Entry, Hit
from retrieval.ranking.precedence import is_superseded
from retrieval.text.hidden import visible
from retrieval.text.normalize import searchable
from retrieval.vault_files import SUFFIXES

_ENOUGH = 10  # questions


def on_disk(root: Path) -> dict[str, bytes]:
    """Return the Markdown files below `root` by path, hidden ones left out.

    Read again instead of by ingest, whose faults are looked for. Raises VaultError for none.
    """
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.suffix.lower() in SUFFIXES and path.is_file()
    }
    found = {path: data for path, data in found.items() if "/." not in f"/{path}"}
    if not found:
        raise VaultError(f"no Markdown file in {str(root)!r}")
    return found


def index_faults(
    root: Path, hashes: Mapping[str, str], chunks: Mapping[str, Sequence[Chunk]]
) -> list[str]:
    """Return where an index is not that of the vault at `root`, as "path: what" or "path:line: …".

    `hashes` are the sha256 that the index has of its files, `chunks` what it holds of each. Raises
    VaultError where there is no vault.
    """
    files = on_disk(root)
    found = [f"{path}: is not in the index" for path in files if path not in hashes]
    found += [f"{path}: is in the index and not in the vault" for path in hashes.keys() - files]
    for path, data in files.items():
        if path in hashes and hashlib.sha256(data).hexdigest() != hashes[path]:
            found.append(f"{path}: the index holds another state of it")
        try:
            source = text(data)
        except UnicodeDecodeError as error:
            found.append(f"{path}: is not UTF-8 (byte {error.start}), so ingest leaves it out")
            continue
        found += _chunk_faults(source, chunks.get(path, ()))
    return found


def passage_faults(outcome: Outcome, files: Mapping[str, str], top_k: int) -> list[str]:
    """Return what is wrong with the passages of one search, whatever was asked.

    `files` holds the vault's texts by path. Passages are lines of it, each once, in the order of
    the trace; their evidence is quoted from it, best first.
    """
    found, asked = outcome.found, outcome.question.id
    ids = [hit.chunk.id for hit in found.hits]
    wrong = [f"{i}: is not what stands there" for i, h in zip(ids, found.hits, strict=True)
             if not _stands(h.chunk, files.get(h.chunk.path, ""))]  # fmt: skip
    if ids != [row.chunk_id for row in found.trace if row.fate == "returned"]:
        wrong.append("the passages are not those of the trace, or not in its order")
    if any(before.score < after.score for before, after in pairwise(found.hits)):
        wrong.append("a passage stands behind one with a lower score")
    if len(set(ids)) != len(ids) or len(ids) > top_k:
        wrong.append(f"{len(set(ids))} different passages in {len(ids)}, {top_k} asked for")
    gone = [is_superseded(found.notes[hit.chunk.path], found.question)
            if hit.chunk.path in found.notes else False for hit in found.hits]  # fmt: skip
    if gone != sorted(gone):
        wrong.append(f"{ids[gone.index(True)]}: a superseded file stands before one in force")
    wrong += [what for hit in found.hits for what in _evidence_faults(hit, files)]
    return [f"{asked}: {what}" for what in wrong]


def stage_faults(outcomes: Sequence[Outcome]) -> list[str]:
    """Return which stages of search did nothing, or the wrong way round, in a whole run.

    Of fewer than ten questions with candidates nothing is said: a stage may be silent in them.
    """
    traces = [outcome.found.trace for outcome in outcomes if outcome.found.trace]
    if len(traces) < _ENOUGH:
        return []
    rows = [row for trace in traces for row in trace]
    wrong = []
    if all(row.dense_rank is None for row in rows):
        wrong.append(f"vectors found nothing in {len(traces)} questions")
    if all(row.text_rank is None for row in rows):
        wrong.append(f"full text found nothing in {len(traces)} questions")
    if below := sum((row.text_score or 0.0) < 0 for row in rows):
        wrong.append(f"{below} scores of full text are below 0, which a sum of weights never is")
    late = any(outcome.found.late != "off" for outcome in outcomes)
    if late and len({row.late_score for row in rows if row.late_score is not None}) <= 1:
        wrong.append(f"late interaction tells no two of {len(rows)} candidates apart")
    return wrong


def text(data: bytes) -> str:
    """Return a file as ingest is to read it: \\n line ends, no BOM, no NUL."""
    decoded = data.decode("utf-8-sig").replace("\x00", "")
    return decoded.replace("\r\n", "\n").replace("\r", "\n")


def _chunk_faults(source: str, chunks: Sequence[Chunk]) -> Iterator[str]:
    held: set[int] = set()
    seen: set[str] = set()
    for chunk in chunks:
        held.update(range(chunk.first_line, chunk.last_line + 1))
        if not _stands(chunk, source):
            yield f"{chunk.id}: the chunk is not what stands there"
        if chunk.text in seen:
            yield f"{chunk.id}: the chunk is in the index twice"
        seen.add(chunk.text)
    lines = source.split("\n")
    start = lines.index("---", 1) + 1 if lines[0] == "---" and "---" in lines[1:] else 0
    lost = [n for n, line in enumerate(lines, start=1)
            if n > start and line.strip() and n not in held]  # fmt: skip
    if lost and chunks:
        yield f"{chunks[0].path}:{lost[0]}: {len(lost)} lines are in no chunk"


def _stands(chunk: Chunk, source: str) -> bool:
    """Whether a chunk's text is its lines; of a part of a line, whether they hold it."""
    lines = source.split("\n")[chunk.first_line - 1 : chunk.last_line]
    if not chunk.piece:
        return bool(lines) and chunk.text == "\n".join(lines)
    return all(part in "\n".join(lines) for part in chunk.text.split("\n"))


def _evidence_faults(hit: Hit, files: Mapping[str, str]) -> Iterator[str]:
    if any(before.score < after.score for before, after in pairwise(hit.evidence)):
        yield f"{hit.chunk.id}: its evidence is not in the order of its scores"
    lines = files.get(hit.chunk.path, "").split("\n")
    for entry in (evidence.entry for evidence in hit.evidence):
        place = f"{hit.chunk.path}:{entry.first_line}"
        if entry.quote not in "\n".join(lines[entry.first_line - 1 : entry.last_line]):
            yield f"{place}: the quote is not what stands there"
        title = entry.heading.split(" > ")[-1]
        if not _says(entry.text, title):
            yield f'{place}: is embedded without its heading "{title}"'
        if entry.kind == "row" and not _names_a_column(entry):
            yield f"{place}: the row is embedded without the names of its columns"


def _names_a_column(entry: Entry) -> bool:
    """Whether a row says the name of one of its filled columns, or has none that is named.

    The header of a stat block ("AC", "6 [13]") names nothing, and one of two rows is joined.
    """
    if entry.lead.count("\n") != 1:
        return True
    header, cells = (
        plain_cells(visible(line)) for line in (entry.lead.split("\n")[0], entry.quote)
    )
    if len(header) == 2 and any(character.isdigit() for character in header[1]):
        return True
    names = [name for name, cell in zip(header[1:], cells[1:], strict=False) if name and cell]
    return not names or any(_says(entry.words, name) for name in names)


def _says(text: str, words: str) -> bool:
    return searchable(words).casefold() in text.casefold()
