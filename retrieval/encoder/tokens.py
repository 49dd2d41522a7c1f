"""Count a model's tokens with a tokenizer of our own.

A tokenizer shared with a running model gives silently wrong counts across threads
(huggingface/tokenizers#537), because truncation is a state of the object that `encode` switches.
"""

from collections.abc import Sequence

from tokenizers import Tokenizer

from retrieval.encoder.weights import ModelFiles
from retrieval.errors import ModelUnavailableError


def tokenizer(model: ModelFiles, length: int | None = None) -> Tokenizer:
    """Return a tokenizer of the model of its own; it cuts at `length` tokens, special ones too."""
    path = model.folder / "tokenizer.json"
    if not path.is_file():
        raise ModelUnavailableError(f"{model.name}: no tokenizer.json in its folder; reinstall it")
    found = Tokenizer.from_file(str(path))
    found.no_padding()
    found.no_truncation()
    if length is not None:
        found.enable_truncation(length)
    return found


class TokenCounter:
    """Counts tokens of texts; never truncates, so a count is always the whole text's."""

    def __init__(self, model: ModelFiles) -> None:
        self._tokenizer = tokenizer(model)

    def count(self, text: str) -> int:
        """Return the number of word pieces of `text`, without [CLS] and [SEP]."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def is_word(self, text: str) -> bool:
        """Tell whether a word is one piece: the vocabulary holds it as it is."""
        return self.count(text) == 1

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Return `count` of every text; faster than one call a text."""
        batch = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in batch]
