"""An ingest of an unchanged folder writes nothing, also of hundreds of files."""

from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.settings import Settings
from tests.conftest import write_vault
from tests.support.index.index_state import TABLES, revision
from tests.support.vaults.many_files import cheap_rules, many_files

FILES = 300


def rows(context: SearchContext) -> dict[str, list[tuple[object, ...]]]:
    """Where each version of a row is, and which transactions wrote and locked it."""
    with context.store.connect(autocommit=True) as conn:
        return {
            name: conn.execute(
                sql.SQL("SELECT ctid, xmin, xmax FROM {} ORDER BY ctid").format(
                    sql.Identifier(name)
                )
            ).fetchall()
            for name in TABLES
        }


@pytest.mark.proves("promise 3")
def test_an_unchanged_folder_of_hundreds_of_files_is_ingested_where_nothing_may_be_written(
    settings: Settings, tmp_path: Path
) -> None:
    """The database refuses every statement that writes, even one that would write no row."""
    vault = write_vault(tmp_path / "many", many_files(FILES))
    assert settings.database_url
    read_only = make_conninfo(
        settings.database_url.get_secret_value(), options="-c default_transaction_read_only=on"
    )
    closed = Settings.model_validate({**settings.model_dump(), "database_url": read_only})
    with cheap_rules(settings) as rules, cheap_rules(closed) as reader:
        assert pipeline.run(rules, vault).files == FILES
        before, name = rows(rules), revision(rules)
        report = pipeline.run(reader, vault)
        assert (len(report.plan.unchanged), report.embedded, report.files) == (FILES, 0, FILES)
        assert (rows(rules), revision(rules)) == (before, name)
        write_vault(vault, {"1. Part/new.md": "# New\n\nA torch.\n"})
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            pipeline.run(reader, vault)
        pipeline.run(rules, vault)
        assert rows(rules) != before
