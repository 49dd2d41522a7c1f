"""A trained bi-encoder as teacher: its cosine and late interaction say how near each text is."""

from collections.abc import Sequence

import torch

from retrieval.encoder import adapter
from retrieval.encoder.adapter import Adapter
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import ConfigurationError
from training.learning.encoder import Encoder, parameters


class Teacher:
    """Scores pairs as the bi-encoder does that `given` makes of the base; it learns nothing."""

    def __init__(self, files: ModelFiles, given: Adapter, *, length: int) -> None:
        """Read `length` word pieces of a text. ConfigurationError for an adapter without head."""
        if given.head is None:
            raise ConfigurationError(
                "--teacher has no head for late interaction; give an adapter that "
                "python -m training.train_encoder wrote"
            )
        self._encoder = Encoder(files, length=length, dimension=len(given.head.projection))
        adapter.apply(parameters(self._encoder.transformer), given)
        with torch.no_grad():
            self._encoder.projection.weight.copy_(torch.from_numpy(given.head.projection))
            self._encoder.importance.weight[0].copy_(torch.from_numpy(given.head.importance))
        self._encoder.eval()

    @torch.no_grad()
    def scores(self, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
        """Return cosine and late interaction together, about -24 to 24, shape (pairs,)."""
        questions, texts = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
        found = self._encoder.scores(self._encoder.encode(questions), self._encoder.encode(texts))
        row = {question: place for place, question in enumerate(questions)}
        column = {text: place for place, text in enumerate(texts)}
        rows = torch.tensor([row[question] for question, _ in pairs])
        return found.total[rows, torch.tensor([column[text] for _, text in pairs])]
