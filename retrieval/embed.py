"""The bi-encoder: texts in, unit vectors out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from retrieval import weights
from retrieval.errors import ModelUnavailableError
from retrieval.models import Vectors
from retrieval.tokens import TokenCounter

if TYPE_CHECKING:  # importing torch takes seconds; an ingest that embeds nothing never needs it
    from sentence_transformers import SentenceTransformer

_BATCH = 32
_Result = TypeVar("_Result")


class ModelThread:
    """The one thread of a process that calls models.

    Two torch calls at once are slower than one after the other on few cores, and the libraries'
    tokenizers are not safe to share between threads.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="models")

    def run(self, call: Callable[[], _Result]) -> _Result:
        """Return `call()`, made on the thread; its exceptions are raised here."""
        return self._executor.submit(call).result()

    def close(self) -> None:
        """Wait for the running call and end the thread."""
        self._executor.shutdown()


class Embedder:
    """A sentence-transformers bi-encoder, loaded at the first text.

    `limit` is how many word pieces it reads, [CLS] and [SEP] included; text past them would not
    exist for retrieval, so a longer text raises instead.
    """

    def __init__(self, files: weights.ModelFiles, thread: ModelThread) -> None:
        self.files = files
        self.limit = _limit(files)
        self.dimension = weights.setting(files, "config.json", "hidden_size")
        self.tokens = TokenCounter(files)
        self._thread = thread

    def embed(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Vectors:
        """Return one unit vector a text, shape (len(texts), dimension).

        Texts are sorted by length over the whole call, so that a batch holds equal lengths;
        `progress` gets the number of finished texts of each batch. Raises ModelUnavailableError
        naming the text for a vector that is not finite or not of length 1, and ValueError for a
        text over `limit`.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        lengths = self.tokens.counts(texts)
        for text, length in zip(texts, lengths, strict=True):
            if length + 2 > self.limit:
                raise ValueError(f"{length + 2} word pieces, over {self.limit}: {text[:80]!r}")
        order = np.argsort([-length for length in lengths], kind="stable")
        for start in range(0, len(texts), _BATCH):
            batch = order[start : start + _BATCH]
            vectors[batch] = self._thread.run(partial(self._encode, [texts[i] for i in batch]))
            if progress:
                progress(len(batch))
        _refuse_odd_vectors(texts, vectors)
        return vectors

    def question(self, text: str) -> Vectors:
        """Return the vector of a question, shape (dimension,). ValueError where it is too long."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def warm(self) -> None:
        """Load the weights now instead of at the first question."""
        self._thread.run(lambda: self._model)

    def _encode(self, texts: list[str]) -> Vectors:
        vectors: Vectors = self._model.encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return vectors

    @cached_property
    def _model(self) -> SentenceTransformer:
        # Before torch is loaded: its threads wait by spinning, and where another process wants a
        # core, every step waits for one that spins: 510 ms for a question instead of 20 ms.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        import torch
        import transformers
        from sentence_transformers import SentenceTransformer

        # A bar for 90 MB helps nobody.
        transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it has no types
        torch.set_num_threads(min(8, os.cpu_count() or 1))  # a fixed number: equal sums every run
        return SentenceTransformer(
            str(self.files.folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )


def _limit(files: weights.ModelFiles) -> int:
    try:
        return weights.setting(files, "sentence_bert_config.json", "max_seq_length")
    except ModelUnavailableError:  # sentence-transformers no longer writes it
        limit = weights.max_tokens(files)
        if limit is None:
            raise
        return limit


def _refuse_odd_vectors(texts: Sequence[str], vectors: Vectors) -> None:
    norms = np.linalg.norm(vectors, axis=1)
    odd = np.flatnonzero(~(np.abs(norms - 1) < 1e-3))
    if odd.size:
        text = texts[odd[0]]
        raise ModelUnavailableError(
            f"the encoder gave a vector of length {norms[odd[0]]} for {text[:80]!r} "
            f"({odd.size} texts in all); its weights are broken or of another precision"
        )
