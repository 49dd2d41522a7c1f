"""A Ray cluster of this machine: one node that only leads, and nodes with a worker each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[3]
_ROOM = 100_000_000  # bytes of shared memory a node


@contextmanager
def ray_cluster() -> Iterator[Any]:
    """Yield a cluster without a worker, whose workers will find this package."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(_ROOT))
        head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": _ROOM}
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        try:
            yield cluster
        finally:
            cluster.shutdown()


def add_worker(cluster: Any) -> None:
    """Add a node with one worker."""
    cluster.add_node(num_cpus=1, object_store_memory=_ROOM)


def add_pinned_worker(cluster: Any, core: int) -> None:
    """Add a node with one worker; its processes run on `core` alone, as what starts them does."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        add_worker(cluster)
    finally:
        os.sched_setaffinity(0, before)


def processes(cluster: Any, task: str = "") -> list[int]:
    """Return the processes of the workers that now run a task of that name; by default, all."""
    found = []
    for node in cluster.worker_nodes:
        (raylet,) = node.all_processes["raylet"]
        pid = raylet.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
        for child in map(int, children):
            if Path(f"/proc/{child}/cmdline").read_bytes().startswith(f"ray::{task}".encode()):
                found.append(child)
    return found
