"""Read and embed files on the workers of a Ray cluster; only this process writes.

A task is a function of its files or texts alone, so Ray runs it again where a worker or a node is
lost, and the index is the same byte for byte as one made here. Every node needs this package and
the encoder's files.
"""

import hashlib
import logging
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from ingest import ray_tasks
from ingest.chunking.document import Index, IndexedChunk
from ingest.chunking.limits import Count
from ingest.read.vault import SourceFile
from retrieval.context import SearchContext, open_context
from retrieval.encoder.bi_encoder import Embedder, Encoded, Progress, batches
from retrieval.errors import (
    ConfigurationError,
    FileRejectedError,
    ModelUnavailableError,
    RulesError,
)
from retrieval.models import Vectors
from retrieval.settings import Settings

_BATCHES = 16  # of texts a task: some 3 s of one core with the bundled encoder
_FILES = 32  # a task
_WAITING = 2  # tasks a core of the cluster: so much is ready for it and no more is held in memory
_TRIES = 3  # more, where a worker or its node is lost
_KNOCK = 10.0  # seconds in which somebody must answer at its address
_PATIENCE = 30.0  # seconds without a result after which the nodes are counted
_LOST = ("WorkerCrashedError", "NodeDiedError", "OutOfMemoryError", "ObjectLostError")
_Result = TypeVar("_Result")


