"""Write the ONNX graph of the bundled models: the base's layers, whose weights come when it loads.

python -m training.write_graph writes retrieval/encoder/bundled/transformer.onnx. Only operators of
the ONNX standard are in it; onnxruntime fuses them. Batch and length are free, padding is masked.
"""

import sys
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from retrieval.encoder import weights
from retrieval.encoder.weights import ModelFiles, setting

_OPSET, _IR = 20, 9  # the first with Gelu; of early 2023
_EPSILON = 1e-12  # of layer normalisation, as config.json says
_MASKED = np.float32(-3e38)  # exp(x + this) is 0 for every score x


class _Graph:
    """The nodes so far. Each method adds one and returns the name of what it makes."""

    def __init__(self, files: ModelFiles) -> None:
        names = ("hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers",
                 "vocab_size", "type_vocab_size", "max_position_embeddings")  # fmt: skip
        said = [setting(files, "config.json", name) for name in names]
        self.size, self.inner, self.heads, self.layers, *self.tables = said
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []

    def add(self, kind: str, *inputs: str, **options: Any) -> str:
        made = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [made], **options))
        return made

    def constant(self, value: object, kind: type = np.int64) -> str:
        made = f"constant_{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.array(value, kind), made))
        return made

    def weight(self, name: str, *shape: int) -> str:
        """Name a tensor that is given when the graph is loaded."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="given")
        self.tensors.append(tensor)
        return name

    def dense(self, x: str, name: str, size: int, to: int) -> str:
        product = self.add("MatMul", x, self.weight(f"{name}.weight", size, to))
        return self.add("Add", product, self.weight(f"{name}.bias", to))

    def normal(self, x: str, name: str) -> str:
        scale, shift = (self.weight(f"{name}.{part}", self.size) for part in ("weight", "bias"))
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=_EPSILON)

    def embedded(self) -> str:
        words, kinds, places = (
            self.weight(f"embeddings.{name}_embeddings.weight", rows, self.size)
            for name, rows in zip(("word", "token_type", "position"), self.tables, strict=True)
        )
        start, length = self.constant([0]), self.add("Shape", "input_ids", start=1, end=2)
        place = self.add("Slice", places, start, length, start)
        word = self.add("Gather", words, "input_ids")
        both = self.add("Add", word, self.add("Gather", kinds, "token_type_ids"))
        return self.normal(self.add("Add", both, place), "embeddings.LayerNorm")

    def masked(self) -> str:
        """What is added to every score of a word: 0, or of padding so little that it counts 0."""
        real = self.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        padding = self.add("Sub", self.constant(1, np.float32), real)
        low = self.add("Mul", padding, self.constant(_MASKED, np.float32))
        return self.add("Unsqueeze", low, self.constant([1, 2]))

    def attended(self, x: str, mask: str, name: str) -> str:
        split = self.constant([0, 0, self.heads, self.size // self.heads])

        def head(part: str, *order: int) -> str:
            made = self.dense(x, f"{name}.self.{part}", self.size, self.size)
            return self.add("Transpose", self.add("Reshape", made, split), perm=order)

        alike = self.add("MatMul", head("query", 0, 2, 1, 3), head("key", 0, 2, 3, 1))
        scale = self.constant((self.size // self.heads) ** -0.5, np.float32)
        scores = self.add("Add", self.add("Mul", alike, scale), mask)
        shares = self.add("Softmax", scores, axis=-1)
        mixed = self.add("MatMul", shares, head("value", 0, 2, 1, 3))
        joined = self.add("Transpose", mixed, perm=(0, 2, 1, 3))
        return self.add("Reshape", joined, self.constant([0, 0, self.size]))

    def layer(self, x: str, mask: str, name: str) -> str:
        attention = self.attended(x, mask, f"{name}.attention")
        made = self.dense(attention, f"{name}.attention.output.dense", self.size, self.size)
        x = self.normal(self.add("Add", made, x), f"{name}.attention.output.LayerNorm")
        wide = self.dense(x, f"{name}.intermediate.dense", self.size, self.inner)
        made = self.dense(self.add("Gelu", wide), f"{name}.output.dense", self.inner, self.size)
        return self.normal(self.add("Add", made, x), f"{name}.output.LayerNorm")


def model(files: ModelFiles) -> ModelProto:
    """Return the graph of a BERT model's files: three inputs, its last layer as output."""
    graph = _Graph(files)
    x, mask = graph.embedded(), graph.masked()
    for number in range(graph.layers):
        x = graph.layer(x, mask, f"encoder.layer.{number}")
    graph.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    shape: list[str | int] = ["batch", "length"]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in ("input_ids", "token_type_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, [*shape, graph.size]
    )
    made = helper.make_graph(graph.nodes, "transformer", inputs, [output], graph.tensors)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)


def main() -> int:
    """Write the graph; return 0."""
    weights.GRAPH.write_bytes(model(weights.published_base()).SerializeToString(deterministic=True))
    print(f"{weights.GRAPH.name}: sha256 {weights.sha256(weights.GRAPH)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
