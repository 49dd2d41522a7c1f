"""What evals.stale measures: two APIs and ingests as processes, over a database of their own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx2

from evals.answers.local_model import free_port
from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatasetError
from retrieval.settings import Settings, names

Program = Sequence[str]  # a module that `python -m` runs, with its arguments

_ROOT = Path(__file__).parents[2]
_START = 600.0  # seconds for a process that loads models, or a whole ingest
_STOP = 15.0  # seconds for a server that ends its requests
_FEW = 3  # replies of each API before an edit
_LOG_END = 600  # characters of a log that an error shows


@dataclass(frozen=True, slots=True)
class Stage:
    """A copy of a vault with the addresses of the APIs that answer from its index."""

    folder: Path
    vault: Path
    apis: tuple[str, ...]
    processes: tuple[subprocess.Popen[bytes], ...]  # of the APIs
    environment: dict[str, str]
    database: str  # its URL, with the password: do not print it

    def ingest(self, program: Program = ("ingest",)) -> None:
        """Run one ingest as users do. Raises DatasetError unless it ends with 0."""
        ended = subprocess.run(
            [sys.executable, "-m", *program], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=_START, check=False,
        )  # fmt: skip
        if ended.returncode:
            raise DatasetError(
                f"{' '.join(program)} ended with {ended.returncode}: "
                f"{(ended.stdout + ended.stderr)[-_LOG_END:].strip()}"
            )


@contextmanager
def opened(settings: Settings, vault: Path, apis: Sequence[Program]) -> Iterator[Stage]:
    """Yield a copy of `vault` with one running API for each program; all is gone afterwards.

    The models are those of `settings`; the database is an embedded one of its own and nothing is
    ingested yet. No language model is asked. Raises DatabaseUnreachableError.
    """
    folder = Path(tempfile.mkdtemp(prefix="stale-"))
    folder.chmod(0o711)  # where root starts it, the server runs as somebody else
    try:
        copy = shutil.copytree(vault, folder / "vault")
        environment = _environment(settings, folder)
        with ExitStack() as stack:
            database = stack.enter_context(serve(folder / "pg"))
            running = [
                stack.enter_context(_api(program, number, folder, environment))
                for number, program in enumerate(apis, start=1)
            ]
            urls, processes = zip(*running, strict=True)
            yield Stage(folder, copy, urls, processes, environment, database)
    finally:
        shutil.rmtree(folder)


def wait_ready(stage: Stage) -> None:
    """Wait until every API answers questions. Raises DatasetError where one ended, or is late."""
    give_up = monotonic() + _START
    running = zip(stage.apis, stage.processes, strict=True)
    for number, (api, process) in enumerate(running, start=1):
        while not _is_ready(api):
            if monotonic() > give_up or process.poll() is not None:
                raise DatasetError(f"API {number} is not ready: {_log_end(stage.folder, number)}")
            sleep(0.1)


@contextmanager
def asking(stage: Stage, questions: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """Have a process of its own ask every API the questions, all the time of the context.

    It begins when each was answered some times. The list is empty until the context has ended,
    then it holds all replies. Raises DatasetError where there is no reply in time.
    """
    found: list[dict[str, Any]] = []
    log = stage.folder / "replies.jsonl"
    with log.open("w") as file, subprocess.Popen(
        [sys.executable, "-m", "evals.staleness.asker", *stage.apis],
        cwd=stage.folder, env=stage.environment, stdin=subprocess.PIPE, stdout=file, text=True,
    ) as process:  # fmt: skip
        assert process.stdin
        try:
            process.stdin.write(json.dumps(list(questions)) + "\n")
            process.stdin.flush()
            _wait_for_lines(log, _FEW * len(stage.apis) * len(questions))
            yield found
        finally:
            process.stdin.close()
            process.wait(_START)
    found += [json.loads(line) for line in log.read_text("utf-8").splitlines()]


@contextmanager
def _api(
    program: Program, number: int, folder: Path, environment: dict[str, str]
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    with (folder / f"api-{number}.log").open("w") as log, subprocess.Popen(
        [sys.executable, "-m", *program], cwd=folder, stdout=log, stderr=log,
        env={**environment, "PORT": str(port)},
    ) as process:  # fmt: skip
        try:
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.terminate()
            try:
                process.wait(_STOP)
            except subprocess.TimeoutExpired:
                process.kill()


def _environment(settings: Settings, folder: Path) -> dict[str, str]:
    """The environment of all processes: what `settings` say of search, and nothing of a .env."""
    inherited = {name: value for name, value in os.environ.items() if name not in names()}
    chosen = settings.model_dump(
        mode="json",
        exclude_none=True,
        exclude={"vault", "database_url", "rag_data_dir", "host", "port", "openai_api_key",
                 "openai_base_url", "openai_model"},
    )  # fmt: skip
    for name in ("embedding_model", "reranker_model"):
        if Path(chosen[name]).expanduser().is_dir():  # the processes run in another folder
            chosen[name] = Path(chosen[name]).expanduser().resolve()
    search = {name.upper(): str(value) for name, value in chosen.items()}
    own = {"VAULT": folder / "vault", "RAG_DATA_DIR": folder / "pg", "PYTHONPATH": _ROOT}
    return {**inherited, **search, **{name: str(path) for name, path in own.items()}}


def _is_ready(api: str) -> bool:
    try:
        return httpx2.get(f"{api}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False


def _wait_for_lines(file: Path, wanted: int) -> None:
    give_up = monotonic() + _START
    while file.read_bytes().count(b"\n") < wanted:
        if monotonic() > give_up:
            raise DatasetError("the process that asks got no replies; see that the APIs run")
        sleep(0.02)


def _log_end(folder: Path, number: int) -> str:
    return (folder / f"api-{number}.log").read_text("utf-8")[-_LOG_END:].strip() or "no word of it"
