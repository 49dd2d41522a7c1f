"""A copy of the embedded database's files: whole while it runs, and damage of it is named."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest import backup, pipeline
from retrieval.context import SearchContext
from retrieval.database import cluster_copy
from retrieval.database.embedded.postgres import serve
from retrieval.errors import BackupError
from retrieval.settings import Settings
from tests.support.index import index_state
from tests.support.index.index_state import rankings


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's account reaches, should the tests run as root."""
    path = Path(tempfile.mkdtemp(prefix="rules-copy-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.mark.proves("row 26")
def test_a_copy_of_the_running_embedded_database_is_a_data_directory(
    folder: Path,
    vault: Path,
    open_rules: Callable[[Settings], SearchContext],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RAG_DATA_DIR", "data")
    settings = Settings.model_validate({"rag_data_dir": folder / "data", "vault": vault})
    rules = open_rules(settings)
    pipeline.run(rules, vault)
    before, content = rankings(rules), index_state.content(rules)
    assert backup.main(["--cluster", "copy"]) == 0  # while it runs
    assert "files, each compared by sha256" in capsys.readouterr().out
    assert backup.main(["--cluster", "copy"]) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["copy", "data"]
    again = open_rules(settings.model_copy(update={"rag_data_dir": folder / "copy"}))
    assert rankings(again) == before
    assert index_state.content(again) == content
    monkeypatch.setenv("DATABASE_URL", "postgresql://rules@127.0.0.1:9/rules")
    assert backup.main(["--cluster", "another"]) == 2
    assert "leave --cluster out" in capsys.readouterr().err


def test_a_copy_that_was_damaged_is_named(folder: Path) -> None:
    with serve(folder / "data") as url:
        assert cluster_copy.write(url, folder / "data", folder / "copy") > 900
    cluster = folder / "copy/cluster"
    page = next(path for path in (cluster / "base").rglob("2619") if path.stat().st_size)
    kept = page.read_bytes()
    page.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(BackupError, match=f"{page} is not as it was backed up"):
        cluster_copy.verify(cluster)
    page.unlink()
    with pytest.raises(BackupError, match="cannot be read: No such file"):
        cluster_copy.verify(cluster)
    page.write_bytes(kept)
    manifest = cluster / "backup_manifest"
    manifest.write_text(manifest.read_text().replace('"Size": 3', '"Size": 4', 1))
    with pytest.raises(BackupError, match="was changed after the backup"):
        cluster_copy.verify(cluster)
