"""The wheel of this source, for tests that unpack or install it: stored, not compressed."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGES = ("api", "evals", "ingest", "retrieval")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "base")  # setup.py puts it there


def wheel(folder: Path) -> Path:
    """Build the wheel into `folder`, of a copy of the source, since building writes to it."""
    source = folder / "source"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=_LEFT_OUT)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    command += ["-C--build-option=--compression=stored"]  # of 90 MB of weights: seconds
    subprocess.run([*command, str(source)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built
