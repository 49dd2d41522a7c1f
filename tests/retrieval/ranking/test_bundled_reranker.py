"""Our cross-encoder: packed as differences from the base, and one setting away."""

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from retrieval.context import SearchContext
from retrieval.encoder import adapter, weights
from retrieval.encoder.bi_encoder import ModelThread
from retrieval.errors import ModelUnavailableError
from retrieval.models import Chunk
from retrieval.ranking.reranking import CrossEncoderReranker, Passage
from retrieval.search import search
from retrieval.settings import Settings
from training import pack_reranker

QUESTION = "How long does a torch burn?"


def test_one_setting_turns_it_on(
    indexed: Settings,
    open_rules: Callable[[Settings], SearchContext],
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = Settings.model_validate(
        {**indexed.model_dump(exclude={"rag_candidates"}), "reranker_model": "bundled"}
    )
    assert settings.rag_candidates == 12
    with caplog.at_level(logging.WARNING):
        rules = open_rules(settings)
        found = search(rules, QUESTION)
    assert "MISSING" not in caplog.text  # the head that the base does not have
    assert "Converting" not in caplog.text
    assert rules.weights.rerank is not None, "run: RERANKER_MODEL=bundled python -m evals.calibrate"
    assert found.rerank == weights.RERANKER_NAME
    assert found.hits[0].chunk.path.endswith("Torches.md")
    assert any(row.rerank_score is not None for row in found.trace)


def scored(folder: Path | None) -> list[float]:
    """What a cross-encoder says of two entries: ours, or the one of a folder."""
    thread = ModelThread()
    files = weights.find(str(folder), offline=True) if folder else weights.bundled_reranker()
    ranker = CrossEncoderReranker(files, thread)
    assert ranker.limit == 192
    chunk = Chunk("a.md", "A", 1, 1, "not what it reads")
    entries = ("A torch burns for one hour.", "A sword costs 10 gp.")
    try:
        return ranker.scores(QUESTION, [Passage(chunk, entry) for entry in entries])
    finally:
        thread.close()


def whole(folder: Path) -> Path:
    """Write our cross-encoder as a training does: a folder that loads as it is."""
    folder.mkdir()
    base = weights.bundled_base().folder
    known = {f"bert.{n}": v for n, v in load_file(base / "model.safetensors").items()}
    tensors = {name: values for name, values in known.items() if values.dtype == np.float32}
    for name, values in adapter.read(weights.OUR_RERANKER / weights.ADAPTER).differences.items():
        tensors[name] = tensors.get(name, np.float32(0.0)) + values
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    config = json.loads((base / "config.json").read_text("utf-8"))
    config |= {
        "architectures": ["BertForSequenceClassification"],
        "id2label": {"0": "LABEL_0"},
        "label2id": {"LABEL_0": 0},
        "reads": "entries",
        "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"},
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    tokens = json.loads((base / "tokenizer_config.json").read_text("utf-8"))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokens | {"model_max_length": 192}))
    shutil.copyfile(base / "tokenizer.json", folder / "tokenizer.json")
    shutil.copyfile(weights.OUR_RERANKER / weights.MANIFEST, folder / weights.MANIFEST)
    return folder


def test_it_scores_as_the_whole_folder_does(tmp_path: Path) -> None:
    ours = scored(None)
    assert ours[0] > ours[1] + 1
    assert ours == pytest.approx(scored(whole(tmp_path / "whole")), abs=1e-5)


def test_what_is_packed_is_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = whole(tmp_path / "trained")
    tensors = load_file(trained / "model.safetensors")
    tensors["classifier.weight"] = -tensors["classifier.weight"]
    save_file(tensors, trained / "model.safetensors", {"format": "pt"})
    expected = scored(trained)
    before = json.loads((trained / weights.MANIFEST).read_text("utf-8"))
    monkeypatch.setattr(weights, "OUR_RERANKER", tmp_path / "packed")
    assert pack_reranker.main([str(trained)]) == 0
    packed = tmp_path / "packed" / weights.ADAPTER
    assert packed.stat().st_mode & 0o777 == 0o644
    after = json.loads((tmp_path / "packed" / weights.MANIFEST).read_text("utf-8"))
    assert after["trained_sha256"] == before["sha256"]
    assert after["sha256"] == weights.sha256(packed)
    assert scored(None) == pytest.approx(expected, abs=0.05)


def test_the_program_says_what_it_cannot_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(weights, "OUR_RERANKER", tmp_path / "packed")
    assert pack_reranker.main([]) == 2
    assert pack_reranker.main([str(tmp_path)]) == 2
    assert "is no training of ours" in capsys.readouterr().err
    trained = tmp_path / "trained"
    trained.mkdir()
    save_file({"classifier.bias": np.zeros(1, np.float32)}, trained / "model.safetensors")
    (trained / weights.MANIFEST).write_text('{"base": {"digest": "x"}, "sha256": "y"}', "utf-8")
    assert pack_reranker.main([str(trained)]) == 2
    assert "was trained from x, not from" in capsys.readouterr().err
    (trained / weights.MANIFEST).write_text('{"base": {"digest": "x"}}', "utf-8")
    assert pack_reranker.main([str(trained)]) == 2
    assert not (tmp_path / "packed").exists()


def test_a_changed_or_missing_part_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copytree(weights.OUR_RERANKER, tmp_path / "reranker")
    monkeypatch.setattr(weights, "OUR_RERANKER", copy)
    with (copy / weights.ADAPTER).open("ab") as file:
        file.write(b"!")
    with pytest.raises(ModelUnavailableError, match=r"not [0-9a-f]{64} as its manifest says"):
        weights.bundled_reranker()
    (copy / weights.ADAPTER).unlink()
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        weights.bundled_reranker()
    (copy / weights.MANIFEST).write_text("{}", "utf-8")
    with pytest.raises(ModelUnavailableError, match="has no length"):
        weights.bundled_reranker()
    (copy / weights.MANIFEST).unlink()
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        weights.bundled_reranker()
