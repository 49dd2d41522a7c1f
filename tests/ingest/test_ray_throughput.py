"""Two workers of a Ray cluster, a core each, embed the same texts in little over half the time."""

import os
import time
from typing import Any

import numpy as np
import pytest

from ingest.on_ray import RayEmbedder, open_ingest_context
from retrieval.models import Vectors
from retrieval.settings import Settings
from tests.support.servers import ray_nodes

TEXTS = [
    f"Whoever meets number {n} of the {n % 97} wards at night must pay {n % 89} coins at the gate."
    for n in range(6_000)
]
TRIES = 2  # the first one loads the encoder; the least time counts
LEAST = 1.5  # times as fast
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def embedded(cluster: Any, settings: Settings, cores: list[int]) -> tuple[float, Vectors]:
    """Return the seconds that the cluster's workers take for TEXTS, and the vectors."""
    seconds = []
    with open_ingest_context(settings) as context:
        assert isinstance(context.embedder, RayEmbedder)
        for _ in range(TRIES):
            began = time.monotonic()
            encoded = context.embedder.encode(TEXTS)
            seconds.append(time.monotonic() - began)
        pinned = {frozenset(os.sched_getaffinity(pid)) for pid in ray_nodes.processes(cluster)}
    assert pinned == {frozenset({core}) for core in cores}
    return min(seconds), encoded.vectors


@pytest.mark.soak  # by hand: it wants two cores for itself
@pytest.mark.skipif(len(CORES) < 2, reason="two workers want two cores, on Linux")
def test_two_workers_are_nearly_twice_as_fast_as_one(
    settings: Settings, record_property: Any
) -> None:
    with ray_nodes.ray_cluster() as cluster:
        on_ray = settings.model_copy(update={"ingest_ray_address": cluster.address})
        ray_nodes.add_pinned_worker(cluster, CORES[0])
        one, alone = embedded(cluster, on_ray, CORES[:1])
        ray_nodes.add_pinned_worker(cluster, CORES[1])
        two, together = embedded(cluster, on_ray, CORES[:2])
    said = f"{len(TEXTS)} texts: 1 worker {one:.1f} s, 2 workers {two:.1f} s, {one / two:.2f} times"
    print(said)
    record_property("seconds", said)
    assert np.array_equal(alone, together)
    assert one >= LEAST * two, said
