"""What the server writes about itself: one line an event on stderr, with its time."""

import logging
from time import monotonic

_AGAIN = 60.0  # seconds, after which the same line may be written again
_OURS = ("api", "retrieval", "uvicorn")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def configure(level: str) -> None:
    """Show what the server says from `level` up, and warnings of everything else.

    Other libraries stay at warnings: at DEBUG the client of language models prints its requests.
    A log that one of them set up for itself while it was imported is replaced.
    """
    logging.basicConfig(level=logging.WARNING, format=_FORMAT, force=True)
    logging.getLogger("psycopg.pool").addFilter(OncePerMinute())
    for name in _OURS:
        logging.getLogger(name).setLevel(level)


class OncePerMinute(logging.Filter):
    """Lets a message pass that was not written for a minute, whatever its numbers are.

    A pool that cannot connect says so at every attempt, some thirty times a minute.
    """

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether the record is written; `msg` is its text before values are put in."""
        now, last = monotonic(), self._written.get(record.msg)
        if last is not None and now - last < _AGAIN:
            return False
        self._written[record.msg] = now
        return True
