"""The files of the embedded PostgreSQL: how its database is made, its password, its socket.

In the home of a ClusterPlace:

    cluster/       PostgreSQL's own files           socket/       mode 0700; may be elsewhere
    password       of the database user `rules`     server.log    of this start and some before
    users.lock     shared by all who use the server start.lock    held while starting or stopping
"""

import os
import secrets
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from retrieval.database.embedded.place import (
    ENVIRONMENT,
    Account,
    ClusterPlace,
    digest,
    write_private,
)
from retrieval.errors import DatabaseUnreachableError

USER = "rules"  # the database has this name too
_LOG_BYTES = 5_000_000
_SOCKET_BYTES = 103  # sockaddr_un.sun_path without its NUL: 107 on Linux, 103 on macOS


def initialise(place: ClusterPlace) -> None:
    """Run initdb unless a complete cluster is there. The caller holds start.lock.

    All is made in a staging folder of its own name, because the initdb of a killed process may
    still be writing into its own, and put into place by one rename.
    """
    if (place.cluster / "PG_VERSION").exists():
        return
    for left_over in place.home.glob("staging-*"):
        shutil.rmtree(left_over, ignore_errors=True)  # may still be written to; the next start's
    password = secrets.token_urlsafe(24)
    write_private(place.home / "password", password)
    staging = Path(tempfile.mkdtemp(prefix="staging-", dir=place.home))
    password_file = staging / "password"  # initdb's account may not read the other one
    write_private(password_file, password)
    os.chown(password_file, place.account.user, place.account.group)
    private_directory(staging, place.account)  # handed over last: root wrote into it
    _initdb(place, staging / "cluster", password_file)
    os.rename(staging / "cluster", place.cluster)
    shutil.rmtree(staging)


def read_password(place: ClusterPlace) -> str:
    """Return the password of the database user; DatabaseUnreachableError if it is lost."""
    path = place.home / "password"
    password = path.read_text() if path.exists() else ""
    if not password:
        raise DatabaseUnreachableError(
            f"{path} is missing or empty, so nobody can log in; put it back, or delete "
            f"{place.cluster} and ingest again"
        )
    return password


def socket_directory(place: ClusterPlace) -> Path:
    """Return a folder for the socket, mode 0700: in the home, or in /tmp if that will not do."""
    inside = place.home / "socket"
    longest = os.fsencode(inside / ".s.PGSQL.65535")
    # A comma separates folders in unix_socket_directories and hosts in a URL; '"' quotes there.
    if len(longest) <= _SOCKET_BYTES and not set(str(inside)) & set(',"'):
        return private_directory(inside, place.account)
    # Not TMPDIR: it may be long, closed to the account, or another one in the next process.
    name = f"rules-oracle-{place.account.user}-{digest(place.home)}"
    return private_directory(Path("/tmp", name), place.account)  # noqa: S108  # made 0700


def private_directory(path: Path, account: Account) -> Path:
    """Make `path` a folder of `account` with mode 0700 and return it.

    DatabaseUnreachableError if there is something else: a link, another mode, another owner.
    """
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise DatabaseUnreachableError(f"{path} is no folder of ours; remove it") from error
    try:
        status = os.fstat(descriptor)
        mode = stat.S_IMODE(status.st_mode) & 0o777
        if status.st_uid not in {account.user, os.geteuid()} or mode != 0o700:
            raise DatabaseUnreachableError(
                f"{path} has mode {mode:o} and owner {status.st_uid}, not 700 and {account.user}, "
                "so others could reach the database; remove it"
            )
        if status.st_uid != account.user:
            os.fchown(descriptor, account.user, account.group)
    finally:
        os.close(descriptor)
    return path


@contextmanager
def open_log(place: ClusterPlace) -> Iterator[int]:
    """Yield a descriptor that appends to the server's log; a big one is put aside first."""
    if place.log.exists() and place.log.stat().st_size > _LOG_BYTES:
        place.log.replace(place.log.with_suffix(".log.1"))
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    descriptor = os.open(place.log, flags, 0o600)
    try:
        os.fchown(descriptor, place.account.user, place.account.group)
        yield descriptor
    finally:
        os.close(descriptor)


def last_lines(place: ClusterPlace) -> str:
    """Return the end of the server's log in one line; "nothing" if there is none."""
    if not place.log.exists():
        return "nothing"
    with place.log.open("rb") as file:
        file.seek(max(0, place.log.stat().st_size - 1500))
        lines = file.read().decode(errors="replace").splitlines()
    return " | ".join(lines[-6:]) or "nothing"


def _initdb(place: ClusterPlace, cluster: Path, password_file: Path) -> None:
    command = [str(place.binaries / "initdb"), f"--pgdata={cluster}", f"--username={USER}"]
    command += [f"--pwfile={password_file}", "--auth=scram-sha-256", "--encoding=UTF8"]
    # The built-in provider sorts and folds the same on every system. The parser of full text asks
    # the system's LC_CTYPE what a letter is: without C.UTF-8 every character above 127 is one.
    command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    try:
        _run([*command, "--lc-ctype=C.UTF-8"], place)
    except DatabaseUnreachableError:
        _run([*command, "--lc-ctype=C"], place)
    create = [str(place.binaries / "postgres"), "--single", "-D", str(cluster), "postgres"]
    _run(create, place, stdin=f"CREATE DATABASE {USER};\n")


def _run(command: list[str], place: ClusterPlace, stdin: str = "") -> None:
    done = subprocess.run(
        command,
        cwd="/",  # ours may be closed to the account
        env=ENVIRONMENT,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **place.account.options(),
    )
    if done.returncode != 0:
        raise DatabaseUnreachableError(
            f"no database can be made in {place.home}: {Path(command[0]).name} exited with "
            f"{done.returncode}: {done.stdout.strip()[-1000:]}; correct that, or set DATABASE_URL"
        )
