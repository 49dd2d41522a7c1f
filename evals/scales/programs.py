"""The programs as an operator runs them over a grown vault: a start, its memory, an edit's way."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter, sleep

import httpx2
import psycopg

from evals.answers.running_apis import free_port, is_ready, running, wait_until
from evals.scales.grow import FOLDER
from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatasetError
from retrieval.index.store import Connection, live
from retrieval.settings import names

TOKENS_MB = 1_000_000  # RAG_TOKEN_STORAGE_MB: token vectors are stored at every size
_LATE = 120.0  # seconds for an edit
_EDITED = f"{FOLDER}/0000"  # files of this copy


@dataclass(frozen=True, slots=True)
class Running:
    """What running programs cost."""

    start_seconds: float  # of the API, until it is ready
    api_megabytes: float  # of its process, after all questions
    edit_seconds: tuple[float, ...]  # each from the save until a search shows the new line


def measured(folder: Path, data: Path, questions: Sequence[str], edits: int) -> Running:
    """Start an API and a watching ingest over `folder`, ask, edit files, and stop both.

    `data` holds their embedded database. Raises DatasetError where one does not start or an edit is
    not served.
    """
    kept = {name: value for name, value in os.environ.items() if name not in names()}
    own = {"VAULT": str(folder), "RAG_DATA_DIR": str(data), "PORT": str(free_port()),
           "RAG_TOKEN_STORAGE_MB": str(TOKENS_MB)}  # fmt: skip
    environment = kept | own | {"PYTHONPATH": str(Path(__file__).parents[2])}
    url = f"http://127.0.0.1:{own['PORT']}"
    started = perf_counter()
    with running(["api"], data.parent / "api.log", environment) as api:
        wait_until(lambda: is_ready(url, seconds=60), lambda: "the API is not ready")
        start_seconds = perf_counter() - started
        with httpx2.Client(base_url=url, trust_env=False, timeout=60) as client:
            for question in questions:
                if not _search(client, question):
                    raise DatasetError(f"the API does not answer {question!r}; see {data.parent}")
            megabytes = _resident(api.pid)
            log = data.parent / "ingest.log"
            with (
                serve(data) as database,
                psycopg.connect(database, autocommit=True) as conn,
                running(["ingest", "--watch"], log, environment) as watching,
            ):
                wait_until(
                    lambda: "unchanged" in log.read_text() or "changed" in log.read_text(),
                    lambda: f"ingest --watch does not begin: {watching.poll()}",
                )
                took = tuple(_edit(client, conn, folder, number) for number in range(edits))
    return Running(start_seconds, megabytes, took)


def _edit(client: httpx2.Client, conn: Connection, folder: Path, number: int) -> float:
    """Add a line to a file; return the seconds until a search shows it.

    It is searched for when the index has changed: who asks before only takes time from the ingest.
    """
    files = sorted((folder / _EDITED).rglob("*.md"))
    file = files[number * len(files) // 10]
    thing, toll = f"Zanthar{number}{int(monotonic())}", f"{number + 17} silver bits"
    line = f"\n\nThe toll of the {thing} bridge is {toll}.\n"
    text = file.read_text("utf-8") + line
    before, started = live(conn).name, perf_counter()
    file.write_text(text, "utf-8")
    while perf_counter() - started < _LATE:
        if live(conn).name == before:
            sleep(0.01)
            continue
        if f"{thing} bridge is {toll}" in _search(client, f"What is the toll of {thing} bridge?"):
            return perf_counter() - started
    raise DatasetError(f"{file}: an edit is not served after {_LATE:.0f} s")


def _search(client: httpx2.Client, question: str) -> str:
    """The body of a reply; "" where there is none just now."""
    response = client.post("/search", json={"question": question})
    if response.status_code != 200:
        return ""
    return response.text


def _resident(pid: int) -> float:
    """Megabytes of a process that stand in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise DatasetError(f"process {pid} has no VmRSS")
