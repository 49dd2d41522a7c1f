"""Natural language inference: how surely a text says a sentence, by a cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.encoder import torch_model, weights
from retrieval.encoder.bi_encoder import ModelThread
from retrieval.encoder.tokens import TokenCounter
from retrieval.errors import ModelUnavailableError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_MAX_TOKENS = 512  # of a model whose files do not say
_SAYS = ("entail", "support", "consistent")  # beginnings of the label of what is said
_DENIES = ("not", "un", "in", "contra")


class EntailmentModel:
    """A sentence-transformers CrossEncoder of a folder or hub id: NLI or fact checking.

    With one label its output is the probability; of several one must be called entailment,
    supported or consistent. `limit` is how many tokens of a text and a sentence together it reads.
    """

    def __init__(self, files: weights.ModelFiles, thread: ModelThread) -> None:
        self.name = files.name
        self.limit = weights.max_tokens(files) or _MAX_TOKENS
        self._files = files
        self._tokens = TokenCounter(files)
        self._thread = thread

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return for each text and sentence the probability, 0 to 1, that the text says it.

        0 where both together are longer than the model reads: of a part nothing follows.
        """
        if not pairs:
            return []
        counts = self._tokens.counts([text for pair in pairs for text in pair])
        lengths = zip(counts[::2], counts[1::2], strict=True)
        fits = [text + sentence <= self.limit for text, sentence in lengths]
        read = [pair for pair, whole in zip(pairs, fits, strict=True) if whole]
        given = iter(self._thread.run(lambda: self._predicted(read)) if read else [])
        return [next(given) if whole else 0.0 for whole in fits]

    def warm(self) -> None:
        """Load the weights now; raises ModelUnavailableError where no label says "entailed"."""
        self._thread.run(lambda: self._label)

    def _predicted(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        one = self._label is None
        activation = torch.nn.Sigmoid() if one else torch.nn.Softmax(dim=-1)
        found = self._model.predict(
            list(pairs), activation_fn=activation, convert_to_numpy=True, show_progress_bar=False
        )
        return [float(row if one else row[self._label]) for row in found]

    @cached_property
    def _label(self) -> int | None:
        """The number of the label of what is said; None of a model with one output."""
        named = getattr(self._model.config, "id2label", None) or {}
        labels = {int(at): str(name) for at, name in named.items()}
        if len(labels) == 1:
            return None
        for at, name in labels.items():
            plain = name.lower()
            if plain.startswith(_SAYS) and not plain.startswith(_DENIES):
                return at
        raise ModelUnavailableError(
            f"the model {self.name!r} has the labels {', '.join(labels.values())}, and none is "
            "called entailment, supported or consistent; set GUARD_MODEL to another one"
        )

    @cached_property
    def _model(self) -> CrossEncoder:
        return torch_model.cross_encoder(self._files)
