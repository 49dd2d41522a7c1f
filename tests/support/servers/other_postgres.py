"""PostgreSQL of other versions than the embedded one's, for tests of what is carried over."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.database.embedded import files, place, postgres
from retrieval.index.migrate import PGVECTOR

_DEBIAN = Path("/usr/lib/postgresql")
_NAMED = "OTHER_POSTGRESQL"  # folders of binaries, as PATH has them, for one built by hand


def folders() -> list[Path]:
    """The folders of binaries: the wheel's older one, Debian's, and those of OTHER_POSTGRESQL."""
    older = place.tools().parents[1] / "pginstall" / "bin"
    named = os.environ.get(_NAMED, "").split(os.pathsep)
    found = [older, *sorted(_DEBIAN.glob("*/bin")), *(Path(name) for name in named if name)]
    return [folder for folder in found if (folder / "postgres").exists()]


def lacking(binaries: Path) -> str:
    """Why these cannot hold an index; "" where they can."""
    told = [str(binaries / "pg_config"), "--sharedir"]
    if not Path(told[0]).exists():
        return f"{version(binaries)} has no pg_config, so its pgvector is not found"
    shared = subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()
    control = Path(shared, "extension", "vector.control")
    if not control.exists():
        return f"{version(binaries)} has no pgvector"
    has = re.search(r"default_version = '(\d+)\.(\d+)", control.read_text("utf-8"))
    if has is None or (int(has[1]), int(has[2])) < PGVECTOR:
        return f"{version(binaries)} has a pgvector before {'.'.join(map(str, PGVECTOR))}"
    return ""


def version(binaries: Path) -> str:
    """What the server says it is, as "postgres (PostgreSQL) 16.14"."""
    told = [str(binaries / "postgres"), "--version"]
    return subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def serve(binaries: Path, data_dir: Path) -> Iterator[str]:
    """Yield the URL of a server of these binaries, which is run as the embedded one is."""

    def located(folder: Path, deadline: float) -> place.ClusterPlace:
        return replace(place.locate(folder, deadline), binaries=binaries)

    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(postgres, "locate", located)
            patch.setattr(files, "_initdb", _initdb)
            url = stack.enter_context(postgres.serve(data_dir))
        yield url


def _initdb(where: place.ClusterPlace, cluster: Path, password_file: Path) -> None:
    """As the embedded one's, without the provider of collations that came with PostgreSQL 17."""
    command = [str(where.binaries / "initdb"), f"--pgdata={cluster}", f"--username={files.USER}"]
    command += [f"--pwfile={password_file}", "--auth=scram-sha-256", "--encoding=UTF8"]
    files._run([*command, "--locale=C", "--lc-ctype=C.UTF-8"], where)
    create = [str(where.binaries / "postgres"), "--single", "-D", str(cluster), "postgres"]
    files._run(create, where, stdin=f"CREATE DATABASE {files.USER};\n")
