"""Rerankers: a question and passages in, one score a passage out.

`Reranker` is the one place where a better ranker plugs in; search sorts by what it returns.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from retrieval.encoder import adapter, cross_encoder, weights
from retrieval.encoder.bi_encoder import ModelThread
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
        longer = sum(count > self.limit for count in self._tokens.pair_counts(pairs))
        if longer:
            _log.warning(
                "%d of %d passages are longer than the %d tokens that %s reads with the question; "
                "their ends were not read",
                longer,
                len(pairs),
                self.limit,
                self.name,
            )
        predicted = self._thread.run(lambda: self._model.predict(pairs, show_progress_bar=False))
        return [float(score) for score in predicted]

    def warm(self) -> None:
        """Load the weights now instead of at the first question."""
        self._thread.run(lambda: self._model)

    def _text(self, passage: Passage) -> str:
        return passage.entry if self._reads_entries else passage_text(passage.chunk)

    @cached_property
    def _model(self) -> CrossEncoder:
        if self._files.adapter:
            return _adapted(self._files, self._files.adapter, self.limit)
        return cross_encoder.load(self._files, num_labels=1)


def _adapted(files: weights.ModelFiles, changes: Path, limit: int) -> CrossEncoder:
    """Our cross-encoder: the base, which has no head, with what our training changed."""
    import torch

    with _only_errors(
        "transformers", "sentence_transformers"
    ):  # they warn of the head put on below
        model = cross_encoder.load(
            files, num_labels=1, max_length=limit, activation_fn=torch.nn.Identity()
        )
    network = cast("Any", model[0]).model
    with torch.no_grad():
        for parameter in network.classifier.parameters():
            parameter.zero_()  # made by chance; the adapter holds all of it
    adapter.apply(network, adapter.read(changes))
    return model


@contextmanager
def _only_errors(*names: str) -> Iterator[None]:
    """Keep these libraries' warnings out of the log."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


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
