"""A process that fails to read a file, in the way that the file's first line says.

For the rest it is `ingest.sandbox.worker`; MADE_UP_MEMORY is another limit of its memory.
"""

import os
import signal
from typing import Any, NoReturn

from ingest.read import markdown
from ingest.sandbox import budget, worker


def fail(text: str, *_: Any) -> NoReturn:
    """Fail as the first line of `text` says."""
    way = text.partition("\n")[0]
    held: list[bytearray] = []
    while way == "MemoryError":
        held.append(bytearray(100_000))
    if way.startswith("SIG"):
        os.kill(os.getpid(), signal.Signals[way])
    raise RuntimeError("made up")


if __name__ == "__main__":
    if memory := os.environ.get("MADE_UP_MEMORY"):
        budget.MEMORY = int(memory)
    else:
        vars(markdown)["parse"] = fail
    worker.main()
