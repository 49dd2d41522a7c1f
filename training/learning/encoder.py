"""The bi-encoder while it is trained: transformer, projection, importance and score scales."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tokenizers import Encoding
from torch import nn
from torch.nn import functional
from transformers import BertModel

from retrieval.encoder.adapter import Adapter, Head
from retrieval.encoder.tokens import tokenizer
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import DatasetError
from retrieval.models import Vectors
from training.learning.pieces import padded, short_and_long

_SCALES = (20.0, 20.0, 12.0, 12.0)  # of dense, of MaxSim, and of both in their sum
_LAYERS = "encoder."  # parameters of the layers; embeddings and pooler stay as they are
_START_BATCH = 32  # texts


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts of a batch; both vectors have length 1."""

    vectors: torch.Tensor  # shape (texts, hidden size): mean of the last layer
    tokens: torch.Tensor  # shape (texts, longest, dimension of token vectors)
    hidden: torch.Tensor  # shape (texts, longest, hidden size): the last layer
    real: torch.Tensor  # shape (texts, longest), bool: no padding

    @property
    def inner(self) -> torch.Tensor:
        """Shape (texts, longest), bool: word pieces without [CLS] and [SEP]."""
        found = self.real.clone()
        found[:, 0] = False
        found[torch.arange(len(found)), self.real.sum(1) - 1] = False
        return found


@dataclass(frozen=True, slots=True)
class Scores:
    """Questions against texts, each of shape (questions, texts)."""

    dense: torch.Tensor  # cosine
    late: torch.Tensor  # MaxSim, weighted by importance; -1 to 1
    total: torch.Tensor  # the learned sum of both, on its own scale


class Encoder(nn.Module):
    """The base model with a head for late interaction; nothing is dropped out in training."""

    def __init__(self, files: ModelFiles, *, length: int, dimension: int) -> None:
        super().__init__()
        self.transformer = transformer(files)
        size = self.transformer.config.hidden_size
        self.projection = nn.Linear(size, dimension, bias=False)
        self.importance = nn.Linear(size, 1, bias=False)  # a bias would not change a softmax
        nn.init.zeros_(self.importance.weight)  # all words count the same at first
        self.log_scales = nn.Parameter(torch.tensor([math.log(scale) for scale in _SCALES]))
        self._tokenizer = tokenizer(files, length)

    def layers(self) -> tuple[nn.Parameter, ...]:
        """Return the parameters of the transformer that are trained."""
        return tuple(p for p in self.transformer.parameters() if p.requires_grad)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Return the vectors of texts; long and short ones are computed apart."""
        found = self._tokenizer.encode_batch_fast(list(texts))
        parts = short_and_long([len(encoding.ids) for encoding in found])
        encoded = [self._encode([found[row] for row in part]) for part in parts]
        if len(parts) == 1:
            return encoded[0]
        place = torch.tensor([row for part in parts for row in part]).argsort()
        return _joined(encoded, place)

    def _encode(self, encodings: Sequence[Encoding]) -> Encoded:
        batch = padded(encodings)
        hidden = self.transformer(
            input_ids=batch.ids, token_type_ids=batch.kinds, attention_mask=batch.mask
        ).last_hidden_state
        count = batch.mask.unsqueeze(-1).float()
        mean = functional.normalize((hidden * count).sum(1) / count.sum(1), dim=-1)
        tokens = functional.normalize(self.projection(hidden), dim=-1)
        return Encoded(mean, tokens, hidden, batch.mask.bool())

    def scores(self, questions: Encoded, texts: Encoded) -> Scores:
        """Return every question's scores for every text."""
        dense = questions.vectors @ texts.vectors.T
        similar = torch.einsum("qid,tjd->qtij", questions.tokens, texts.tokens)
        similar = similar.masked_fill(~texts.inner[None, :, None, :], -1.0)
        logits = self.importance(questions.hidden).squeeze(-1)
        weights = torch.softmax(logits.masked_fill(~questions.inner, -1e9), -1)
        late = (similar.amax(-1) * weights[:, None, :]).sum(-1)
        scales = self.log_scales.exp()
        return Scores(dense, late, scales[2] * dense + scales[3] * late)

    @torch.no_grad()
    def interpolate(self, start: "Encoder", share: float) -> None:
        """Keep `share`, 0 to 1, of what training changed of the layers of `start`; the head stays.

        It keeps most of what was learned and most of what the base knew of other texts. Source:
        Wortsman et al., "Robust fine-tuning of zero-shot models" (2022).
        """
        before = dict(start.transformer.named_parameters())
        for name, values in self.transformer.named_parameters():
            values.copy_(torch.lerp(before[name], values, share))

    def adapter(self, start: "Encoder") -> Adapter:
        """Return what training changed of `start`, and the head."""
        before = dict(start.transformer.named_parameters())
        differences = {
            name: (values.detach() - before[name].detach()).numpy()
            for name, values in self.transformer.named_parameters()
            if name.startswith(_LAYERS)
        }
        head = Head(
            self.projection.weight.detach().numpy(), self.importance.weight.detach()[0].numpy()
        )
        return Adapter(differences, head)


def transformer(files: ModelFiles) -> BertModel:
    """Return the base model without dropout; its embeddings and its pooler stay frozen."""
    model = BertModel.from_pretrained(
        str(files.folder), local_files_only=True, use_safetensors=True
    )
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(_LAYERS)
    without_dropout(model)
    return model


def parameters(model: nn.Module) -> dict[str, Vectors]:
    """Return the parameters by name; what is written into them, the model has."""
    return {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}


def without_dropout(model: nn.Module) -> None:
    """Make `model` equal in training and in use; few epochs of small steps do not overfit."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0


@torch.no_grad()
def start_projection(encoder: Encoder, texts: Sequence[str]) -> float:
    """Set the projection to the principal directions of the texts' word pieces.

    Returns the share of their squared length that it keeps, 0 to 1. Raises DatasetError for fewer
    word pieces than directions.
    """
    found = []
    for first in range(0, len(texts), _START_BATCH):
        encoded = encoder.encode(texts[first : first + _START_BATCH])
        found.append(functional.normalize(encoded.hidden[encoded.real], dim=-1))
    pieces = torch.cat(found)
    dimension = len(encoder.projection.weight)
    if len(pieces) < dimension:
        raise DatasetError(
            f"the texts have {len(pieces)} word pieces, too few for token vectors of {dimension} "
            "numbers; give more groups"
        )
    _, lengths, directions = torch.linalg.svd(pieces, full_matrices=False)
    encoder.projection.weight.copy_(directions[:dimension])
    return float((lengths[:dimension] ** 2).sum() / (lengths**2).sum())


def _joined(parts: Sequence[Encoded], place: torch.Tensor) -> Encoded:
    """Return the texts of `parts`, row i of which is number `place[i]` in them."""
    longest = max(part.real.shape[1] for part in parts)

    def joined(values: Sequence[torch.Tensor]) -> torch.Tensor:
        flat = [(0, 0) * (one.dim() - 2) + (0, longest - one.shape[1]) for one in values]
        even = [functional.pad(one, pad) for one, pad in zip(values, flat, strict=True)]
        return torch.cat(even)[place]

    return Encoded(
        torch.cat([part.vectors for part in parts])[place],
        joined([part.tokens for part in parts]),
        joined([part.hidden for part in parts]),
        joined([part.real for part in parts]),
    )
