"""The two that are compared over one folder: our search, and a library in a process of its own."""

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from api.answer.card_reply import AskOptions, card_reply
from evals.peer_runs.counting_embedder import CountingEmbedder
from evals.peer_runs.environments import Peer
from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.errors import RetrieverError, VaultError
from retrieval.models import Chunk
from retrieval.search import search

_SERVE = Path(__file__).parent / "runners" / "serve.py"
_LONGEST = 1800.0  # seconds that a peer may take for a whole step
_SAID = 300  # characters of its stderr that an error shows


class OurSearch:
    """The ingest and the search that answer users, over an index that is empty at first."""

    def __init__(self, context: SearchContext, folder: Path) -> None:
        self._context, self._folder = context, folder

    def index(self) -> None:
        """Ingest the folder."""
        report = pipeline.run(self._context, self._folder)
        if report.rejected:
            raise VaultError(f"our ingest rejected {report.rejected[0]}; mend that file")

    update = index

    def search(self, question: str, count: int) -> list[Chunk]:
        """Return what a user's search does; a part of a table has its header with it."""
        hits = search(self._context, question, top_k=count).hits
        return [
            _passage("\n".join(filter(None, (hit.chunk.context, hit.chunk.text))),
                     hit.chunk.path, rank)
            for rank, hit in enumerate(hits)
        ]  # fmt: skip

    def refuses(self, question: str) -> bool:
        """Tell whether the reply is a refusal, which is decided behind search."""
        return card_reply(self._context, question, AskOptions()).certainty == "refused"


class PeerProcess:
    """A library's quickstart that runs in its own environment and is asked over pipes.

    It asks back for the vectors of our encoder.
    """

    def __init__(
        self, peer: Peer, process: "subprocess.Popen[str]", log: IO[str], folder: Path,
        embedder: CountingEmbedder,
    ):  # fmt: skip
        self._peer, self._process, self._log, self._folder = peer, process, log, folder
        self._embedder = embedder
        self.versions: Mapping[str, str] = self._reply()["versions"]

    def index(self) -> None:
        """Index the folder for the first time."""
        self._ask({"do": "index"})

    def update(self) -> None:
        """Bring the index into step by the library's own means."""
        self._ask({"do": "update"})

    def search(self, question: str, count: int) -> list[Chunk]:
        """Return the passages that the library returns; line numbers are not known."""
        found = self._ask({"do": "search", "question": question, "count": count})["passages"]
        root = f"{self._folder}/"
        return [
            _passage(one["text"], one["path"].removeprefix(root), rank)
            for rank, one in enumerate(found)
        ]

    def refuses(self, question: str) -> bool:
        """Tell whether no passage is returned: a search has no other way to say so."""
        return not self.search(question, 1)

    def _ask(self, asked: object) -> Any:
        self._write(asked)
        return self._reply()

    def _reply(self) -> Any:
        while line := _open(self._process.stdout).readline():
            reply = json.loads(line)
            if "embed" not in reply:
                return reply
            self._write(self._embedder.vectors(reply["embed"]))
        raise RetrieverError(self._ended())

    def _write(self, row: object) -> None:
        try:
            _open(self._process.stdin).write(json.dumps(row) + "\n")
            _open(self._process.stdin).flush()
        except BrokenPipeError as error:
            raise RetrieverError(self._ended()) from error

    def _ended(self) -> str:
        self._process.wait()
        self._log.seek(0)
        said = " ".join(self._log.read()[-_SAID:].split())
        return f"{self._peer.name} ended with {self._process.returncode}: {said}"


Retriever = OurSearch | PeerProcess


@contextmanager
def running(
    peer: Peer, python: Path, embedder: CountingEmbedder, folder: Path
) -> Iterator[PeerProcess]:
    """Yield a peer's process over a folder, which is ended afterwards.

    Raises RetrieverError, with the end of what it said, where it does not start.
    """
    left_out = ("PYTHONPATH", "PYTHONHOME")  # our packages' names are others' too
    environment = {k: v for k, v in os.environ.items() if k not in left_out}
    environment["HF_HUB_OFFLINE"] = "1"
    options = json.dumps(dict(peer.options))
    command = [str(python), str(_SERVE), peer.module, str(folder), options]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log,
        tempfile.TemporaryDirectory() as work,
        subprocess.Popen(
            command, cwd=work, env=environment, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
        ) as process,
    ):  # fmt: skip
        late = threading.Timer(_LONGEST, process.kill)
        late.start()
        try:
            yield PeerProcess(peer, process, log, folder, embedder)
        finally:
            late.cancel()
            process.kill()
            with suppress(BrokenPipeError):  # of a line that it did not live to read
                _open(process.stdin).close()


def _passage(text: str, path: str, rank: int) -> Chunk:
    return Chunk(path, "", 1, 1, text, piece=rank)


def _open(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None  # both are pipes
    return pipe
