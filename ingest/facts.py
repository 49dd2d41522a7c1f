"""What is understood of a file's tables, for whoever writes it: `python -m ingest --facts FILE`."""

from collections.abc import Iterator
from pathlib import Path

from ingest.read import markdown, vault
from ingest.read.outline import outline
from retrieval.errors import VaultError
from retrieval.vault_files import SUFFIXES


def facts(file: Path) -> Iterator[str]:
    """Yield a line for each table of a file, and below it one for each of its rows, as is searched.

    Raises VaultError for a file that is not there or no Markdown, FileRejectedError for one that
    cannot be read.
    """
    if file.suffix.lower() not in SUFFIXES or not file.exists():
        raise VaultError(f"no Markdown file {str(file)!r}; name one that is there")
    tables = 0
    for placed in outline(markdown.parse(vault.read_file(file).text)):
        if placed.table:
            tables += 1
            first = placed.block.first + 1
            yield f"{file.name}:{first} {' > '.join(placed.trail)}: {len(placed.table.rows)} rows"
            yield from (f"  {first + row.line}: {row.text}" for row in placed.table.rows)
    if not tables:
        yield f"{file.name}: no table"
