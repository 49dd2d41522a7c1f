"""The rooms import one way: ingest -> retrieval <- api, evals on top, training above them all."""

import ast
from pathlib import Path

ALLOWED = {
    "retrieval": {"retrieval"},
    "ingest": {"ingest", "retrieval"},
    "api": {"api", "retrieval"},
    "evals": {"evals", "ingest", "api", "retrieval"},
    "training": {"training", "evals", "ingest", "retrieval"},
}
ROOT = Path(__file__).parents[2]


def test_every_import_points_along_the_arrows() -> None:
    for room, allowed in ALLOWED.items():
        for file in (ROOT / room).rglob("*.py"):
            tree = ast.parse(file.read_text("utf-8"))
            names = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
            names += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
            rooms = {name.split(".")[0] for name in names} & (set(ALLOWED) | {"tests"})
            assert rooms <= allowed, f"{file}: imports {sorted(rooms - allowed)}"
