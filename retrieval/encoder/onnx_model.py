"""Run the bundled models: one ONNX graph without weights, filled with the base's and ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from safetensors.numpy import load_file
from tokenizers import Encoding

from retrieval.encoder import adapter
from retrieval.encoder.tokens import tokenizer
from retrieval.encoder.weights import ModelFiles
from retrieval.models import Vectors

_ERRORS = 3  # of the levels of onnxruntime's log


class Transformer:
    """The base's layers with `weights` in them. Threads may call it at once; each takes a core."""

    def __init__(self, graph: Path, weights: Mapping[str, Vectors]) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # callers have lanes
        options.enable_mem_pattern = False  # one a shape, and nearly every batch has its own
        options.log_severity_level = _ERRORS
        read = {  # the graph multiplies by the layers' matrices from the right
            name: np.ascontiguousarray(values.T) if name.startswith("encoder.") else values
            for name, values in weights.items()
            if name.startswith(("encoder.", "embeddings.")) and values.dtype == np.float32
        }
        tensors = [onnxruntime.OrtValue.ortvalue_from_numpy(values) for values in read.values()]
        options.add_external_initializers(list(read), tensors)
        self._session = onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"]
        )

    def hidden(self, texts: Sequence[Encoding]) -> list[Vectors]:
        """Return the last layer of each text, shape (its tokens, hidden size)."""
        lengths = [len(text.ids) for text in texts]
        ids, kinds, mask = (np.zeros((len(texts), max(lengths)), np.int64) for _ in range(3))
        for row, (text, length) in enumerate(zip(texts, lengths, strict=True)):
            ids[row, :length], kinds[row, :length], mask[row, :length] = text.ids, text.type_ids, 1
        fed = {"input_ids": ids, "token_type_ids": kinds, "attention_mask": mask}
        (hidden,) = self._session.run(["last_hidden_state"], fed)
        return [rows[:length] for rows, length in zip(hidden, lengths, strict=True)]


def bi_encoder(
    files: ModelFiles, graph: Path
) -> Callable[[Sequence[str]], list[tuple[Vectors, Vectors]]]:
    """Return what makes of each text its vector, of any length, and its word pieces' last layer."""
    known = load_file(files.folder / "model.safetensors")
    if files.adapter:
        adapter.apply(known, adapter.read(files.adapter))
    pieces, model = tokenizer(files), Transformer(graph, known)

    def encoded(texts: Sequence[str]) -> list[tuple[Vectors, Vectors]]:
        hidden = model.hidden(pieces.encode_batch_fast(list(texts)))
        return [(rows.mean(axis=0), rows[1:-1]) for rows in hidden]

    return encoded


def cross_encoder(
    files: ModelFiles, graph: Path, limit: int
) -> Callable[[Sequence[tuple[str, str]]], list[float]]:
    """Return what scores pairs; of a longer one it reads the first `limit` tokens."""
    known = load_file(files.folder / "model.safetensors")
    pooler, bias = known["pooler.dense.weight"], known["pooler.dense.bias"]
    head, shift = np.zeros((1, len(bias)), np.float32), np.zeros(1, np.float32)
    if files.adapter:
        named = {f"bert.{name}": values for name, values in known.items()}
        named |= {"classifier.weight": head, "classifier.bias": shift}
        adapter.apply(named, adapter.read(files.adapter))
    pieces, model = tokenizer(files, limit), Transformer(graph, known)

    def scores(pairs: Sequence[tuple[str, str]]) -> list[float]:
        hidden = model.hidden(pieces.encode_batch_fast(list(pairs)))
        pooled = np.tanh(np.stack([rows[0] for rows in hidden]) @ pooler.T + bias)
        return [float(score) for score in pooled @ head[0] + shift[0]]

    return scores
