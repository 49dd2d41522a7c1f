"""Load a cross-encoder of a folder, for reranking or for entailment."""

import os
from typing import TYPE_CHECKING, Any

from retrieval.encoder.weights import ModelFiles

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


def load(files: ModelFiles, **options: Any) -> "CrossEncoder":
    """Return the model, on the CPU and without code of others; `options` are the library's."""
    import torch
    from sentence_transformers import CrossEncoder

    # Of this thread; the encoder's lanes have one each. A fixed number: equal sums every run.
    torch.set_num_threads(min(8, os.cpu_count() or 1))
    model: CrossEncoder = CrossEncoder(
        str(files.folder),
        device="cpu",
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
        **options,
    )
    return model
