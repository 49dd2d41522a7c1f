"""Both engines over both vaults, every question of their datasets (E137): minutes, so a soak."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from evals.labels import dataset
from evals.labels.options import RULES, RULES_VAULT, folder_named
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.encoder.bi_encoder import Embedder
from retrieval.models import SearchResult
from retrieval.search import search
from retrieval.settings import Settings
from tests.conftest import new_database
from tests.support.index.index_state import same_models

VAULTS = {  # questions and folder, by name
    "sample": (RULES, RULES_VAULT),
    "handbook": (RULES.with_name("handbook.jsonl"), folder_named("handbook")),
}
CLOSE = 1e-4  # what scores may differ by over one index
Engines = tuple[SearchContext, SearchContext]

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module", params=VAULTS)
def vault_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def engines(
    loaded: SearchContext, by_torch: Embedder, server: str, vault_name: str
) -> Iterator[Engines]:
    """A context of each engine over one index, which onnxruntime made."""
    assert loaded.embedder.files.graph
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        folder = VAULTS[vault_name][1]
        settings = Settings.model_validate({"database_url": url, "vault": folder})
        ours = stack.enter_context(same_models(loaded, settings))
        theirs = stack.enter_context(same_models(replace(loaded, embedder=by_torch), settings))
        assert pipeline.run(ours, folder).embedded > 300
        assert theirs.fingerprint == ours.fingerprint
        assert pipeline.run(theirs, folder).embedded == 0  # the index is its own
        yield ours, theirs


@pytest.fixture
def own_index(
    engines: Engines, by_torch: Embedder, server: str, vault_name: str
) -> Iterator[Engines]:
    """A context of each engine over an index that it made itself."""
    ours, _ = engines
    folder = VAULTS[vault_name][1]
    with new_database(server) as url:
        settings = Settings.model_validate({"database_url": url, "vault": folder})
        with same_models(replace(ours, embedder=by_torch), settings) as theirs:
            assert pipeline.run(theirs, folder).embedded > 300
            yield ours, theirs


def ranks(found: SearchResult) -> list[str]:
    return [hit.chunk.id for hit in found.hits]


def order(found: SearchResult) -> list[str]:
    return [row.chunk_id for row in found.trace]


def greatest(found: SearchResult, other: SearchResult) -> float:
    """The greatest difference of a score of a candidate that both have."""
    known = {row.chunk_id: row.fused_score for row in other.trace}
    both = [row for row in found.trace if row.chunk_id in known]
    return max((abs(row.fused_score - known[row.chunk_id]) for row in both), default=0.0)


def compared(name: str, engines: Engines, dataset_file: Path) -> tuple[list[str], float]:
    """The questions whose passages or their order differ, and how far scores are apart."""
    differ, most, moved, scores = [], 0.0, 0, 0
    questions = dataset.load(dataset_file)
    for one in questions:
        found, other = (search(context, one.question) for context in engines)
        most = max(most, greatest(found, other))
        moved += order(found) != order(other)
        scores += len(found.trace)
        if ranks(found) != ranks(other):
            differ.append(f"{one.id}: {ranks(found)} and {ranks(other)}")
    print(
        f"\n{name}: {len(questions)} questions, {len(differ)} with other passages, {moved} with "
        f"another order of candidates; scores at most {most:.1e} apart (n = {scores})"
    )
    return differ, most


def test_over_one_index_ranks_are_equal_and_scores_close(engines: Engines, vault_name: str) -> None:
    differ, most = compared(f"{vault_name}, one index", engines, VAULTS[vault_name][0])
    assert differ == []
    assert most <= CLOSE


def test_over_an_index_of_its_own_each_engine_has_the_same_ranks(
    own_index: Engines, vault_name: str
) -> None:
    """Scores are only printed: they come up to 6e-4 apart (E90), as vectors of words are bytes."""
    differ, _ = compared(f"{vault_name}, its own", own_index, VAULTS[vault_name][0])
    assert differ == []
