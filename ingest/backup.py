"""Write a backup of the index: one file, from which `python -m ingest.restore` makes it again.

It may run beside an ingest and the API: the file holds one state of the index. With --cluster it is
a copy of the embedded database's files: a folder that RAG_DATA_DIR can name. Exit status: 0 done; 2
nothing was written.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from retrieval import exit_status
from retrieval.context import database_url
from retrieval.database import cluster_copy, dump
from retrieval.database.embedded import place
from retrieval.errors import ConfigurationError, IndexMissingError
from retrieval.settings import Settings, load


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m ingest.backup", description=__doc__)
    parser.add_argument("file", type=Path, help="a new one; what exists is not overwritten")
    parser.add_argument("--cluster", action="store_true", help="write a folder, of all files")
    args = parser.parse_args(argv)
    return exit_status.of("backup", lambda: _written(args))


def _written(args: argparse.Namespace) -> None:
    settings = load()
    refuse_without_database(settings)
    with database_url(settings) as url:
        if args.cluster:
            written = f"{_copy(settings, url, args.file)} files, each compared by sha256"
        else:
            written = f"{dump.write(url, args.file):,} bytes"
    print(f"{args.file}: {written}")


def _copy(settings: Settings, url: str, target: Path) -> int:
    if settings.database_url:
        raise ConfigurationError(
            "--cluster copies the embedded database, and DATABASE_URL names another; leave "
            "--cluster out, or use that server's own pg_basebackup"
        )
    return cluster_copy.write(url, settings.rag_data_dir, target)


def refuse_without_database(settings: Settings) -> None:
    """Raise IndexMissingError rather than make an empty embedded database by looking into it."""
    if settings.database_url is None and not place.is_made(settings.rag_data_dir):
        raise IndexMissingError(
            f"no database in {str(settings.rag_data_dir)!r}; run: python -m ingest, or set "
            "RAG_DATA_DIR or DATABASE_URL"
        )


if __name__ == "__main__":
    sys.exit(main())
