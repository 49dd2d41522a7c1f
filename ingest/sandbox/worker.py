"""The process that reads one large file for `parsing`: python -m ingest.sandbox.worker DESCRIPTOR.

Over the pipe of that descriptor it says None when it is ready, gets a Task, says None when the
Markdown is parsed, and then the chunks, or the reason why there are none.
"""

import math
import os
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType

from ingest.chunking import document
from ingest.read import markdown
from ingest.read.vault import SourceFile
from ingest.sandbox import budget
from retrieval.encoder.tokens import TokenCounter
from retrieval.encoder.weights import ModelFiles
from retrieval.errors import FileRejectedError

# Exit statuses: memory was lacking, and another error came when nearly all of it was in use
OUT_OF_MEMORY, MEMORY_IN_USE = 77, 78
_RESERVE = bytearray(4_000_000)  # given back to say how it ended


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
        sys.excepthook = _end


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """End this process after an error that nobody caught, and say whether memory was lacking.

    MemoryError is only one of its signs: C code that did not look makes a SystemError of it, a
    library an error of its own. These count as signs when the limit had nearly been reached.
    """
    _RESERVE.clear()
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    full = _most_addresses() > limit - budget.MEMORY // 8
    lacking = (MemoryError, SystemError) if full else MemoryError
    if any(isinstance(one, lacking) for one in _chain(error)):
        os._exit(OUT_OF_MEMORY)
    sys.__excepthook__(kind, error, trace)
    sys.stderr.flush()
    os._exit(MEMORY_IN_USE if full else 1)


def _most_addresses() -> int:
    """Return the bytes of address space that this process has had at most, as the limit counts."""
    lines = Path("/proc/self/status").read_text("ascii").split("\n")
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmPeak")), 0)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that it came from, or in whose handling it came."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


if __name__ == "__main__":
    main()
