"""Ingests that are made to fail, in processes of their own, and what must hold after each.

A pytest plugin, so that the tests need not import the fixture.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from retrieval.index.store import Connection
from tests.conftest import new_database, write_vault
from tests.support.faults.crash_state import content, contents, rows, settle, wrong_counts
from tests.support.index.embedded import until

Place = Mapping[str, str]  # the setting that says where the database is
_ROOT = Path(__file__).parents[3]
OLD = {
    "1. Light/Torches.md": "# Torches\n\nA torch burns for one hour.\n\nIt goes out in water.\n",
    "2. Arms/Weapons.md": "# Weapons\n\n| Weapon | Cost (gp) |\n|---|---|\n| Axe | 7 |\n",
    "2. Arms/Hazards.md": "# Hazards\n\n## Falling\n\nA fall deals 1d6 for each 10' fallen.\n",
    "3. Rest.md": "---\nstatus: draft\n---\n# Rest\n\nA night of rest heals 1 hp.\n",
}
NEW = {  # one file changed, one renamed, one deleted, one added, one kept
    "1. Light/Torch.md": OLD["1. Light/Torches.md"],
    "2. Arms/Weapons.md": OLD["2. Arms/Weapons.md"].replace("7", "9"),
    "3. Rest.md": OLD["3. Rest.md"],
    "4. New/Rope.md": "# Rope\n\nA rope holds 3 people.\n",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How an ingest ended: its status as `subprocess` has it, and all that it printed."""

    status: int
    printed: str

    @property
    def fault(self) -> str:
        """The point at which the fault happened; "" where the ingest did not come so far."""
        _, _, said = self.printed.partition("fault point: ")
        return said.partition("\n")[0].partition(" at ")[2]

    def is_past(self, name: str) -> bool:
        """Whether it came so far as a point whose name begins so."""
        return f"passed: {name}" in self.printed or self.fault.startswith(name)


@dataclass(frozen=True, slots=True)
class Job:
    """An ingest: `python -m ingest ARGUMENTS` of one vault with one model."""

    vault: Path
    model: Path
    arguments: tuple[str, ...] = ()


@dataclass(slots=True)
class Ingests:
    """The process that forks ingests."""

    process: subprocess.Popen[str]
    folder: Path

    def start(self, place: Place, job: Job, fault: str = "") -> int:
        """Start an ingest in a process group of its own and return the group's id."""
        line = {
            "arguments": [str(job.vault), *job.arguments],
            "environment": {**place, "EMBEDDING_MODEL": str(job.model), "RULES_FAULT": fault},
            "printed": str(self.folder / "printed"),
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return int(self._said())

    def end(self) -> Ended:
        """Wait for the end of the ingest that was started."""
        status = int(self._said())
        return Ended(status, (self.folder / "printed").read_text("utf-8"))

    def run(self, place: Place, job: Job, fault: str = "") -> Ended:
        """Run an ingest to its end."""
        group = self.start(place, job, fault)
        ended = self.end()
        until(lambda: not _runs(group))  # its children end with it
        return ended

    def _said(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the process that forks ingests has died; its error is above"
        return line


@contextmanager
def ingests(folder: Path) -> Iterator[Ingests]:
    """Yield a process that forks ingests which work in `folder`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.faults.crash_child"],
        cwd=_ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # a fork has no other threads
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield Ingests(process, folder)


def _runs(group: int) -> bool:
    """Say whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def make_model(made: Path) -> Path:
    """Make a model's folder whose digest hangs on its name; each word is one word piece for it."""
    made.mkdir()
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(made / "tokenizer.json"))
    (made / "config.json").write_text(json.dumps({"hidden_size": 16}))
    (made / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 256}))
    (made / "model.safetensors").write_text(made.name)
    return made


@dataclass(frozen=True, slots=True)
class Turn:
    """An ingest that is made to fail, and the digests of what readers may see then."""

    job: Job
    before: str | None
    after: str | None
    then: Job  # the next ingest
    settled: str | None  # what readers see after it


@dataclass(frozen=True, slots=True)
class Index:
    """A database that ingests write, and our connection that looks at it."""

    place: Place
    conn: Connection


@dataclass(slots=True)
class Laboratory:
    """Two vaults, some models, and the digests of their indexes when freshly made."""

    server: str
    folder: Path
    ingests: Ingests
    digests: dict[Job, str | None] = field(default_factory=dict)

    def job(self, vault: str, model: str, *arguments: str) -> Job:
        """Return an ingest of the vault "old" or "new"; a model is made with its first use."""
        root = self.folder / vault
        if not root.exists():
            write_vault(root, {"old": OLD, "new": NEW}[vault])
        made = self.folder / model
        return Job(root, made if made.exists() else make_model(made), arguments)

    @contextmanager
    def index(self, *jobs: Job) -> Iterator[Index]:
        """Yield a new database after these ingests."""
        with (
            new_database(self.server) as url,
            psycopg.connect(url, autocommit=True) as conn,
        ):
            index = Index({"DATABASE_URL": url}, conn)
            for job in jobs:
                self.done(index, job)
            yield index

    def fresh(self, job: Job) -> str | None:
        """Return the digest of what a first ingest of that vault with that model makes."""
        job = Job(job.vault, job.model)
        if job not in self.digests:
            with self.index(job) as index:
                self.digests[job] = content(index.conn)
        return self.digests[job]

    def turn(self, start: Job, job: Job) -> Turn:
        """Return the turn from the index that `start` made to the one that `job` makes."""
        before, after = self.fresh(start), self.fresh(job)
        return Turn(job, before, after, Job(job.vault, job.model), after)

    def done(self, index: Index, job: Job) -> Ended:
        """Run an ingest, assert that it succeeded, and return what it printed."""
        ended = self.ingests.run(index.place, job)
        assert ended.status == 0, ended
        settle(index.conn)
        return ended

    def fail(self, index: Index, turn: Turn, fault: str) -> Ended:
        """Let the turn's ingest fail, assert what readers may see, and return how it ended."""
        ended = self.ingests.run(index.place, turn.job, fault)
        self.look(index, turn, ended)
        return ended

    def look(self, index: Index, turn: Turn, ended: Ended) -> None:
        """Assert that readers see all of the old or all of the new, and no lock is left.

        Where the ingest said that it was done, it is the new.
        """
        settle(index.conn)
        seen = content(index.conn)
        assert seen in (turn.before, turn.after), ended
        assert wrong_counts(index.conn) == [], ended
        assert ended.status != 0 or seen == turn.after, ended

    def converge(self, index: Index, turn: Turn) -> None:
        """Assert that the next ingest leaves what a fresh one does, and one more does nothing."""
        mended = self.done(index, turn.then)
        held = dict(contents(index.conn))
        assert held.keys() <= {"live", "previous"}, (held, mended)
        assert held["live"] == turn.settled, (held, mended)
        written = rows(index.conn)
        again = self.done(index, turn.then)
        assert " 0 texts embedded" in again.printed, again
        assert rows(index.conn) == written, again


@pytest.fixture(scope="module")
def lab(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    """A laboratory in a folder that the server's account reaches, should root run the tests."""
    folder = tmp_path_factory.mktemp("crashes")
    folder.chmod(0o755)
    with ingests(folder) as forked:
        yield Laboratory(server, folder, forked)
