"""The bi-encoder: texts in, unit vectors out, of the whole text and of each of its word pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from retrieval.encoder import adapter, weights
from retrieval.encoder.tokens import TokenCounter
from retrieval.errors import ModelUnavailableError
from retrieval.models import Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import QuestionTokens, TokenVectors

if TYPE_CHECKING:  # importing torch takes seconds; an ingest that embeds nothing never needs it
    import torch
    from sentence_transformers import SentenceTransformer

# Part of the index's fingerprint: vectors that other code made are not taken over. Raise it with
# every change of a vector; test_encoding_version says when there may be one.
ENCODING_VERSION = 1
_BATCH = 32
Progress = Callable[[int], None]  # how many texts a batch has finished
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


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as vectors: `vectors[i]` of the whole, `tokens[i]` of text i's word pieces, pooled."""

    vectors: Vectors  # shape (texts, dimension), of length 1
    tokens: tuple[TokenVectors, ...]


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A question as a vector of length 1, shape (dimension,), and as its word pieces."""

    vector: Vectors
    tokens: QuestionTokens


class Embedder:
    """A sentence-transformers bi-encoder, loaded at the first text.

    `limit` is how many word pieces it reads, [CLS] and [SEP] included; text past them would not
    exist for retrieval, so a longer text raises instead. `pooling` is how many word pieces of a
    text share a vector (`late.pooled`); those of a question never do. `thread` is shared with every
    other model of the process.
    """

    def __init__(self, files: weights.ModelFiles, thread: ModelThread, pooling: int = 1) -> None:
        self.files = files
        self.pooling = pooling
        self.limit = _limit(files)
        self.dimension = weights.setting(files, "config.json", "hidden_size")
        self.tokens = TokenCounter(files)
        self._adapter = adapter.read(files.adapter) if files.adapter else None
        self._head = self._adapter.head if self._adapter else None
        self.token_dimension = len(self._head.projection) if self._head else self.dimension
        self.thread = thread

    def encode(
        self, texts: Sequence[str], progress: Progress | None = None, *, keep_odd: bool = False
    ) -> Encoded:
        """Return the vectors of texts and of their pooled word pieces, from one pass of the model.

        Texts are sorted by length over the whole call, so that a batch holds equal lengths;
        `progress` gets the number of finished texts of each batch. Raises ModelUnavailableError
        naming the text for a vector that is no direction (not finite, or zero), and ValueError for
        a text over `limit` or without word pieces. With `keep_odd` such vectors are returned as
        they are, for a caller who looks with `odd_rows` and knows where the text stands.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        tokens: list[TokenVectors | None] = [None] * len(texts)
        for batch, outputs in self._batches(texts, progress):
            for row, output in zip(batch, outputs, strict=True):
                vectors[row] = output.vector
                pieces = np.nan_to_num(self._pieces(output.hidden))
                tokens[row] = late_interaction.quantise(
                    late_interaction.pooled(pieces, self.pooling)
                )
        if not keep_odd:
            _refuse_odd_vectors(texts, vectors)
        return Encoded(vectors, tuple(found for found in tokens if found is not None))

    def embed(
        self, texts: Sequence[str], progress: Progress | None = None, *, keep_odd: bool = False
    ) -> Vectors:
        """Return the vectors alone, shape (len(texts), dimension), as `encode` does."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for batch, outputs in self._batches(texts, progress):
            vectors[batch] = [output.vector for output in outputs]
        if not keep_odd:
            _refuse_odd_vectors(texts, vectors)
        return vectors

    def question(self, text: str) -> EncodedQuestion:
        """Return a question's vectors. ValueError where it is too long."""
        ((_, (output,)),) = self._batches([text], None)
        vectors = output.vector[None]
        _refuse_odd_vectors([text], vectors)
        pieces = QuestionTokens(self._pieces(output.hidden), self._importance(output.hidden))
        return EncodedQuestion(vectors[0], pieces)

    def warm(self) -> None:
        """Load the weights now instead of at the first question."""
        self.thread.run(lambda: self._model)

    def _batches(
        self, texts: Sequence[str], progress: Progress | None
    ) -> Iterator[tuple[list[int], list[_Output]]]:
        """Yield the rows of each batch and what the model says of them."""
        lengths = self.tokens.counts(texts)
        for text, length in zip(texts, lengths, strict=True):
            if not 0 < length <= self.limit - 2:
                raise ValueError(f"{length} word pieces, not 1 to {self.limit - 2}: {text[:80]!r}")
        order = np.argsort([-length for length in lengths], kind="stable")
        for start in range(0, len(texts), _BATCH):
            batch = [int(row) for row in order[start : start + _BATCH]]
            yield batch, self.thread.run(partial(self._encode, [texts[row] for row in batch]))
            if progress:
                progress(len(batch))

    def _encode(self, texts: list[str]) -> list[_Output]:
        model = self._model
        with _one_thread() if len(texts) == 1 else nullcontext():
            found = cast(
                "list[dict[str, torch.Tensor]]",
                model.encode(texts, batch_size=_BATCH, output_value=None, show_progress_bar=False),
            )
        outputs = []
        for one in found:
            pieces = one["token_embeddings"][one["attention_mask"].bool()]
            vector = _unit(one["sentence_embedding"].numpy())
            outputs.append(_Output(vector, pieces[1:-1].numpy()))  # without [CLS] and [SEP]
        return outputs

    def _pieces(self, hidden: Vectors) -> Vectors:
        if self._head is None:
            return _unit(hidden)
        with np.errstate(invalid="ignore"):  # of a vector that is kept though odd
            return _unit(hidden @ self._head.projection.T)

    def _importance(self, hidden: Vectors) -> Vectors:
        if self._head is None:
            return np.full(len(hidden), 1 / len(hidden), np.float32)
        logits = hidden @ self._head.importance
        powers = np.exp(logits - logits.max())
        weighted: Vectors = powers / powers.sum()
        return weighted

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
        model: SentenceTransformer = SentenceTransformer(
            str(self.files.folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        if self._adapter:
            adapter.apply(cast("torch.nn.Module", model[0].auto_model), self._adapter)
        return model


@dataclass(frozen=True, slots=True)
class _Output:
    """What the model says of one text."""

    vector: Vectors  # shape (dimension,), of length 1
    hidden: Vectors  # its last layer, shape (word pieces, hidden size)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: for a short text another costs more than it brings."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors (the last axis) at length 1; of one that is zero or not finite, NaN."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled: Vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def _limit(files: weights.ModelFiles) -> int:
    try:
        return weights.setting(files, "sentence_bert_config.json", "max_seq_length")
    except ModelUnavailableError:  # sentence-transformers no longer writes it
        limit = weights.max_tokens(files)
        if limit is None:
            raise
        return limit


def odd_rows(vectors: Vectors) -> list[int]:
    """Return the rows of `vectors`, shape (texts, dimension), that are not of length 1."""
    norms = np.linalg.norm(vectors, axis=1)
    return [int(row) for row in np.flatnonzero(~(np.abs(norms - 1) < 1e-3))]


def _refuse_odd_vectors(texts: Sequence[str], vectors: Vectors) -> None:
    if odd := odd_rows(vectors):
        raise ModelUnavailableError(
            f"the encoder gave no direction (NaN, infinite or zero) for {texts[odd[0]][:80]!r} "
            f"({len(odd)} texts in all); its weights are broken or of another precision"
        )