@contextmanager
def open_ingest_context(settings: Settings) -> Iterator[SearchContext]:
    """Yield the search context of an ingest, on INGEST_RAY_ADDRESS where that is set.

    Raises what `open_context` raises, and ConfigurationError where no cluster answers there.
    """
    with open_context(settings) as context:
        if settings.ingest_ray_address is None:
            yield context
            return
        with _cluster(settings.ingest_ray_address) as ray:
            yield replace(context, embedder=RayEmbedder(context, ray))


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    try:
        import ray
    except ImportError as error:
        raise ConfigurationError(
            f"INGEST_RAY_ADDRESS={address}: Ray is not installed; run: pip install '.[ray]'"
        ) from error
    try:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if host:  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), _KNOCK).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(f"INGEST_RAY_ADDRESS={address}: {error}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


class RayEmbedder(Embedder):
    """An Embedder whose texts are embedded by the cluster; questions are embedded here.

    Batches are those of `Embedder`, so its vectors are too.
    """

    def __init__(self, context: SearchContext, ray: Any) -> None:
        here = context.embedder
        super().__init__(here.files, here.thread, here.pooling)
        given = context.settings  # of which no password leaves this process
        self._encoder = ray_tasks.Encoder(
            given.embedding_model, given.hf_hub_offline, here.files.digest, here.pooling
        )
        self._ray = ray

    def encode(
        self, texts: Sequence[str], progress: Progress | None = None, *, keep_odd: bool = False
    ) -> Encoded:
        """Return what `Embedder.encode` does. Raises ModelUnavailableError without workers, too."""
        made = self._of_workers(texts, progress, tokens=True)
        vectors = self._sound(texts, [vector for vector, _ in made], keep_odd=keep_odd)
        return Encoded(vectors, tuple(tokens for _, tokens in made))

    def embed(
        self, texts: Sequence[str], progress: Progress | None = None, *, keep_odd: bool = False
    ) -> Vectors:
        """Return what `Embedder.embed` does. Raises ModelUnavailableError without workers, too."""
        made = self._of_workers(texts, progress, tokens=False)
        return self._sound(texts, made, keep_odd=keep_odd)

    def reader(self, files: Sequence[SourceFile]) -> Index:
        """Return what gives each of `files` its chunks, all of them cut by the cluster.

        It raises FileRejectedError as `parsing.index` does, and for a file under which one worker
        after the other dies.
        """
        parts = [files[at : at + _FILES] for at in range(0, len(files), _FILES)]
        cut: dict[str, list[IndexedChunk] | str] = {}

        def keep(part: Sequence[SourceFile], made: Sequence[list[IndexedChunk] | str]) -> None:
            cut.update(zip((file.path for file in part), made, strict=True))

        lost = self._each(ray_tasks.cut, parts, keep, lambda part: [file.sha256 for file in part])
        alone = [[file] for part in lost for file in part]
        for (file,) in self._each(ray_tasks.cut, alone, keep, lambda part: [part[0].sha256]):
            cut[file.path] = f"{1 + _TRIES} workers of the Ray cluster ended while they read it"

        def index(file: SourceFile, *, entry_limit: int, count: Count) -> list[IndexedChunk]:
            made = cut[file.path]
            if isinstance(made, str):
                raise FileRejectedError(file.path, made)
            return made

        return index

    def _of_workers(
        self, texts: Sequence[str], progress: Progress | None, *, tokens: bool
    ) -> list[Any]:
        every = batches(self._lengths(texts))
        parts = [every[at : at + _BATCHES] for at in range(0, len(every), _BATCHES)]
        made: dict[int, Any] = {}

        def keep(part: Sequence[Sequence[int]], results: Sequence[Sequence[Any]]) -> None:
            for rows, found in zip(part, results, strict=True):
                made.update(zip(rows, found, strict=True))
                if progress:
                    progress(len(rows))

        def given(part: Sequence[Sequence[int]]) -> list[list[str]]:
            return [[texts[row] for row in rows] for rows in part]

        work = ray_tasks.with_tokens if tokens else ray_tasks.without_tokens
        lost = self._each(work, parts, keep, lambda part: chain(*given(part)), given)
        if lost:
            raise ModelUnavailableError(
                f"{len(lost)} of {len(parts)} batches were lost by {1 + _TRIES} workers of the Ray "
                "cluster each; nothing was written; look at its logs, or unset INGEST_RAY_ADDRESS"
            )
        return [made[row] for row in range(len(texts))]

    def _each(
        self,
        work: Callable[[ray_tasks.Encoder, Any], _Result],
        parts: Sequence[Any],
        keep: Callable[[Any, _Result], None],
        content: Callable[[Any], Iterable[str]],
        given: Callable[[Any], Any] = lambda part: part,
    ) -> list[Any]:
        """Give each part to a worker and keep what it returns; return the parts that none did."""
        ray, lost = self._ray, []
        running: dict[Any, Any] = {}  # parts by what will be their result
        most = _WAITING * max(1, int(ray.cluster_resources().get("CPU", 1)))
        task = ray.remote(num_cpus=1, max_retries=_TRIES)(work)
        waiting = list(reversed(parts))
        while waiting or running:
            while waiting and len(running) < most:
                part = waiting.pop()
                name = f"{work.__name__} {_digest(content(part))}"
                running[task.options(name=name).remote(self._encoder, given(part))] = part
            done, _ = ray.wait(list(running), num_returns=1, timeout=_PATIENCE)
            if not done:
                self._require_workers()
                continue
            part = running.pop(done[0])
            try:
                keep(part, ray.get(done[0]))
            except tuple(getattr(ray.exceptions, name) for name in _LOST):
                lost.append(part)
            except ray.exceptions.RayTaskError as error:
                raise _named(error.cause) from error
        return lost

    def _require_workers(self) -> None:
        if not self._ray.cluster_resources().get("CPU"):
            raise ModelUnavailableError(
                "the Ray cluster has no worker left; nothing was written; start its nodes again, "
                "or unset INGEST_RAY_ADDRESS"
            )


def _named(cause: BaseException) -> RulesError:
    """What a task failed of, in words that say what to do."""
    if isinstance(cause, RulesError):
        return cause
    return ModelUnavailableError(
        f"a worker of the Ray cluster failed: {type(cause).__name__}: {str(cause).strip()[:300]}; "
        "nothing was written; every node needs this package: pip install '.[ray]'"
    )


def _digest(content: Iterable[str]) -> str:
    found = hashlib.sha256()
    for one in content:
        found.update(one.encode())
        found.update(b"\0")
    return found.hexdigest()[:12]
