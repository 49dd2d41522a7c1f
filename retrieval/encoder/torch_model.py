"""Load a model of a folder with sentence-transformers, which the extra [models] installs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from retrieval.encoder.weights import ModelFiles
from retrieval.models import Vectors

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


def bi_encoder(files: ModelFiles) -> Callable[[Sequence[str]], list[tuple[Vectors, Vectors]]]:
    """Return what makes of each text its vector, of any length, and its word pieces' last layer."""
    # Before torch is loaded: its threads wait by spinning, and where another process wants a
    # core, every step waits for one that spins: 510 ms for a question instead of 20 ms.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer

    # A bar for 90 MB helps nobody.
    transformers.utils.logging.disable_progress_bar()
    model = SentenceTransformer(str(files.folder), **_SAFE).eval()
    prompt = model.prompts.get(model.default_prompt_name or "")
    lock = Lock()  # of the tokenizer: it is not safe to share between threads

    def encoded(texts: Sequence[str]) -> list[tuple[Vectors, Vectors]]:
        with lock:
            features = model.preprocess(list(texts), prompt=prompt)
        torch.set_num_threads(1)  # of this lane alone
        with torch.inference_mode():
            made = model(features)
        hidden, masks = made["token_embeddings"].numpy(), made["attention_mask"].bool().numpy()
        return [  # without [CLS] and [SEP]
            (vector, pieces[mask][1:-1])
            for vector, pieces, mask in zip(
                made["sentence_embedding"].numpy(), hidden, masks, strict=True
            )
        ]

    return encoded


def cross_encoder(files: ModelFiles, **options: Any) -> CrossEncoder:
    """Return the model, for reranking or entailment; `options` are the library's."""
    import torch
    from sentence_transformers import CrossEncoder

    # Of this thread; the encoder's lanes have one each. A fixed number: equal sums every run.
    torch.set_num_threads(min(8, os.cpu_count() or 1))
    model: CrossEncoder = CrossEncoder(str(files.folder), **_SAFE, **options)
    return model


_SAFE: dict[str, Any] = {  # on the CPU, and without code of others
    "device": "cpu",
    "local_files_only": True,
    "trust_remote_code": False,
    "model_kwargs": {"use_safetensors": True},
}
