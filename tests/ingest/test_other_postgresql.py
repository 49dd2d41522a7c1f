"""A backup of the embedded PostgreSQL is restored into another version, and one of that back again.

Every question of the handbook and of the sample rules is asked of both. The wheel brings PostgreSQL
16 with pgvector along; tried too are Debian's, where it has pgvector 0.8, and what OTHER_POSTGRESQL
names. What a version stems otherwise ("added" is "add" in 18 and "ad" before) is found by other
words until a rebuild: questions with such a word are counted and not compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from evals.labels import dataset
from evals.labels.options import RULES, RULES_VAULT, folder_named
from ingest import __main__ as program
from ingest import backup, pipeline, restore
from retrieval.context import SearchContext
from retrieval.database.pool import Store
from retrieval.index import integrity, store
from retrieval.search import search
from retrieval.settings import Settings
from tests.conftest import new_database
from tests.support.index.embedded import open_folder
from tests.support.index.index_state import same_models
from tests.support.servers import other_postgres

CLOSE = 1e-6
HANDBOOK = folder_named("handbook")
VAULTS = {  # questions and folder, by name
    "handbook": (RULES.with_name("handbook.jsonl"), HANDBOOK),
    "sample": (RULES, RULES_VAULT),
}
Passage = tuple[str, int, int]

pytestmark = pytest.mark.soak


@dataclass(frozen=True, slots=True)
class Searched:
    """What one question found: its words as the server stems them, its passages, their scores."""

    stems: str
    passages: tuple[Passage, ...]
    scores: tuple[float, ...]


@pytest.fixture(params=other_postgres.folders(), ids=other_postgres.version)
def other(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty database of a server of another version."""
    binaries: Path = request.param
    if why := other_postgres.lacking(binaries):
        pytest.skip(f"{why}: nothing is restored into it")
    with open_folder() as folder, other_postgres.serve(binaries, folder / "data") as url:
        yield url


def server_version(url: str) -> int:
    with psycopg.connect(url) as conn:
        return conn.info.server_version


@dataclass(frozen=True, slots=True)
class Source:
    """A vault's index in the embedded PostgreSQL, and what its questions find there."""

    vault: str
    url: str
    found: list[Searched]


@pytest.fixture(scope="module", params=VAULTS)
def source(request: pytest.FixtureRequest, loaded: SearchContext, server: str) -> Iterator[Source]:
    """Ingest each of the vaults."""
    name = str(request.param)
    with new_database(server) as url:
        ingest(loaded, url, VAULTS[name][1])
        yield Source(name, url, searched(loaded, url, name))


def ingest(loaded: SearchContext, url: str, vault: Path) -> None:
    """Ingest into an empty database."""
    settings = Settings.model_validate({"database_url": url, "vault": vault})
    with same_models(loaded, settings) as context:
        assert pipeline.run(context, vault).embedded > 300


def searched(loaded: SearchContext, url: str, vault: str) -> list[Searched]:
    """What every question finds in the database."""
    settings = Settings.model_validate({"database_url": url, "rag_threshold": -9.0})
    questions = [asked.question for asked in dataset.load(VAULTS[vault][0])]
    with same_models(loaded, settings) as context:
        asked = zip(questions, stems(url, questions), strict=True)
        return [_searched(context, question, words) for question, words in asked]


def out_of_step(url: str) -> int:
    """How many chunks full text search has by other stems than this server's own."""
    with Store(url).connect(autocommit=True) as conn:
        return integrity.odd(conn, integrity.ODD_POSTINGS, generation=store.live(conn).id).count


def stems(url: str, questions: list[str]) -> list[str]:
    """The words of each question, as full text search asks for them."""
    asked = (
        "SELECT to_tsvector('english', text)::text FROM unnest(%s::text[]) WITH ORDINALITY "
        "AS one (text, place) ORDER BY place"
    )
    with psycopg.connect(url) as conn:
        return [words for (words,) in conn.execute(asked, [questions])]


def _searched(context: SearchContext, question: str, words: str) -> Searched:
    hits = search(context, question).hits
    places = ((hit.chunk.path, hit.chunk.first_line, hit.chunk.last_line) for hit in hits)
    return Searched(words, tuple(places), tuple(hit.score for hit in hits))


def compared(before: list[Searched], after: list[Searched]) -> dict[str, float]:
    """In how many questions passages differ, and by how much a score of the others at most."""
    pairs = list(zip(before, after, strict=True))
    alike = [(one, two) for one, two in pairs if one.stems == two.stems]
    same = [(one, two) for one, two in alike if one.passages == two.passages]
    scores = [abs(a - b) for one, two in same for a, b in zip(one.scores, two.scores, strict=True)]
    return {
        "questions": len(alike), "stemmed otherwise": len(pairs) - len(alike),
        "differ": len(alike) - len(same), "scores": len(scores),
        "greatest": max(scores, default=0.0), "not equal": sum(score > CLOSE for score in scores),
    }  # fmt: skip


def are_equal(found: dict[str, float]) -> bool:
    """Whether no passage differs and no score by more than what is allowed."""
    return found["differ"] == 0 and found["scores"] > 100 and found["greatest"] <= CLOSE


def carried_over(name: str, source: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Back one database up and restore it into the other, by the commands that users run."""
    monkeypatch.setenv("DATABASE_URL", source)
    assert backup.main([name]) == 0
    monkeypatch.setenv("DATABASE_URL", target)
    assert restore.main([name]) == 0


def test_searches_are_the_same_after_a_restore_into_another_postgresql_and_back(
    loaded: SearchContext, server: str, source: Source, other: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert server_version(other) != server_version(server)
    carried_over("there.dump", source.url, other, monkeypatch)
    there = compared(source.found, searched(loaded, other, source.vault))
    restemmed = out_of_step(other)
    with new_database(server) as back:
        carried_over("back.dump", other, back, monkeypatch)
        again = compared(source.found, searched(loaded, back, source.vault))
    told = {
        "vault": source.vault,
        "to": server_version(other),
        "chunks stemmed otherwise": restemmed,
    }
    print(told | {"there": there, "back": again})
    assert are_equal(there), there
    assert are_equal(again), again
    monkeypatch.setenv("DATABASE_URL", other)
    monkeypatch.setenv("VAULT", str(VAULTS[source.vault][1]))
    assert program.main(["--rebuild"]) == 0  # with its own stems, and known vectors
    assert out_of_step(other) == 0


def test_what_another_postgresql_ingested_is_restored_into_ours(
    loaded: SearchContext, server: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ingest(loaded, other, HANDBOOK)
    before = searched(loaded, other, "handbook")
    with new_database(server) as ours:
        carried_over("index.dump", other, ours, monkeypatch)
        found = compared(before, searched(loaded, ours, "handbook"))
        settings = Settings.model_validate({"database_url": ours, "vault": HANDBOOK})
        with same_models(loaded, settings) as context:
            assert pipeline.run(context, HANDBOOK).embedded == 0
    print({"from": server_version(other), "back": found})
    assert are_equal(found), found
