"""Make the index again from a file of `python -m ingest.backup`, in an empty database.

Nothing is overwritten: for the embedded database move RAG_DATA_DIR away first, or name a new one;
for DATABASE_URL name an empty database. Exit status: 0 done; 2 nothing was changed; 75 an ingest is
running.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from retrieval import exit_status
from retrieval.context import database_url
from retrieval.database import dump
from retrieval.database.pool import Store
from retrieval.errors import BackupError, IngestRunningError
from retrieval.index import generations, migrate, store
from retrieval.settings import load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m ingest.restore", description=__doc__)
    parser.add_argument("file", type=Path, help="what python -m ingest.backup wrote")
    args = parser.parse_args(argv)
    return exit_status.of(
        "restore", lambda: _restored(args.file), statuses={IngestRunningError: 75}
    )


def _restored(file: Path) -> None:
    settings = load()
    migration = dump.migration_of(file)  # before a database is made for it
    with database_url(settings) as url:
        generation, files, chunks = restore(url, file)
    behind = len([one for one in migrate.known() if one.number > migration])
    print(
        f"generation {generation}: {files} files, {chunks} chunks"
        + (f"; {behind} migrations behind, which the next ingest runs" if behind else "")
    )


def restore(url: str, source: Path) -> tuple[str, int, int]:
    """Put the dump into the empty database at `url`; return the live generation's name and size.

    Raises BackupError where the database is not empty, IngestRunningError where an ingest is about
    to fill it, IndexMissingError where the dump holds no live generation, and what `dump` raises.
    """
    with Store(url).connect(autocommit=True) as conn:
        generations.lock(conn)
        if there := dump.occupants(conn):
            raise BackupError(
                f"the database is not empty, it has {there[0]!r} and {len(there) - 1} tables more; "
                "name an empty one: set RAG_DATA_DIR to a new folder, or DATABASE_URL"
            )
        dump.restore(url, source)
        conn.execute("ANALYZE")  # a dump has no statistics, and without them plans are guesses
        generation = store.live(conn)
        return generation.name, *generations.size(conn, generation.id)


if __name__ == "__main__":
    sys.exit(main())
