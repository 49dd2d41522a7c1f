"""`evals.filters`: copies of a vault under one index, filters by share, and recall by the scan."""

import re
from pathlib import Path

import pytest

from evals import filters
from retrieval.context import open_context
from retrieval.index import hnsw
from retrieval.settings import Settings
from tests.conftest import RULES, write_vault


def test_copies_are_found_under_each_filter_and_gone_afterwards(
    tmp_path: Path,
    settings: Settings,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setattr(hnsw, "LIMIT", 50)
    vault = write_vault(tmp_path / "rules", RULES)
    asked = ["--vault", str(vault), "--entries", "200", "--questions", "3"]
    assert filters.main(asked) < 2  # times of three questions say nothing
    out = capsys.readouterr().out
    ways = re.findall(r"recall@50, (.*) \(([\d,]+)\): ([\d.]+),", out)
    assert {way for way, *_ in ways} > {"without a filter", "999 of 1,000 files"}
    assert any(way.endswith("by the index") for way, *_ in ways)
    assert int(ways[0][1].replace(",", "")) >= 200
    assert all(float(recall) >= 0.98 for *_, recall in ways)
    assert len(re.findall(r"files pass: \d", out)) == len(filters.SHARES)
    with open_context(settings) as context, context.store.connect() as conn:
        assert conn.execute("SELECT count(*) FROM generation").fetchone() == (0,)
        assert conn.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'entry_hnsw%'"
                            ).fetchone() == (0,)  # fmt: skip
