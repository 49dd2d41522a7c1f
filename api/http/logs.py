"""What the server writes about itself: one line an event on stderr, with its time."""

import logging

_OURS = ("api", "retrieval", "uvicorn")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def configure(level: str) -> None:
    """Show what the server says from `level` up, and warnings of everything else.

    Other libraries stay at warnings: at DEBUG the client of language models prints its requests.
    A log that one of them set up for itself while it was imported is replaced.
    """
    logging.basicConfig(level=logging.WARNING, format=_FORMAT, force=True)
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
