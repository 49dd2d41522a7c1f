"""`python -m api` on one core, where a pass of a model is a pause and all else is what users run.

`python -m tests.support.servers.simulated_api CORE`: the models' thread waits as it would for the
encoder and the cross-encoder. Two questions are searched for at once, on a machine of any size.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import cached_property

from api.__main__ import main
from api.admission import concurrency_limit
from retrieval import context
from retrieval.encoder import bi_encoder
from retrieval.ranking import reranking
from tests.support.faults.crash_child import HashingEmbedder

ENCODER = 0.1  # seconds of a question
RERANKER = 0.1  # seconds of the passages of a question
AT_ONCE = 2  # questions that are searched for


class SimulatedEmbedder(HashingEmbedder):
    """An encoder whose pass over a question is a pause; its vectors are hashes."""

    def _encode(self, texts: list[str]) -> list[bi_encoder._Output]:
        time.sleep(ENCODER)
        return super()._encode(texts)


class SimulatedReranker(reranking.CrossEncoderReranker):
    """A cross-encoder whose pass over a batch is a pause; its scores keep the order."""

    @cached_property
    def _bundled(self) -> Callable[[Sequence[tuple[str, str]]], list[float]]:
        return _paused


def _paused(pairs: Sequence[tuple[str, str]]) -> list[float]:
    time.sleep(RERANKER)
    return [0.0] * len(pairs)


def serve(core: int) -> int:
    """Run the API on that core and return its exit status."""
    os.sched_setaffinity(0, {core})
    vars(context).update(Embedder=SimulatedEmbedder, CrossEncoderReranker=SimulatedReranker)
    vars(concurrency_limit)["AT_WORK"] = AT_ONCE
    return main([])


if __name__ == "__main__":
    sys.exit(serve(int(sys.argv[1])))
