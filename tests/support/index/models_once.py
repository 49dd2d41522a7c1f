"""A pytest plugin: a run hashes and loads the models once, though some hundred contexts are opened.

The bundled models alone are kept; another is loaded as its test says.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from retrieval.encoder import adapter, onnx_model, weights


def _kept(digest: Callable[[Path], str]) -> Callable[[Path], str]:
    """Return what takes the digest of a file again only where the file changed."""
    known = cache(lambda path, changed, size: digest(path))

    def taken(path: Path) -> str:
        status = path.stat()
        return known(path, status.st_mtime_ns, status.st_size)

    return taken


def _loaded(load: Callable[..., Any]) -> Callable[..., Any]:
    """Return what loads a model again only where its files, or what applies an adapter, differ."""
    known = cache(lambda applied, *given: load(*given))
    return lambda *given: known(adapter.apply, *given)


vars(weights)["sha256"] = _kept(weights.sha256)
for _name in ("bi_encoder", "cross_encoder"):
    vars(onnx_model)[_name] = _loaded(vars(onnx_model)[_name])
