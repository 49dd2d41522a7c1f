"""The cross-encoder while it is trained: the base model's first layers read both texts at once."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import nn
from transformers import AutoTokenizer, BertForSequenceClassification

from retrieval.encoder import adapter
from retrieval.encoder.adapter import Adapter
from retrieval.encoder.tokens import tokenizer
from retrieval.encoder.weights import ENTRIES, READS, ModelFiles
from retrieval.errors import ConfigurationError
from training.learning.encoder import parameters, without_dropout
from training.learning.pieces import buckets, padded

_HEAD = ("bert.pooler.", "classifier.")
_RAW = "torch.nn.modules.linear.Identity"  # a sigmoid would make equal scores of far ones


class Ranker(nn.Module):
    """Scores pairs of a question and a text; higher is better, on a scale of its own."""

    def __init__(self, files: ModelFiles, *, depth: int, length: int, init: Adapter | None) -> None:
        """Take the first `depth` layers, with `init` added; ConfigurationError for too many."""
        super().__init__()
        network = BertForSequenceClassification.from_pretrained(
            str(files.folder), num_labels=1, local_files_only=True, use_safetensors=True
        )
        if init is not None:
            adapter.apply(parameters(network.bert), init)
        layers = network.bert.encoder.layer
        if not 1 <= depth <= len(layers):
            raise ConfigurationError(
                f"--depth is {depth}, but {files.name} has {len(layers)} layers"
            )
        network.bert.encoder.layer = layers[:depth]
        network.config.num_hidden_layers = depth
        network.bert.embeddings.requires_grad_(False)
        without_dropout(network)
        self.network = network
        self._tokenizer = tokenizer(files, length)
        self._files = files
        self._length = length

    def layers(self) -> tuple[nn.Parameter, ...]:
        """Return the parameters of the layers."""
        return tuple(self.network.bert.encoder.parameters())

    def head(self) -> tuple[nn.Parameter, ...]:
        """Return the parameters above the layers."""
        named = self.network.named_parameters()
        return tuple(values for name, values in named if name.startswith(_HEAD))

    def scores(self, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
        """Return the score of every pair, shape (pairs,); pairs of equal lengths go together."""
        found = self._tokenizer.encode_batch_fast(list(pairs))
        calls = buckets([len(encoding.ids) for encoding in found])
        parts = []
        for rows in calls:
            batch = padded([found[row] for row in rows])
            output = self.network(
                input_ids=batch.ids, token_type_ids=batch.kinds, attention_mask=batch.mask
            )
            parts.append(output.logits[:, 0])
        place = torch.tensor([row for rows in calls for row in rows]).argsort()
        return torch.cat(parts)[place]

    def save(self, folder: Path) -> None:
        """Write what `sentence_transformers.CrossEncoder(folder)` loads, each file at once."""
        self.network.config.sentence_transformers = {"activation_fn": _RAW}
        setattr(self.network.config, READS, ENTRIES)
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as name:
            self.network.save_pretrained(name)
            words = AutoTokenizer.from_pretrained(str(self._files.folder), local_files_only=True)
            words.model_max_length = self._length
            words.save_pretrained(name)
            for path in sorted(Path(name).iterdir()):
                path.replace(folder / path.name)
