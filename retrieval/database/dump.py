"""The whole database as one file, written and read by PostgreSQL's own pg_dump and pg_restore."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from retrieval.database.embedded import place
from retrieval.errors import BackupError, SchemaNewerError
from retrieval.index import migrate
from retrieval.index.store import Connection

_COPY = re.compile(r"^COPY \S+ \((.+)\) FROM stdin;$")
_END = "\\."
_UNKNOWN_BEFORE_17 = b"SET transaction_timeout = 0;\n"
# Who may do what is the database's own business, and no comment of ours is worth a right to it.
_PLAIN = ("--no-owner", "--no-privileges", "--no-comments")

_OCCUPANTS = """
    SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
        AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
        AND NOT EXISTS (
            SELECT FROM pg_depend AS d
            WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
        )
    ORDER BY c.relname
"""


def write(url: str, target: Path) -> int:
    """Dump the database at `url` into `target`, a new file, and return its size in bytes.

    The dump is one state of the database, whatever is written meanwhile. `target` is there when
    it is complete and on disk, and not before. Raises BackupError, also where `target` exists.
    """
    refuse_existing(target)
    try:
        descriptor, draft_name = tempfile.mkstemp(
            prefix=f"{target.name}-", suffix=".partial", dir=target.parent
        )  # mode 0600, as the rules may be
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}") from error
    os.close(descriptor)
    draft = Path(draft_name)
    try:
        # Level 1: vectors hardly compress, and 6 takes three times as long for 6 % less. It calls
        # fsync() itself.
        run("pg_dump", "--format=custom", "--compress=1", *_PLAIN, f"--file={draft}", url=url)
        migration_of(draft)  # a dump that cannot be read back, or of something else, is none
        refuse_existing(target)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return target.stat().st_size


def restore(url: str, source: Path) -> None:
    """Put the dump `source` into the database at `url`, all of it or nothing.

    As a script through psql: what pg_restore itself sends begins with a setting that PostgreSQL
    before 17 does not know. Raises BackupError where the dump cannot be read or stored.
    """
    where, environment = _connection(url)
    read = [str(place.tools() / "pg_restore"), *_PLAIN, "--file=-", str(source)]
    write = [str(place.tools() / "psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", where]
    with (
        tempfile.TemporaryFile() as read_errors,
        tempfile.TemporaryFile() as write_errors,
        subprocess.Popen(read, stdout=subprocess.PIPE, stderr=read_errors) as reader,
        subprocess.Popen(
            write, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=write_errors,
            env=environment,
        ) as writer,
    ):  # fmt: skip
        assert reader.stdout
        assert writer.stdin
        with suppress(BrokenPipeError):  # psql ended early, and says why
            _pass_on(reader.stdout, writer.stdin)
            if reader.wait() == 0:
                writer.stdin.write(b"COMMIT;\n")  # without it nothing stays
        with suppress(BrokenPipeError):
            writer.stdin.close()
        reader.stdout.close()
        _check("psql", writer.wait(), write_errors)
        _check("pg_restore", reader.wait(), read_errors)


def _pass_on(script: IO[bytes], psql: IO[bytes]) -> None:
    psql.write(b"BEGIN;\n")
    for line in script:
        if line == _UNKNOWN_BEFORE_17:
            break
        psql.write(line)
    shutil.copyfileobj(script, psql)


def _check(tool: str, status: int, errors: IO[bytes]) -> None:
    if status != 0:
        errors.seek(0)
        raise _failed(tool, status, errors.read())


def occupants(conn: Connection) -> tuple[str, ...]:
    """Return the names of all tables of the database, extensions' own left out."""
    return tuple(name for (name,) in conn.execute(_OCCUPANTS))


def migration_of(source: Path) -> int:
    """Return the last migration that the dumped database had.

    Raises BackupError where `source` is no dump of an index, and SchemaNewerError where the
    migration is one that this program does not know.
    """
    if not source.is_file():
        raise BackupError(f"no file {str(source)!r}; name one that python -m ingest.backup wrote")
    text = run("pg_restore", "--data-only", "--table=migration", "--file=-", str(source))
    numbers = _numbers(text)
    if not numbers:
        raise BackupError(f"{source} holds no index of this program: no migration stands in it")
    known = max(migration.number for migration in migrate.known())
    if max(numbers) > known:
        raise SchemaNewerError(
            f"{source} is of a database at migration {max(numbers)}, and this program knows "
            f"migrations up to {known}; update the program"
        )
    return max(numbers)


def refuse_existing(target: Path) -> None:
    """Raise BackupError where something is at `target`: a backup overwrites nothing."""
    if target.exists() or target.is_symlink():
        raise BackupError(f"{target} is there already; name a new file, or move it away")


def run(tool: str, *arguments: str, url: str = "") -> str:
    """Return what one of PostgreSQL's tools printed; with `url` it is connected to that database.

    The password goes by the environment, which other users cannot read, as they can arguments.
    Raises BackupError with what the tool says where it fails.
    """
    where, environment = _connection(url)
    command = [str(place.tools() / tool), *arguments, *([where] if url else [])]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise _failed(tool, done.returncode, done.stderr)
    return done.stdout.decode()


def _connection(url: str) -> tuple[str, Mapping[str, str]]:
    where = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    password = where.pop("password", None)
    environment = os.environ | {"LC_ALL": "C"} | ({"PGPASSWORD": password} if password else {})
    return f"--dbname={make_conninfo('', **where)}", environment


def _failed(tool: str, status: int, errors: bytes) -> BackupError:
    said = " ".join(errors.decode(errors="replace").split())
    return BackupError(f"{tool} exited with {status}: {said or 'it said nothing'}")


def _numbers(text: str) -> list[int]:
    """The column `number` of the one table whose rows `text` copies."""
    lines = iter(text.split("\n"))
    for line in lines:
        if found := _COPY.match(line):
            place = found[1].split(", ").index("number")
            break
    numbers = []
    for line in lines:
        if line == _END:
            break
        numbers.append(int(line.split("\t")[place]))
    return numbers
