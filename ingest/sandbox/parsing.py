"""Cut a file into chunks within a budget, so that no file can stop or fill up an ingest.

A small file is read at once. A large one, or one with large tables, is read by a process of its
own (`parsing_worker`), which is killed when its time is over and cannot hold more than its memory.
"""

import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO

from ingest.chunking import document
from ingest.chunking.document import IndexedChunk
from ingest.chunking.limits import Count
from ingest.read.vault import SourceFile
from ingest.sandbox import budget as parsing_budget
from ingest.sandbox.worker import MEMORY_IN_USE, OUT_OF_MEMORY, Task
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import FileRejectedError

_START_SECONDS = 60.0  # for the imports of a new process, on a machine that has other work
_WORKER = "ingest.sandbox.worker"
_ROOT = Path(__file__).resolve().parents[2]  # where the package `ingest` is found


def index(
    model: ModelFiles, file: SourceFile, *, entry_limit: int, count: Count
) -> list[IndexedChunk]:
    """Return what `document.index` does, within the budgets of `parsing_budget`.

    `model` is the encoder whose word pieces `count` counts; another process needs its files. Raises
    FileRejectedError for a file over one of the budgets, and as `document.index` does.
    """
    cells = parsing_budget.cells(file.text)
    if cells > parsing_budget.CELLS:
        reason = f"its tables have {cells:,} cells, over {parsing_budget.CELLS:,}; split it"
        raise FileRejectedError(file.path, reason)
    large = len(file.text.encode()) > parsing_budget.SMALL_BYTES
    if large or cells > parsing_budget.SMALL_CELLS:
        return _read_apart(Task(file, model, entry_limit))
    return document.index(file, entry_limit=entry_limit, count=count)


def _read_apart(task: Task) -> list[IndexedChunk]:
    here, there = Pipe()
    with here, tempfile.TemporaryFile() as errors:
        try:
            process = _start(there, errors)
        except OSError as error:
            reason = f"no process can be started to read it: {error.strerror}"
            raise FileRejectedError(task.file.path, reason) from error
        finally:
            there.close()  # so that the end of the process is an end of the pipe
        try:
            return _conversation(here, task)
        except (EOFError, OSError) as error:
            process.wait()
            reason = _why(process.returncode, errors)
            raise FileRejectedError(task.file.path, reason) from error
        finally:
            process.kill()
            process.wait()


def _start(there: Connection, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    path = os.environ.get("PYTHONPATH")
    return subprocess.Popen(
        # -P: the working directory may be the vault, whose files are no modules of ours
        [sys.executable, "-P", "-m", _WORKER, str(there.fileno())],
        env={
            **os.environ,
            "PYTHONPATH": f"{_ROOT}{os.pathsep}{path}" if path else str(_ROOT),
            "TOKENIZERS_PARALLELISM": "false",
        },
        pass_fds=[there.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,  # Ctrl-C is for us, and we end it
    )


def _conversation(here: Connection, task: Task) -> list[IndexedChunk]:
    budget = parsing_budget
    _answer(here, task, _START_SECONDS)
    here.send(task)
    _answer(here, task, budget.PARSE_SECONDS * budget.PATIENCE)
    found = _answer(here, task, budget.CUT_SECONDS * budget.PATIENCE)
    if isinstance(found, str):
        raise FileRejectedError(task.file.path, found)
    return found or []


def _answer(here: Connection, task: Task, seconds: float) -> list[IndexedChunk] | str | None:
    if not here.poll(seconds):
        reason = (
            f"the process that reads it gave no sign for {seconds:.0f} s; try again, or split it"
        )
        raise FileRejectedError(task.file.path, reason)
    answer: list[IndexedChunk] | str | None = here.recv()
    return answer


def _why(status: int, errors: IO[bytes]) -> str:
    """Say why a process ended before it had answered."""
    if status == -signal.SIGXCPU:
        seconds = (
            f"{parsing_budget.PARSE_SECONDS} s to read or {parsing_budget.CUT_SECONDS} s to cut"
        )
        return f"takes the processor over {seconds}; split it"
    over = f"takes over {parsing_budget.MEMORY // 1_000_000} MB to read"
    if status in {OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGKILL}:  # the last: by the system
        return f"{over}; split it"
    errors.seek(0)
    said = errors.read().decode("utf-8", "backslashreplace").split("\n")
    last = next((line for line in reversed(said) if line.strip()), "nothing was said")
    ended = f"the process that reads it ended with status {status}: {last}"
    if status in {MEMORY_IN_USE, -signal.SIGSEGV, -signal.SIGBUS}:
        return f"{over}, it seems; split it ({ended})"
    return ended
