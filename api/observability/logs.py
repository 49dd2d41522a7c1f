"""What the server writes about itself: one line an event on stderr, with its time."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime
from time import monotonic
from typing import Literal

from opentelemetry import trace

_AGAIN = 60.0  # seconds, after which the same line may be written again
_OURS = ("api", "retrieval", "uvicorn")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)


def configure(level: str, form: Literal["text", "json"] = "text") -> None:
    """Show what the server says from `level` up, and warnings of everything else.

    Other libraries stay at warnings: at DEBUG the client of language models prints its requests.
    A log that one of them set up for itself while it was imported is replaced.
    """
    logging.basicConfig(level=logging.WARNING, format=_FORMAT, force=True)
    if form == "json":
        for handler in logging.getLogger().handlers:
            handler.setFormatter(AsJson())
    logging.getLogger("psycopg.pool").addFilter(OncePerMinute())
    for name in _OURS:
        logging.getLogger(name).setLevel(level)


class AsJson(logging.Formatter):
    """An object a line, with the request and the trace that it is of, and the record's `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        span = trace.get_current_span().get_span_context()
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": REQUEST_ID.get(),
            "trace_id": trace.format_trace_id(span.trace_id) if span.is_valid else None,
            "exception": self.formatException(record.exc_info) if record.exc_info else None,
            **getattr(record, "fields", {}),
        }
        return json.dumps({name: value for name, value in said.items() if value is not None})


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
