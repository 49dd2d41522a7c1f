"""What workers of a Ray cluster do: cut files and embed texts, by what they are given alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ingest.chunking.document import IndexedChunk
from ingest.read.vault import SourceFile
from ingest.sandbox import parsing
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.encoder.chosen_models import encoder_files
from retrieval.errors import FileRejectedError, ModelUnavailableError
from retrieval.settings import Settings


@dataclass(frozen=True, slots=True)
class Encoder:
    """What a worker needs to know of the encoder."""

    model: str  # EMBEDDING_MODEL
    offline: bool  # HF_HUB_OFFLINE
    digest: str
    pooling: int


@cache
def _opened(encoder: Encoder) -> Embedder:
    """The encoder of a worker's process. Raises ModelUnavailableError where it is another one."""
    files = encoder_files(
        Settings.model_construct(embedding_model=encoder.model, hf_hub_offline=encoder.offline)
    )
    if files.digest != encoder.digest:
        raise ModelUnavailableError(
            f"a node of the Ray cluster has {files.name} with sha256 {files.digest[:12]}, and the "
            f"ingest {encoder.digest[:12]}; install the same release on every node"
        )
    return Embedder(files, ModelThread(), encoder.pooling)


def with_tokens(encoder: Encoder, parts: Sequence[list[str]]) -> list[list[Any]]:
    """Return of each batch a vector and the word pieces' vectors a text."""
    return [_opened(encoder).batch(texts, tokens=True) for texts in parts]


def without_tokens(encoder: Encoder, parts: Sequence[list[str]]) -> list[list[Any]]:
    """Return of each batch a vector a text."""
    return [_opened(encoder).batch(texts, tokens=False) for texts in parts]


def cut(encoder: Encoder, files: Sequence[SourceFile]) -> list[list[IndexedChunk] | str]:
    """Return the chunks of each file, or why it is rejected."""
    opened = _opened(encoder)
    made: list[list[IndexedChunk] | str] = []
    for file in files:
        limit, count = opened.limit - 2, opened.tokens.count
        try:
            made.append(parsing.index(opened.files, file, entry_limit=limit, count=count))
        except FileRejectedError as error:
            made.append(error.reason)
    return made
