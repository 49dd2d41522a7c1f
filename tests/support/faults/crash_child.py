"""A process that forks a `python -m ingest` for each job, so that none pays for imports.

A job is a line of JSON: the arguments, the environment, and the file for what is printed. Two lines
come back: the process's id, also of its group, and in the end its status as `subprocess` has it.
The encoder is replaced by a hash, which gives each text the same vector in every process; all
else is what users run. A fault point stands in front of every statement and commit of a writer, in
the middle of a COPY, and behind everything that is read, parsed and embedded.
"""

import contextlib
import gc
import hashlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np
import psycopg

from ingest.__main__ import main
from ingest.read import stable_read
from ingest.sandbox import parsing
from retrieval import context
from retrieval.database import keepalive, pool
from retrieval.encoder import bi_encoder
from retrieval.index.store import Connection
from tests.support.faults import fault_points

# `python -m ingest` with vectors that cost nothing, for a process that is no fork of this one.
INGEST = """
import sys
from ingest.__main__ import main
from retrieval import context
from tests.support.faults.crash_child import HashingEmbedder
context.Embedder = HashingEmbedder
sys.exit(main(sys.argv[1:]))
"""


class HashingEmbedder(bi_encoder.Embedder):
    """An encoder whose vectors hang on the text and the model's digest alone."""

    def _encode(self, texts: list[str]) -> list[bi_encoder._Output]:
        return [self._hashed(text) for text in texts]

    def _hashed(self, text: str) -> bi_encoder._Output:
        digest = hashlib.sha256(f"{self.files.digest} {text}".encode()).digest()
        numbers = np.random.default_rng(list(digest))
        hidden = numbers.standard_normal((self.tokens.count(text) + 1, self.dimension), np.float32)
        return bi_encoder._Output(hidden[0] / np.linalg.norm(hidden[0]), hidden[1:])

    def encode(self, *args: Any, **options: Any) -> bi_encoder.Encoded:
        fault_points.point("before the encoder")
        encoded = super().encode(*args, **options)
        fault_points.point("embedded")
        return encoded


class CountedCursor(psycopg.Cursor[Any]):
    """A cursor with a fault point in front of each statement, named by its beginning."""

    def execute(self, query: Any, *args: Any, **options: Any) -> Self:
        _count(query)
        return super().execute(query, *args, **options)

    def executemany(self, query: Any, *args: Any, **options: Any) -> None:
        _count(query)
        super().executemany(query, *args, **options)

    @contextlib.contextmanager
    def copy(self, statement: Any, *args: Any, **options: Any) -> Iterator[psycopg.Copy]:
        _count(statement)
        with super().copy(statement, *args, **options) as copy:
            fault_points.point("rows not sent")
            yield copy
            fault_points.point("rows not ended")


class CountedConnection(keepalive.LimitedConnection):
    """A connection with a fault point in front of each commit of a writer."""

    @contextlib.contextmanager
    def transaction(self, *args: Any, **options: Any) -> Iterator[psycopg.Transaction]:
        with super().transaction(*args, **options) as transaction:
            yield transaction
            if self.cursor_factory is CountedCursor:
                fault_points.point("COMMIT")


class CountedStore(pool.Store):
    """A store whose writers' statements are counted; those of its pool are made in threads."""

    @contextlib.contextmanager
    def connect(self, **options: Any) -> Iterator[Connection]:
        with super().connect(**options) as conn:
            conn.cursor_factory = CountedCursor
            yield conn


def serve() -> None:
    """Run jobs until the input ends."""
    gc.freeze()  # a fork that collects garbage would copy all that was imported
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(job["environment"], Path(job["printed"]))
            _end(_status(job["arguments"]))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _become(environment: dict[str, str], printed: Path) -> None:
    """Turn this fork into a process of its own, with its environment and its output."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    os.chdir(printed.parent)  # no .env there
    to = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(to, descriptor)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.environ.update(environment)
    fault_points.arm(os.environ.pop("RULES_FAULT"))
    vars(context).update(Embedder=HashingEmbedder, Store=CountedStore)
    vars(pool)["LimitedConnection"] = CountedConnection
    vars(stable_read)["read"] = _counted(stable_read.read, "file read")
    vars(parsing)["index"] = _counted(parsing.index, "file parsed")


def _counted(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return `function` with a fault point behind it."""

    def counted(*args: Any, **options: Any) -> Any:
        made = function(*args, **options)
        fault_points.point(name)
        return made

    return counted


def _status(arguments: list[str]) -> int:
    """Run the program and return its status, of an error that it lets through, too."""
    try:
        return main(arguments)
    except fault_points.FaultError:
        traceback.print_exc()
        return 1


def _end(status: int) -> NoReturn:
    """End this process at once: Python's own end would copy all that the fork shares."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _count(query: object) -> None:
    text = query.decode() if isinstance(query, bytes) else str(query)
    fault_points.point(" ".join(text.split())[:80])


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        serve()
