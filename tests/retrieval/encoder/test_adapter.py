"""What training changed of the encoder: written small, read back, added to the base."""

from pathlib import Path

import numpy as np
import pytest

from retrieval.encoder import adapter, weights
from retrieval.encoder.adapter import Adapter, Head
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.errors import ModelUnavailableError

MATRIX = np.array([[0.5, -0.25], [0.0, 0.0]], np.float32)
BIAS = np.array([0.125, 0.0], np.float32)
HEAD = Head(np.eye(2, dtype=np.float32), np.array([1.0, 0.0], np.float32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "adapter.safetensors"
    adapter.write(found, Adapter({"weight": MATRIX, "bias": BIAS}, HEAD))
    return found


def test_what_was_written_is_read(path: Path) -> None:
    found = adapter.read(path)
    assert found.differences["weight"] == pytest.approx(MATRIX, abs=0.5 / 127)
    assert found.differences["bias"] == pytest.approx(BIAS)
    assert found.head
    assert found.head.projection == pytest.approx(HEAD.projection)
    assert found.head.importance == pytest.approx(HEAD.importance)


def test_the_differences_are_added(path: Path) -> None:
    own = {"weight": np.ones((2, 2), np.float32), "bias": np.zeros(2, np.float32)}
    adapter.apply(own, adapter.read(path))
    assert own["weight"] - 1 == pytest.approx(MATRIX, abs=0.5 / 127)


def test_differences_of_another_model_are_refused(path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="'weight'"):
        adapter.apply(
            {"weight": np.ones((2, 3), np.float32), "bias": BIAS.copy()}, adapter.read(path)
        )


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "adapter.safetensors"
    path.write_bytes(b"no tensors")
    with pytest.raises(ModelUnavailableError, match=r"adapter\.safetensors cannot be read"):
        adapter.read(path)


@pytest.mark.proves("row 42")
def test_the_bundled_training_is_checked_by_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = weights.bundled_encoder()
    assert files.adapter
    for name in ("adapter.safetensors", "manifest.json"):
        (tmp_path / name).write_bytes((files.adapter.parent / name).read_bytes())
    monkeypatch.setattr(weights, "_ENCODER", tmp_path)
    assert weights.bundled_encoder().digest == files.digest
    with (tmp_path / "adapter.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\xff")
    with pytest.raises(ModelUnavailableError, match="restore retrieval/encoder"):
        weights.bundled_encoder()


def test_training_changed_the_vectors_and_their_size() -> None:
    thread = ModelThread()
    base = Embedder(weights.bundled_base(), thread)
    trained = Embedder(weights.bundled_encoder(), thread)
    text = "A torch burns for one hour."
    assert base.embed([text])[0] @ trained.embed([text])[0] < 0.999
    assert base.encode([text]).tokens[0].values.shape[1] == base.token_dimension == 384
    assert trained.encode([text]).tokens[0].values.shape[1] == trained.token_dimension < 384
    thread.close()
