"""Our cross-encoder: packed as differences, written whole once, and one setting away."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from retrieval import bundled_reranker, weights
from retrieval.errors import ModelUnavailableError
from retrieval.rulebook import Rulebook
from retrieval.search import search
from retrieval.settings import Settings

QUESTION = "How long does a torch burn?"


def test_one_setting_turns_it_on(
    indexed: Settings, open_rules: Callable[[Settings], Rulebook]
) -> None:
    settings = Settings.model_validate(
        {**indexed.model_dump(exclude={"rag_candidates"}), "reranker_model": "bundled"}
    )
    assert settings.rag_candidates == 12
    rules = open_rules(settings)
    assert rules.weights.rerank is not None, "run evals.calibrate with RERANKER_MODEL=bundled"
    found = search(rules, QUESTION)
    assert found.rerank == bundled_reranker.NAME
    assert found.hits[0].chunk.path.endswith("Torches.md")
    scores = {row.chunk_id: row.rerank_score for row in found.trace}
    assert any(score is not None for score in scores.values())
    assert rules.reranker
    unpacked = bundled_reranker.unpacked(settings.rag_data_dir / "models")
    assert rules.reranker.digest == unpacked.digest


def test_it_is_written_whole_and_once(tmp_path: Path) -> None:
    found = bundled_reranker.unpacked(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [found.folder.name]
    model = found.folder / "model.safetensors"
    before = model.stat().st_mtime_ns
    assert bundled_reranker.unpacked(tmp_path) == found
    assert model.stat().st_mtime_ns == before
    assert weights.reads_entries(found)
    assert weights.max_tokens(found) == 192
    base = load_file(weights.bundled_base().folder / "model.safetensors")
    whole = load_file(model)
    assert set(whole) - {f"bert.{name}" for name in base} == {
        "classifier.weight",
        "classifier.bias",
    }
    words = "embeddings.word_embeddings.weight"
    assert np.array_equal(whole[f"bert.{words}"], base[words])
    again = bundled_reranker.unpacked(tmp_path / "another")
    assert again.digest == found.digest


def test_what_is_packed_is_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = shutil.copytree(bundled_reranker.unpacked(tmp_path).folder, tmp_path / "trained")
    whole = load_file(trained / "model.safetensors")
    name = "bert.encoder.layer.3.output.dense.weight"
    whole[name] = whole[name] + np.float32(0.01)
    whole["classifier.bias"] = np.array([0.5], np.float32)
    save_file(whole, trained / "model.safetensors")
    (trained / "manifest.json").write_text('{"sha256": "of the whole", "seed": 7}', "utf-8")
    bundled_reranker.pack(trained, tmp_path / "packed")
    manifest = json.loads((tmp_path / "packed" / "manifest.json").read_text("utf-8"))
    assert (manifest["trained_sha256"], manifest["seed"]) == ("of the whole", 7)
    monkeypatch.setattr(bundled_reranker, "_TRAINED", tmp_path / "packed")
    found = load_file(bundled_reranker.unpacked(tmp_path).folder / "model.safetensors")
    assert set(found) == set(whole)
    for one, values in whole.items():
        assert np.abs(found[one] - values).max() < 1e-3, one


def test_the_program_says_what_it_cannot_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundled_reranker, "_TRAINED", tmp_path / "packed")
    assert bundled_reranker.main([]) == 2
    assert bundled_reranker.main([str(tmp_path)]) == 2
    assert "is no training of ours" in capsys.readouterr().err
    assert not (tmp_path / "packed").exists()


def test_a_changed_or_missing_part_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copytree(bundled_reranker._TRAINED, tmp_path / "reranker")
    monkeypatch.setattr(bundled_reranker, "_TRAINED", copy)
    with (copy / "adapter.safetensors").open("ab") as file:
        file.write(b"!")
    with pytest.raises(ModelUnavailableError, match=r"not [0-9a-f]{64} as its manifest says"):
        bundled_reranker.unpacked(tmp_path)
    (copy / "adapter.safetensors").unlink()
    with pytest.raises(ModelUnavailableError, match="restore retrieval/reranker"):
        bundled_reranker.unpacked(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(ModelUnavailableError, match="RAG_DATA_DIR"):
        bundled_reranker.unpacked(tmp_path / "file" / "models")
