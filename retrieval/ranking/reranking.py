"""Rerankers: a question and passages in, one score a passage out.

`Reranker` is the one place where a better ranker plugs in; search sorts by what it returns.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from retrieval.encoder import torch_model, weights
from retrieval.encoder.bi_encoder import ModelThread, batches
from retrieval.encoder.tokens import TokenCounter
from retrieval.models import Chunk
from retrieval.text.hidden import visible
from retrieval.text.normalize import compact

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_MAX_TOKENS = 512  # of a model whose files do not say
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Passage:
    """What a reranker may read of a candidate."""

    chunk: Chunk
    entry: str  # the text of its entry that is nearest to the question


@runtime_checkable  # pydantic, and with it LangChain, asks
class Reranker(Protocol):
    """Anything that scores passages against a question."""

    name: str
    digest: str  # of its weights: what was fitted for it is kept under this

    def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Return one score a passage, in the order given; higher is better."""

    def warm(self) -> None:
        """Load the weights now instead of at the first question."""


@runtime_checkable
class ListwiseReranker(Protocol):
    """Anything that orders passages as a list. It has no scores: the k-th gets the k-th best."""

    name: str

    def order(self, question: str, passages: Sequence[Passage]) -> list[int] | None:
        """Return the passages' numbers from 0, best first, each once; None: as they are."""


class CrossEncoderReranker:
    """A sentence-transformers CrossEncoder of a folder or hub id, or ours.

    It reads whole passages as they are shown. One whose files say that it was trained on entries,
    as those of `python -m training.train_reranker` do, reads each passage's nearest entry, which
    is several times faster. `limit` is how many tokens of a question and a text together it
    reads; what is longer is scored by its beginning, and logged.
    """

    def __init__(self, files: weights.ModelFiles, thread: ModelThread) -> None:
        self.name = files.name
        self.digest = files.digest
        self._reads_entries = weights.reads_entries(files)
        self.limit = weights.max_tokens(files) or _MAX_TOKENS
        self._tokens = _PairCounter(files)
        self._files = files
        self._thread = thread

    def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Return the model's raw scores, on its own scale."""
        pairs = [(question, self._text(passage)) for passage in passages]
        lengths = self._tokens.pair_counts(pairs)
        longer = sum(length > self.limit for length in lengths)
        if longer:
            _log.warning(
                "%d of %d passages are longer than the %d tokens that %s reads with the question; "
                "their ends were not read",
                longer,
                len(pairs),
                self.limit,
                self.name,
            )
        if self._files.graph:
            return self._ours(pairs, [min(length, self.limit) for length in lengths])
        predicted = self._thread.run(lambda: self._model.predict(pairs, show_progress_bar=False))
        return [float(score) for score in predicted]

    def warm(self) -> None:
        """Load the weights now instead of at the first question."""
        self._thread.run(lambda: self._bundled if self._files.graph else self._model)

    def _ours(self, pairs: Sequence[tuple[str, str]], lengths: Sequence[int]) -> list[float]:
        """Return the scores of our own model, by batches of equal lengths, each in a lane."""
        self.warm()
        rows = batches(lengths)
        calls = [partial(self._bundled, [pairs[row] for row in part]) for part in rows]
        made = zip(chain(*rows), chain(*self._thread.run_all(calls)), strict=True)
        return [score for _, score in sorted(made)]

    def _text(self, passage: Passage) -> str:
        return passage.entry if self._reads_entries else passage_text(passage.chunk)

    @cached_property
    def _bundled(self) -> Callable[[Sequence[tuple[str, str]]], list[float]]:
        from retrieval.encoder import onnx_model

        assert self._files.graph
        return onnx_model.cross_encoder(self._files, self._files.graph, self.limit)

    @cached_property
    def _model(self) -> CrossEncoder:
        return torch_model.cross_encoder(self._files, num_labels=1)


class _PairCounter(TokenCounter):
    def pair_counts(self, pairs: Sequence[tuple[str, str]]) -> list[int]:
        """Return the number of tokens of every pair, special ones included."""
        return [len(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(list(pairs))]


def passage_text(chunk: Chunk) -> str:
    """Return what a model reads of a chunk: heading, repeated table header or lead-in, lines.

    What a browser hides is left out.
    """
    parts = (chunk.heading, chunk.context, visible(chunk.text))
    return compact("\n".join(part for part in parts if part))
