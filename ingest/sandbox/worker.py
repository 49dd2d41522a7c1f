"""The process that reads one large file for `parsing`: python -m ingest.sandbox.worker DESCRIPTOR.

Over the pipe of that descriptor it says None when it is ready, gets a Task, says None when the
Markdown is parsed, and then the chunks, or the reason why there are none.
"""

import math
import os
import resource
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from ingest.chunking import document
from ingest.read import markdown
from ingest.read.vault import SourceFile
from ingest.sandbox import budget
from retrieval.encoder.tokens import TokenCounter
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import FileRejectedError

OUT_OF_MEMORY = 77  # an exit status


@dataclass(frozen=True, slots=True)
class Task:
    """A file to be read, and the encoder whose word pieces are counted."""

    file: SourceFile
    model: ModelFiles
    entry_limit: int


def main() -> None:
    """Read one file and end."""
    with Connection(int(sys.argv[1])) as pipe:
        pipe.send(None)
        task: Task = pipe.recv()
        tokens = TokenCounter(task.model)
        _limit_memory()
        try:
            _limit_seconds(budget.PARSE_SECONDS)
            parsed = markdown.parse(task.file.text)
            _limit_seconds(budget.CUT_SECONDS)
            pipe.send(None)
            pipe.send(
                document.cut(task.file, parsed, entry_limit=task.entry_limit, count=tokens.count)
            )
        except FileRejectedError as error:
            pipe.send(error.reason)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)  # what is left may not suffice for an orderly end


def _limit_seconds(seconds: int) -> None:
    """Let the system end this process, even if nobody else does, after so much processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (until, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _limit_memory() -> None:
    """Let this process hold no more than `parsing_budget.MEMORY`; only Linux keeps to it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what it held is in nobody's way
    if sys.platform == "linux":
        pages = Path("/proc/self/statm").read_text("ascii").split()
        unused = int(pages[0]) - int(pages[1])  # addresses without memory behind them
        size = unused * resource.getpagesize() + budget.MEMORY
        allowed = resource.getrlimit(resource.RLIMIT_AS)[1]  # by whoever started us
        if allowed != resource.RLIM_INFINITY:
            size = min(size, allowed)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


if __name__ == "__main__":
    main()
