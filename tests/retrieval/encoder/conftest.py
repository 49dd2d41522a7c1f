"""The bundled encoder by the other engine."""

import shutil
from dataclasses import replace

import pytest
from safetensors.numpy import load_file, save_file

from retrieval.context import SearchContext
from retrieval.encoder import adapter, weights
from retrieval.encoder.bi_encoder import Embedder


@pytest.fixture(scope="session")
def by_torch(loaded: SearchContext, tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """The bundled encoder as a folder that sentence-transformers loads."""
    files = weights.bundled_encoder()
    assert files.adapter
    folder = tmp_path_factory.mktemp("whole") / "encoder"
    shutil.copytree(files.folder, folder)
    known = load_file(files.folder / "model.safetensors")
    adapter.apply(known, adapter.read(files.adapter))
    save_file(known, folder / "model.safetensors", {"format": "pt"})
    return Embedder(replace(files, folder=folder, graph=None), loaded.embedder.thread)
