"""A folder that is changed at random, against a dictionary: what ingest leaves and readers find."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from ingest import pipeline
from retrieval import context
from retrieval.context import SearchContext, open_context
from retrieval.index.store import Connection
from retrieval.settings import Settings
from tests.conftest import new_database
from tests.support.faults.crash_child import HashingEmbedder
from tests.support.faults.crash_state import content
from tests.support.index.vault_machine import Vault
from tests.support.source.promises_table import Runs


@contextmanager
def two_rulebooks(server: str, folder: Path) -> Iterator[tuple[SearchContext, SearchContext]]:
    """Yield the search context of the folder's vault, and one of another database."""
    root = folder / "vault"
    root.mkdir()
    (root / "First.md").write_text("# First\n\nA rule.\n")
    with new_database(server) as url, new_database(server) as other:
        one, two = (
            Settings.model_validate({"database_url": name, "vault": root, "rag_threshold": -9.0})
            for name in (url, other)
        )
        with open_context(one) as book, open_context(two) as fresh:
            for opened in (book, fresh):
                pipeline.run(opened, root)  # makes the tables
            yield book, fresh


def without_vectors(conn: Connection) -> object:
    """Return the entries of the live generation; equal texts have nearly equal vectors."""
    return (
        conn.execute(
            "SELECT c.path, c.first_line, c.piece, c.text, e.ordinal, e.quote, e.text_sha256 "
            "FROM chunk AS c JOIN generation AS g ON g.id = c.generation_id "
            "JOIN entry AS e ON e.chunk_id = c.id WHERE g.state = 'live' ORDER BY 1, 2, 3, 5"
        ).fetchall()
        or None
    )


def check(
    server: str,
    folder: Path,
    runs: Runs,
    *,
    examples: int,
    steps: int,
    look: Callable[[Connection], object] = content,
) -> None:
    """Run the machine for so many examples of at most so many steps."""
    with two_rulebooks(server, folder) as (book, fresh):

        class Machine(Vault):
            pass

        Machine.book, Machine.fresh, Machine.look, Machine.ingests = book, fresh, look, 0
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                derandomize=True,  # make test is to give the same result twice
                suppress_health_check=list(HealthCheck),
            ),
        )
        assert Machine.ingests >= examples // 2
        runs(Machine.ingests)


@pytest.mark.proves("row 12", "promise 2", "promise 3", "promise 5")
@pytest.mark.parametrize(
    ("examples", "steps"), [(5, 20), pytest.param(300, 40, marks=pytest.mark.soak)]
)
def test_a_folder_changed_at_random_is_as_a_dictionary_of_it(
    server: str, tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch,
    examples: int, steps: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(context, "Embedder", HashingEmbedder)
    check(server, tmp_path, runs, examples=examples, steps=steps)


@pytest.mark.proves("row 12", "promise 2")
def test_with_the_real_model_too(server: str, tmp_path: Path, runs: Runs) -> None:
    # The last bits of a text's vector depend on the other texts of its batch.
    check(server, tmp_path, runs, examples=6, steps=12, look=without_vectors)
