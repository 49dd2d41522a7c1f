"""Bundle a training of `training.train_reranker`: keep what it changed of the base, and a head.

python -m training.pack_reranker FOLDER writes retrieval/reranker, a ninth of the folder's size.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from retrieval.encoder import adapter, weights
from retrieval.encoder.adapter import Adapter
from retrieval.errors import ModelUnavailableError

_MODEL = "model.safetensors"
_INNER = "bert."  # before the base's names in a cross-encoder
_NOTHING = np.zeros((), np.float32)  # of a parameter that the base does not have


def pack(model: Path, target: Path) -> None:
    """Keep of a trained folder `model` in `target` what is not the base's.

    Raises ModelUnavailableError where it is no training of the bundled base, or cannot be read.
    """
    base = weights.bundled_base()
    known = load_file(base.folder / _MODEL)
    try:
        trained = load_file(model / _MODEL)
        told = json.loads((model / weights.MANIFEST).read_text("utf-8"))
        begun, told["trained_sha256"] = told["base"]["digest"], told["sha256"]
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(f"{model} is no training of ours: {error}") from error
    if begun != base.digest:
        raise ModelUnavailableError(f"{model} was trained from {begun}, not from {base.digest}")
    changed = {
        name: values - known.get(name.removeprefix(_INNER), _NOTHING)
        for name, values in trained.items()
    }
    target.mkdir(parents=True, exist_ok=True)
    kept = {name: values for name, values in changed.items() if values.any()}
    adapter.write(target / weights.ADAPTER, Adapter(kept, None))
    told["sha256"] = weights.sha256(target / weights.ADAPTER)
    (target / weights.MANIFEST).write_text(json.dumps(told, indent=2) + "\n", "utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Bundle the folder that is named; return 0, or 2 for an error."""
    given = sys.argv[1:] if argv is None else list(argv)
    if len(given) != 1:
        print("usage: python -m training.pack_reranker FOLDER", file=sys.stderr)
        return 2
    try:
        pack(Path(given[0]), weights.OUR_RERANKER)
    except ModelUnavailableError as error:
        print(f"training.pack_reranker: {error}", file=sys.stderr)
        return 2
    size = (weights.OUR_RERANKER / weights.ADAPTER).stat().st_size
    print(f"{weights.OUR_RERANKER.name}/{weights.ADAPTER}: {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
