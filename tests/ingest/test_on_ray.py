"""On a Ray cluster an ingest makes the same index byte for byte, whatever dies in the middle."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from ingest import pipeline
from ingest.on_ray import RayEmbedder, open_ingest_context
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError, ModelUnavailableError
from retrieval.settings import Settings
from tests.conftest import RULES, new_database, write_vault
from tests.support.index.index_state import content
from tests.support.servers import ray_nodes

ROWS = "".join(f"| Beast {n} | {n % 9 + 1} HD | {n} gold pieces in its den |\n" for n in range(80))
TABLE = f"# Beasts\n\n| Beast | Strength | Treasure |\n|---|---|---|\n{ROWS}"
PROSE = "\n\n".join(
    f"Whoever meets number {n} in ward {{0}} must pay {n} coins." for n in range(90)
)
BOMB = "| a |\n|---|\n" + "| x |\n" * 300_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Three nodes on this machine: one that only leads, and two with a worker each."""
    with ray_nodes.ray_cluster() as made:
        for _ in range(2):
            ray_nodes.add_worker(made)
        yield made


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A folder of rules that takes some seconds to embed, with one file that is rejected."""
    files = {f"3. Wards/Ward {n}.md": PROSE.format(n) for n in range(8)}
    return write_vault(tmp_path / "many", {**RULES, "Beasts.md": TABLE, "Bomb.md": BOMB, **files})


@pytest.mark.proves("promise 2", "row 9")
def test_a_killed_worker_and_a_lost_node_change_nothing(
    cluster: Any, server: str, empty: SearchContext, settings: Settings, many: Path
) -> None:
    here = pipeline.run(empty, many)
    seen: list[int] = []

    def disturb(what: str, done: int, _: int) -> None:
        if what != "embedding":
            return
        seen.append(done)
        if len(seen) == 1:
            os.kill(ray_nodes.processes(cluster, "with_tokens")[0], signal.SIGKILL)
        elif len(seen) == 40:
            cluster.remove_node(sorted(cluster.worker_nodes, key=str)[0], allow_graceful=False)

    with new_database(server) as url:
        given = {"database_url": SecretStr(url), "ingest_ray_address": cluster.address}
        other = settings.model_copy(update=given)
        with open_ingest_context(other) as on_ray:
            assert isinstance(on_ray.embedder, RayEmbedder)
            there = pipeline.run(on_ray, many, progress=disturb)
            assert (there.embedded, there.chunks) == (here.embedded, here.chunks)
            assert there.embedded > 700
            assert [str(one) for one in there.rejected] == [str(one) for one in here.rejected]
            assert [one.path for one in there.rejected] == ["Bomb.md"]
            assert content(on_ray) == content(empty)
            assert _tokens(on_ray) == _tokens(empty)
            texts = [f"A torch burns for {hours} hours." for hours in range(40)]
            assert np.array_equal(on_ray.embedder.embed(texts), empty.embedder.embed(texts))
    assert len(seen) > 40
    assert len(cluster.worker_nodes) == 1


def _tokens(context: SearchContext) -> list[Any]:
    with context.store.connect() as conn:
        return conn.execute(
            "SELECT text_sha256, token_vectors, token_scale FROM entry ORDER BY 1"
        ).fetchall()


def test_what_kills_or_fails_every_worker_is_named_and_the_rest_is_done(
    cluster: Any, empty: SearchContext, settings: Settings
) -> None:
    made: list[int] = []

    def work(_: object, part: int) -> int:  # nested, so it goes to the workers by value
        if part == 1:
            os._exit(1)
        return 1 // part

    def each(parts: list[int]) -> list[int]:
        with open_ingest_context(other) as on_ray:
            assert isinstance(on_ray.embedder, RayEmbedder)
            keep = lambda _, found: made.append(found)  # noqa: E731
            return on_ray.embedder._each(work, parts, keep, lambda part: [str(part)])

    other = settings.model_copy(update={"ingest_ray_address": cluster.address})
    assert each([2, 1, 3]) == [1]
    assert made == [0, 0]
    with pytest.raises(ModelUnavailableError, match=r"ZeroDivisionError.*every node needs"):
        each([0])


def test_an_address_where_no_cluster_answers_is_named(settings: Settings) -> None:
    other = settings.model_copy(update={"ingest_ray_address": "127.0.0.1:1"})
    said = pytest.raises(ConfigurationError, match=r"INGEST_RAY_ADDRESS=127\.0\.0\.1:1")
    with said, open_ingest_context(other):
        pass
