"""An embedded server that dies under a running program is started again by the next search."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from ingest import pipeline
from retrieval.context import open_context
from retrieval.database.pool import Store
from retrieval.errors import DatabaseUnreachableError
from retrieval.search import search
from retrieval.settings import Settings
from tests.support.index.embedded import alive, server

QUESTION = "How long does a torch burn?"


@pytest.mark.proves("row 23", "row 25")
def test_searches_go_on_after_a_kill_9_of_the_embedded_server(fresh: Path, vault: Path) -> None:
    values = {"rag_data_dir": fresh, "vault": vault, "rag_threshold": -9.0}
    with open_context(Settings.model_validate(values)) as context:
        pipeline.run(context, vault)
        before = search(context, QUESTION)
        for askers in (1, 4):
            killed = server(fresh)
            os.kill(killed, signal.SIGKILL)
            with ThreadPoolExecutor(askers) as pool:
                found = list(pool.map(lambda _: search(context, QUESTION), range(askers)))
            assert [one.hits for one in found] == [before.hits] * askers
            last = server(fresh)
            assert last != killed
    assert not alive(last)  # who leaves last stops it


def test_a_database_of_somebody_else_is_not_started(settings: Settings) -> None:
    with open_context(settings) as context:
        assert context.store._revive is None


def test_one_that_cannot_be_started_is_unreachable() -> None:
    def fails(seconds: float) -> None:
        asked.append(seconds)
        raise DatabaseUnreachableError("its disk is full")

    asked: list[float] = []
    store = Store("postgresql://127.0.0.1:1/none", fails)
    store.open()
    try:
        with pytest.raises(DatabaseUnreachableError, match="its disk is full"):
            store.read(lambda conn: conn.execute("SELECT 1"))
    finally:
        store.close()
    assert len(asked) == 1
    assert 0 < asked[0] <= 12


def test_a_search_goes_on_while_the_process_forks(settings: Settings) -> None:
    with open_context(settings):
        matrix, done = np.ones((8_000, 384), np.float32), Event()

        def multiply() -> None:
            while not done.is_set():
                matrix @ matrix[0]

        running = [Thread(target=multiply, daemon=True) for _ in range(2)]
        for thread in running:
            thread.start()
        for _ in range(30):
            subprocess.run(["true"], user=os.geteuid(), check=True)  # forks, as for the server
        done.set()
        for thread in running:
            thread.join(timeout=10)
        assert not any(thread.is_alive() for thread in running)
