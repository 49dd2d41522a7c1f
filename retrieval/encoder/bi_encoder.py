"""The bi-encoder: texts in, unit vectors out, of the whole text and of each of its word pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from retrieval.encoder import adapter, weights
from retrieval.encoder.tokens import TokenCounter
from retrieval.errors import ModelUnavailableError
from retrieval.models import Vectors
from retrieval.ranking import late_interaction
from retrieval.ranking.late_interaction import QuestionTokens, TokenVectors

# Part of the index's fingerprint: vectors that other code made are not taken over. Raise it with
# every change of a vector; test_encoding_version says when there may be one.
ENCODING_VERSION = 1
_BATCH = 512  # word pieces; what a layer makes of them stays in a core's cache
_ROUND = 16  # batches between which a question may come in, and Ctrl-C
Progress = Callable[[int], None]  # how many texts a batch has finished
_Result = TypeVar("_Result")


class ModelThread:
    """The one thread of a process that calls models, with a lane for each core.

    Two calls at once, each on all cores, are slower than one after the other. Calls in lanes
    have one core each; the thread waits for them, so no other model is called meanwhile.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="models")
        self._lanes = ThreadPoolExecutor(min(8, os.cpu_count() or 1), thread_name_prefix="lane")

    def run(self, call: Callable[[], _Result]) -> _Result:
        """Return `call()`, made on the thread; its exceptions are raised here."""
        return self._executor.submit(call).result()

    def run_all(self, calls: Sequence[Callable[[], _Result]]) -> list[_Result]:
        """Return what each of `calls` returns, made in lanes while the thread waits for them."""
        return self.run(lambda: list(self._lanes.map(lambda call: call(), calls)))

    def close(self) -> None:
        """Wait for the running call and end the threads."""
        self._executor.shutdown()
        self._lanes.shutdown()


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
    """A bi-encoder, loaded at the first text: ours, or one that sentence-transformers loads.

    `limit` is how many word pieces it reads, [CLS] and [SEP] included; text past them would not
    exist for retrieval, so a longer text raises instead. `pooling` word pieces of a text share a
    vector, those of a question never. `thread` is shared with every other model of the process.
    """

    def __init__(self, files: weights.ModelFiles, thread: ModelThread, pooling: int = 1) -> None:
        self.files = files
        self.pooling = pooling
        self.limit = weights.encoder_limit(files)
        self.dimension = weights.setting(files, "config.json", "hidden_size")
        self.tokens = TokenCounter(files)
        self._head = adapter.read_head(files.adapter) if files.adapter else None
        self.token_dimension = len(self._head.projection) if self._head else self.dimension
        self.thread = thread
        self._lock = Lock()  # two lanes at once would load two models

    def encode(
        self, texts: Sequence[str], progress: Progress | None = None, *, keep_odd: bool = False
    ) -> Encoded:
        """Return the vectors of texts and of their pooled word pieces, from one pass of the model.

        Texts are sorted by word pieces over the whole call, so that a batch holds equal lengths;
        `progress` gets the number of finished texts of each batch. Raises ModelUnavailableError
        naming the text for a vector that is no direction (not finite, or zero), and ValueError for
        a text over `limit` or without word pieces. With `keep_odd` such vectors are returned as
        they are, for a caller who looks with `odd_rows` and knows where the text stands.
        """
        made = self._all(texts, progress, self._stored)
        vectors = self._sound(texts, [vector for vector, _ in made], keep_odd=keep_odd)
        return Encoded(vectors, tuple(tokens for _, tokens in made))

    def embed(
        self, texts: Sequence[str], progress: Progress | None = None, *, keep_odd: bool = False
    ) -> Vectors:
        """Return the vectors alone, shape (len(texts), dimension), as `encode` does."""
        made = self._all(texts, progress, lambda output: output.vector)
        return self._sound(texts, made, keep_odd=keep_odd)

    def batch(self, texts: Sequence[str], *, tokens: bool) -> list[Any]:
        """Return of texts that make one batch the vectors, with `tokens` pairs with the pooled.

        On the thread of the caller.
        """
        return self._finished(list(texts), self._stored if tokens else lambda made: made.vector)

    def question(self, text: str) -> EncodedQuestion:
        """Return a question's vectors. ValueError where it is too long."""
        (output,) = self._all([text], None, lambda output: output)
        vectors = self._sound([text], [output.vector], keep_odd=False)
        pieces = QuestionTokens(self._pieces(output.hidden), self._importance(output.hidden))
        return EncodedQuestion(vectors[0], pieces)

    def warm(self) -> None:
        """Load the weights now instead of at the first question."""
        self.thread.run(lambda: self._model)

    def _all(
        self, texts: Sequence[str], progress: Progress | None, finish: Callable[[_Output], _Result]
    ) -> list[_Result]:
        """Return what `finish` makes, in a lane, of what the model says of each text."""
        made: dict[int, _Result] = {}
        every = batches(self._lengths(texts))
        for start in range(0, len(every), _ROUND):
            part = every[start : start + _ROUND]
            calls = [partial(self._finished, [texts[row] for row in rows], finish) for rows in part]
            for rows, results in zip(part, self.thread.run_all(calls), strict=True):
                made.update(zip(rows, results, strict=True))
                if progress:
                    progress(len(rows))
        return [made[row] for row in range(len(texts))]

    def _finished(self, texts: list[str], finish: Callable[[_Output], _Result]) -> list[_Result]:
        return [finish(output) for output in self._encode(texts)]

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        lengths = self.tokens.counts(texts)
        for text, length in zip(texts, lengths, strict=True):
            if not 0 < length <= self.limit - 2:
                raise ValueError(f"{length} word pieces, not 1 to {self.limit - 2}: {text[:80]!r}")
        return lengths

    def _encode(self, texts: list[str]) -> list[_Output]:
        with self._lock:
            model = self._model
        return [_Output(_unit(vector), hidden) for vector, hidden in model(texts)]

    def _sound(self, texts: Sequence[str], made: Sequence[Vectors], *, keep_odd: bool) -> Vectors:
        vectors = np.array(made, np.float32).reshape(len(texts), self.dimension)
        if (odd := odd_rows(vectors)) and not keep_odd:
            raise ModelUnavailableError(
                f"the encoder gave no direction (NaN, infinite or zero) for {texts[odd[0]][:80]!r} "
                f"({len(odd)} texts in all); its weights are broken or of another precision"
            )
        return vectors

    def _stored(self, output: _Output) -> tuple[Vectors, TokenVectors]:
        pieces = np.nan_to_num(self._pieces(output.hidden))
        pooled = late_interaction.pooled(pieces, self.pooling)
        return output.vector, late_interaction.quantise(pooled)

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
    def _model(self) -> Callable[[Sequence[str]], list[tuple[Vectors, Vectors]]]:
        if self.files.graph:
            from retrieval.encoder import onnx_model

            return onnx_model.bi_encoder(self.files, self.files.graph)
        from retrieval.encoder import torch_model

        return torch_model.bi_encoder(self.files)


@dataclass(frozen=True, slots=True)
class _Output:
    """What the model says of one text."""

    vector: Vectors  # shape (dimension,), of length 1
    hidden: Vectors  # its last layer, shape (word pieces, hidden size)


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """Return the rows of each batch, the longest texts first; one that is too long is alone."""
    found: list[list[int]] = []
    longest = 0
    for row in np.argsort([-length for length in lengths], kind="stable"):
        if not found or (len(found[-1]) + 1) * longest > _BATCH:
            found.append([])
            longest = lengths[row]
        found[-1].append(int(row))
    return found


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors (the last axis) at length 1; of one that is zero or not finite, NaN."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        scaled: Vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def odd_rows(vectors: Vectors) -> list[int]:
    """Return the rows of `vectors`, shape (texts, dimension), that are not of length 1."""
    norms = np.linalg.norm(vectors, axis=1)
    return [int(row) for row in np.flatnonzero(~(np.abs(norms - 1) < 1e-3))]
