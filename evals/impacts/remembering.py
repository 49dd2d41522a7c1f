"""An encoder that keeps what it made of a question for the next state that is asked."""

from functools import lru_cache

from retrieval.encoder.bi_encoder import Embedder, EncodedQuestion

_KEPT = 64  # questions; a turn's, with their parts


class RememberingEmbedder(Embedder):
    """The same encoder, which makes a question's vectors once."""

    def __init__(self, like: Embedder) -> None:
        super().__init__(like.files, like.thread, like.pooling)
        self.kept = lru_cache(maxsize=_KEPT)(super().question)

    def question(self, text: str) -> EncodedQuestion:
        """Return a question's vectors. ValueError where it is too long."""
        return self.kept(text)
