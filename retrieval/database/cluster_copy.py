"""A copy of the embedded database's files, made while it runs, that is a data directory of its own.

PostgreSQL's pg_basebackup writes it, with a manifest of every file's sha256. The manifest is
compared here: the wheel's own pg_verifybackup (18.4) ends with a segmentation fault, whatever it
is asked.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from retrieval.database import dump
from retrieval.database.embedded.files import read_password
from retrieval.database.embedded.place import Account, locate, write_private
from retrieval.errors import BackupError

_LOCATE_SECONDS = 60.0
_MANIFEST = "backup_manifest"
_MANIFEST_SUM = b'"Manifest-Checksum"'  # begins the last line, which the sum is not of


def write(url: str, data_dir: Path, target: Path) -> int:
    """Copy the running embedded database of `data_dir`, whose URL is `url`, to the new `target`.

    Returns how many files were compared with the manifest. `target` can be a RAG_DATA_DIR; it is
    there when it is complete, and not before. Raises BackupError, also where it exists.
    """
    dump.refuse_existing(target)
    place = locate(data_dir, time.monotonic() + _LOCATE_SECONDS)
    try:
        draft = Path(
            tempfile.mkdtemp(prefix=f"{target.name}-", suffix=".partial", dir=target.parent)
        )
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}") from error
    try:
        cluster = draft / "cluster"
        options = ("--checkpoint=fast", "--wal-method=stream", "--manifest-checksums=SHA256")
        dump.run("pg_basebackup", f"--pgdata={cluster}", *options, url=url)
        compared = verify(cluster)
        write_private(draft / "password", read_password(place))
        _hand_over(cluster, place.account)
        draft.chmod(0o755 if os.geteuid() == 0 else 0o700)  # as `locate` makes a data directory
        dump.refuse_existing(target)
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return compared


def verify(cluster: Path) -> int:
    """Compare the files below `cluster` with its manifest and return how many there are.

    Raises BackupError naming the first file that is missing or other than it was when it was
    copied. The write-ahead log is not in the manifest: the server checks it when it starts.
    """
    for listed in _listed(cluster / _MANIFEST):
        path = cluster / listed["Path"]
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise BackupError(f"{path} of a backup cannot be read: {error.strerror}") from error
        if (path.stat().st_size, found) != (listed["Size"], listed["Checksum"]):
            raise BackupError(
                f"{path} is not as it was backed up: sha256 {found}, not {listed['Checksum']}; "
                "take another backup"
            )
    return len(_listed(cluster / _MANIFEST))


def _listed(manifest: Path) -> list[dict[str, Any]]:
    """The manifest's files. Raises BackupError where it is missing or was changed."""
    try:
        data = manifest.read_bytes()
        parsed = json.loads(data)
        files: list[dict[str, Any]] = parsed["Files"]
        wanted = parsed["Manifest-Checksum"]
    except (OSError, ValueError, KeyError) as error:
        raise BackupError(f"{manifest} cannot be read: {error}; take another backup") from error
    if hashlib.sha256(data[: data.rindex(_MANIFEST_SUM)]).hexdigest() != wanted:
        raise BackupError(f"{manifest} was changed after the backup; take another one")
    return files


def _hand_over(cluster: Path, account: Account) -> None:
    """Give the files to the account that the server runs as; root alone has to."""
    if account.user == os.geteuid():
        return
    for path in (cluster, *cluster.rglob("*")):
        os.chown(path, account.user, account.group, follow_symlinks=False)
