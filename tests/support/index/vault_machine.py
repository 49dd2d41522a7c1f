"""A folder as a dictionary of its files: a state machine that edits, ingests, crashes and asks."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import hypothesis.strategies as st
import psycopg
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import IndexMissingError, VaultError
from retrieval.index.store import Connection
from retrieval.search import search

# Names that differ by case, by a number, by folder; and what each text says, alone or with others.
PATHS = ("Rope.md", "rope.md", "1. Gear/Rope.md", "2. Gear/Rope.md", "Gear/é.md", "Gear/Tent.md")
WORDS = ("hempen", "silken", "knotted", "frayed", "braided", "tarred")
paths = st.sampled_from(PATHS)
words = st.sampled_from(WORDS)
numbers = st.integers(0, 1_000_000_000)  # which file; of a touched one, its time
kinds = st.sampled_from(["create", "edit", "append", "revert", "rename", "copy", "delete", "touch"])


class CrashError(Exception):
    """What stops an ingest in the middle: an error that no code expects."""


@contextmanager
def crash_at(exchange: int) -> Iterator[None]:
    """Raise CrashError at this exchange with the database, counted from 1, once."""
    left, wait = exchange, psycopg.Connection.wait

    def counted(conn: psycopg.Connection, *arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise CrashError
        return wait(conn, *arguments, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(psycopg.Connection, "wait", counted)
        yield


def text(word: str) -> bytes:
    """A table, a list and a sentence that say this word."""
    return (
        f"# Of {word} rope\n\nA {word} rope holds three people.\n\n- one {word} coil\n- knot\n\n"
        f"| Rope | Cost |\n|---|---|\n| {word} | 3 gp |\n"
    ).encode()


class Vault(RuleBasedStateMachine):
    """The dictionaries are the truth: the folder, the live index, the previous generation."""

    book: SearchContext
    fresh: SearchContext  # of an empty database, for comparison
    look: Callable[[Connection], object]  # what two indexes are compared by
    ingests = 0

    @initialize()
    def begin(self) -> None:
        self.root = self.book.settings.vault
        self.folder: dict[str, bytes] = {}
        self.indexed: dict[str, bytes] | None = None  # None: never ingested
        self.previous: dict[str, bytes] | None = None
        self.versions: dict[str, bytes] = {}
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        for opened in (self.book, self.fresh):
            empty(opened)

    @rule(changes=st.lists(st.tuples(kinds, numbers, paths, words), min_size=1, max_size=4))
    def change(self, changes: list[tuple[str, int, str, str]]) -> None:
        """Change some files; one of them is chosen by a number, the other by its name."""
        for kind, number, to, word in changes:
            if kind == "create" or not self.folder:
                self._write(to, text(word))
                continue
            path = sorted(self.folder)[number % len(self.folder)]
            data = self.folder[path]
            match kind:
                case "edit":
                    self._write(path, data.replace(b"- knot", f"- {word} knot".encode(), 1))
                case "append":
                    self._write(path, data[:2000] + f"\n\nOnce more: {word}.\n".encode())
                case "revert":
                    self._write(path, self.versions.get(path, data))
                case "copy":
                    self._write(to, data)
                case "delete":
                    self._remove(path)
                case "rename" if path != to:
                    self._write(to, data)
                    self._remove(path)
                case "touch":
                    os.utime(self.root / path, (number, 4_000_000_000 - number))

    def _run(self, rebuild: bool) -> pipeline.IngestReport:
        return pipeline.run(
            self.book, self.root, allow_mass_delete=True, replace_vault=True, rebuild=rebuild
        )

    @rule(rebuild=st.booleans())
    def ingest(self, rebuild: bool) -> None:
        if not self.folder and not self.indexed:
            with pytest.raises(VaultError):
                pipeline.run(self.book, self.root)
            return
        before = self.indexed
        report = self._run(rebuild)
        type(self).ingests += 1
        assert report.rejected == ()
        if report.plan.rebuild and before is not None:
            self.previous = before
        self.indexed = dict(self.folder)
        if self.folder == before:
            assert report.embedded == 0
        self._check_content()

    @precondition(lambda self: self.folder)
    @rule(exchange=st.integers(1, 40), rebuild=st.booleans())
    def crash(self, exchange: int, rebuild: bool) -> None:
        before, states = self._content(self.book), self._states()
        try:
            with crash_at(exchange):
                self._run(rebuild)
        except CrashError:
            pass
        if self._states() != states:  # promoted before the crash, or never crashed
            self.previous = self.indexed
        now = self._content(self.book)
        if now != before or (self.indexed is None and self._states()):
            self.indexed = dict(self.folder)
            self._check_content()

    @precondition(lambda self: self.previous is not None)
    @rule()
    def roll_back(self) -> None:
        pipeline.roll_back(self.book)
        self.indexed, self.previous = self.previous, self.indexed

    @rule(word=words)
    def ask(self, word: str) -> None:
        if self.indexed is None:
            with pytest.raises(IndexMissingError):
                search(self.book, f"What does a {word} rope cost?")
            return
        hits = search(self.book, f"What does a {word} rope cost?", top_k=50).hits
        for hit in hits:
            assert hit.chunk.text.encode() in self.indexed[hit.chunk.path]  # nothing stale
        here = {path for path, data in self.indexed.items() if word.encode() in data}
        assert here <= {hit.chunk.path for hit in hits}  # nothing lost

    @invariant()
    def the_index_holds_what_was_ingested_and_nothing_else(self) -> None:
        wanted = {p: hashlib.sha256(data).hexdigest() for p, data in (self.indexed or {}).items()}
        with self.book.store.connect(autocommit=True) as conn:
            rows = conn.execute(
                "SELECT path, sha256 FROM file JOIN generation AS g ON g.id = generation_id "
                "WHERE g.state = 'live'"
            ).fetchall()
        assert dict(rows) == wanted

    def _check_content(self) -> None:
        """Compare every row with what a first ingest of the same folder makes."""
        empty(self.fresh)
        if self.folder:
            pipeline.run(self.fresh, self.root)
        assert self._content(self.book) == self._content(self.fresh)

    def _content(self, opened: SearchContext) -> object:
        with opened.store.connect(autocommit=True) as conn:
            return type(self).look(conn)

    def _states(self) -> list[Any]:
        with self.book.store.connect(autocommit=True) as conn:
            return conn.execute(
                "SELECT id FROM generation WHERE state = 'live' ORDER BY id"
            ).fetchall()

    def _write(self, path: str, data: bytes) -> None:
        if path in self.folder:
            self.versions[path] = self.folder[path]
        self.folder[path] = data
        file = self.root / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(data)

    def _remove(self, path: str) -> None:
        del self.folder[path]
        (self.root / path).unlink()


def empty(opened: SearchContext) -> None:
    """Forget all that a database holds."""
    with opened.store.connect(autocommit=True) as conn:
        conn.execute("TRUNCATE generation CASCADE")
