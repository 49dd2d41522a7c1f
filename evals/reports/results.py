"""The folder of a run: every question as a line, the sums, and what they depend on."""

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path

from evals.measure.outcome import Subject
from retrieval.context import SearchContext
from retrieval.index import store

Fingerprint = Mapping[str, str | int]  # of an index, or of models

_ROOT = Path(__file__).parents[2]
_LIBRARIES = (
    "ir-measures", "numpy", "onnxruntime", "pgvector", "psycopg", "scipy", "sentence-transformers",
    "tokenizers", "torch",
)  # fmt: skip


def fingerprint(context: SearchContext, measured: Subject) -> Fingerprint:
    """Return what an index was made with; IndexMissingError where it is gone."""
    return context.store.read(
        lambda conn: store.generation(conn, measured.generation_id)
    ).fingerprint


def config(
    context: SearchContext,
    made_with: Fingerprint,
    data: Mapping[str, object],
    options: Mapping[str, object],
) -> dict[str, object]:
    """Return what the numbers of a run depend on: index, models, data by digest, commit, machine.

    `made_with` is the index's fingerprint, or the models' where several indexes were measured;
    `data` is the `origin` of questions and texts. `options` are the program's own, with its name as
    `program`. No path of the machine and nothing secret is in it.
    """
    threshold = context.threshold
    about = {
        "fingerprint": dict(made_with),
        "rerank": context.reranked_by,
        "threshold": threshold if isfinite(threshold) else None,  # None: nothing is dropped
        "candidates": context.settings.rag_candidates,
        **options,
    }
    return dated(data, about)


def origin(dataset: Path, files: Mapping[str, str]) -> dict[str, object]:
    """Return which questions were asked of which texts, by digest; `files` are texts by path."""
    return {
        "dataset": dataset.name,
        "dataset_digest": hashlib.sha256(dataset.read_bytes()).hexdigest(),
        "vault_files": len(files),
        "vault_digest": vault_digest(files),
    }


def dated(data: Mapping[str, object], about: Mapping[str, object]) -> dict[str, object]:
    """Return `about` with date, commit, machine and the `origin` of its data."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        **about,
        **data,
        "libraries": dict(_installed()),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs, Python "
        f"{platform.python_version()}",
    }


def _installed() -> Iterator[tuple[str, str]]:
    """Each library with its version; those of the extra [models] need not be here."""
    for name in _LIBRARIES:
        with suppress(PackageNotFoundError):
            yield name, version(name)


def vault_digest(files: Mapping[str, str]) -> str:
    """Return the SHA-256 of all files' paths and texts, in the order of the paths."""
    total = hashlib.sha256()
    for path, text in sorted(files.items()):
        total.update(f"{len(path)}:{path}{len(text)}:{text}".encode())
    return total.hexdigest()


def commit() -> str:
    """Return the commit of this code as git describes it, "-dirty" where it was changed since.

    "unknown" where there is no git or no repository.
    """
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=_ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        return "unknown"
    return found.stdout.strip() or "unknown"


def measured_on() -> str:
    """Return the day, the commit and the Python of a measurement that ends now, in Markdown."""
    day, python = datetime.now(UTC).date().isoformat(), platform.python_version()
    return f"{day} at commit `{commit()}`, Python {python}"


def write_folder(
    parent: Path,
    name: str,
    rows: Iterable[Mapping[str, object]],
    sums: Mapping[str, object],
    settings: Mapping[str, object],
) -> Path:
    """Write the folder that every program leaves, and return it.

    It is new, in `parent`, and named by `name` and time: eval_results.jsonl holds `rows`, one line
    each, summary.json `sums`, config.json `settings`. Raises OSError where it cannot be written.
    """
    folder = parent / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
    folder.mkdir(parents=True)
    write_lines(rows, folder / "eval_results.jsonl")
    _write_json(folder / "summary.json", sums)
    _write_json(folder / "config.json", settings)
    return folder


def write_lines(rows: Iterable[Mapping[str, object]], path: Path) -> None:
    """Write one JSON object a line. Raises OSError where it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _write_json(path: Path, data: Mapping[str, object]) -> None:
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", "utf-8")
