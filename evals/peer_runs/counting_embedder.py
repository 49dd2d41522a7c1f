"""Our encoder as the libraries get it that are compared with us: what it cuts is counted."""

from collections.abc import Sequence

from retrieval.encoder.bi_encoder import Embedder
from retrieval.encoder.tokens import tokenizer


class CountingEmbedder:
    """Counts the texts that it was given, and how many of these it cut."""

    def __init__(self, embedder: Embedder) -> None:
        self.texts = self.cut = 0
        self._embedder = embedder
        self._words = tokenizer(embedder.files)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vector of each text, as JSON writes it."""
        self.texts += len(texts)
        readable = [self._readable(text) for text in texts]
        return [list(map(float, row)) for row in self._embedder.embed(readable)]

    def _readable(self, text: str) -> str:
        """What the encoder reads of a text: others cut one that is too long and say nothing."""
        limit = self._embedder.limit - 2
        pieces = self._words.encode(text, add_special_tokens=False)
        if len(pieces.ids) > limit:
            self.cut += 1
            for last in range(limit, 0, -1):  # a cut word may have more pieces
                text = text[: pieces.offsets[last - 1][1]]
                if self._embedder.tokens.count(text) <= limit:
                    break
        return text if pieces.ids else "."
