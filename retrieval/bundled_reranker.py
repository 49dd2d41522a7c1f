"""Our cross-encoder: what its training changed of the bundled encoder's layers, and a head.

It is off unless RERANKER_MODEL is "bundled". Then the whole model, a folder that
sentence_transformers.CrossEncoder loads as it is, is written once below the data directory. To
bundle another training of `retrieval.train_reranker`: python -m retrieval.bundled_reranker FOLDER
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from retrieval import adapter, weights
from retrieval.adapter import Adapter
from retrieval.errors import ModelUnavailableError
from retrieval.weights import ModelFiles

NAME = "rules-oracle/reranker (all-MiniLM-L6-v2, trained as a cross-encoder)"
_TRAINED = Path(__file__).with_name("reranker")
_ADAPTER, _MANIFEST, _MODEL = "adapter.safetensors", "manifest.json", "model.safetensors"
_SHOWN = ("config.json", "tokenizer_config.json")  # kept as the training wrote them
_TOKENIZER = "tokenizer.json"  # the base's
_INNER = "bert."  # before the base's names in a cross-encoder

_NOTHING = np.zeros((), np.float32)  # of a parameter that the base does not have

Tensors = dict[str, npt.NDArray[np.float32]]


def unpacked(folder: Path) -> ModelFiles:
    """Return the whole model, written below `folder` where it is not there yet.

    Raises ModelUnavailableError where a part of it is missing or changed, or `folder` cannot be
    written.
    """
    digest = weights.checked(_TRAINED / _ADAPTER, _TRAINED / _MANIFEST)
    target = folder / f"reranker-{digest[:16]}"
    if not target.is_dir():
        _write(target)
    return weights.described(NAME, target)


def pack(model: Path, target: Path) -> None:
    """Keep of a trained folder `model` in `target` what is not the base's.

    Raises ModelUnavailableError where it is not a training of the bundled base, or cannot be read.
    """
    base = _base()
    try:
        trained = load_file(model / _MODEL)
        told = json.loads((model / _MANIFEST).read_text("utf-8"))
        changed = {name: values - base.get(name, _NOTHING) for name, values in trained.items()}
        target.mkdir(parents=True, exist_ok=True)
        for name in _SHOWN:
            shutil.copyfile(model / name, target / name)
    except (OSError, SafetensorError, ValueError) as error:
        raise ModelUnavailableError(f"{model} is no training of ours: {error}") from error
    kept = {name: values for name, values in changed.items() if values.any()}
    adapter.write(target / _ADAPTER, Adapter(kept, None))
    told["trained_sha256"], told["sha256"] = told["sha256"], weights.sha256(target / _ADAPTER)
    (target / _MANIFEST).write_text(json.dumps(told, indent=2) + "\n", "utf-8")


def _write(target: Path) -> None:
    """Write the whole model at once: another process sees all of it or nothing."""
    base, read = _base(), adapter.read(_TRAINED / _ADAPTER)
    whole: Tensors = {**base}
    for name, values in read.differences.items():
        whole[name] = base.get(name, _NOTHING) + values
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".reranker-") as made:
            folder = Path(made) / target.name
            folder.mkdir()
            save_file(whole, folder / _MODEL, {"format": "pt"})
            for name in _SHOWN:
                shutil.copyfile(_TRAINED / name, folder / name)
            shutil.copyfile(weights.bundled_base().folder / _TOKENIZER, folder / _TOKENIZER)
            if not target.is_dir():  # another process may have been first
                folder.rename(target)
    except OSError as error:
        raise ModelUnavailableError(
            f"the bundled cross-encoder cannot be written to {target.parent}: {error}; name "
            "another folder with RAG_DATA_DIR"
        ) from error


def _base() -> Tensors:
    """The base's parameters by the names that they have in a cross-encoder."""
    found = load_file(weights.bundled_base().folder / _MODEL)
    return {_INNER + name: values for name, values in found.items() if values.dtype == np.float32}


def main(argv: Sequence[str] | None = None) -> int:
    """Bundle the folder that is named; return 0, or 2 for an error."""
    given = sys.argv[1:] if argv is None else list(argv)
    if len(given) != 1:
        print("usage: python -m retrieval.bundled_reranker FOLDER", file=sys.stderr)
        return 2
    try:
        pack(Path(given[0]), _TRAINED)
    except ModelUnavailableError as error:
        print(f"retrieval.bundled_reranker: {error}", file=sys.stderr)
        return 2
    print(f"{_TRAINED.name}/: {(_TRAINED / _ADAPTER).stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
