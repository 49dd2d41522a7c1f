"""A process that fails to read a file, in the way that the file's first line says.

For the rest it is `ingest.sandbox.worker`; MADE_UP_MEMORY is another limit of its memory.
"""

import os
import signal
from contextlib import suppress
from typing import Any, NoReturn

from ingest.read import markdown
from ingest.sandbox import budget, worker

# Fills its memory, or is ended by what only a lack of it explains
LACKS = ("MemoryError", "a second error", "SystemError at the limit", "SIGABRT", "SIGKILL")
# Fills its memory, or is ended by what a lack of it is one explanation of
UNSURE = {
    "RuntimeError at the limit": "ended with status 78: RuntimeError: made up",
    "SIGSEGV": f"ended with status {-signal.SIGSEGV}: ",
    "SIGBUS": f"ended with status {-signal.SIGBUS}: ",
}
OTHERS = ("SystemError", "RuntimeError")  # with nearly all of its memory free


def fail(text: str, *_: Any) -> NoReturn:
    """Fail as the first line of `text` says."""
    way = text.partition("\n")[0]
    held: list[bytearray] = []
    if way == "MemoryError":
        _fill(held)
    if way == "a second error":
        try:
            _fill(held)
        finally:
            _raise("RuntimeError")
    if way.startswith("SIG"):
        os.kill(os.getpid(), signal.Signals[way])
    if way.endswith(" at the limit"):
        with suppress(MemoryError):
            _fill(held)
    _raise(way.partition(" ")[0])


def _fill(held: list[bytearray]) -> NoReturn:
    while True:
        held.append(bytearray(100_000))


def _raise(name: str) -> NoReturn:
    raise {"SystemError": SystemError, "RuntimeError": RuntimeError}[name]("made up")


if __name__ == "__main__":
    if memory := os.environ.get("MADE_UP_MEMORY"):
        budget.MEMORY = int(memory)
    else:
        vars(markdown)["parse"] = fail
    worker.main()
