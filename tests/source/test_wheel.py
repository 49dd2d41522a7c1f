"""A built wheel, unpacked elsewhere, imports whole and brings its data along."""

import os
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from api import console
from retrieval.encoder.weights import _WHEEL_DIGEST
from tests.support.source import built
from tests.support.source.built import PACKAGES, ROOT

IMPORT_ALL = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        importlib.import_module(module.name)
        print(module.name)
"""
USE_DATA = """
from evals.labels import dataset
from evals.labels.options import RULES
from retrieval.context import calibrated_for
from retrieval.encoder.bi_encoder import Embedder, ModelThread
from retrieval.encoder.weights import bundled_encoder, bundled_reranker
from retrieval.index import migrate
from retrieval.ranking import calibration
from retrieval.refusal import topic_scores
from retrieval.settings import Settings

thread = ModelThread()
embedder = Embedder(bundled_encoder(), thread)
assert calibration.find(calibrated_for(Settings(), embedder, None))
assert topic_scores.read(topic_scores._STORED, embedder)
assert embedder.files.folder.parts[-4:] == ("installed", "retrieval", "encoder", "base")
assert bundled_reranker().digest and len(migrate.known()) > 3 and len(dataset.load(RULES)) > 700
thread.close()
"""

PROGRAMS = {  # by what is typed
    "serve": "api", "ask": "api.ask", "ingest": "ingest", "mcp": "api.mcp",
    "evals retrieval": "evals.retrieval", "evals lint": "evals.lint",
}  # fmt: skip
# In one process, which imports what they share once; the last is no command.
HELP = """
import runpy, sys
from api import console
*commands, other = sys.argv[1:]
for typed in commands:
    try:
        console.main([*typed.split(), "--help"])
    except SystemExit as end:
        assert not end.code, typed
    print(end="\\0")
sys.argv = [other, "--help"]
runpy.run_module(other, run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of a wheel, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(built.wheel(folder)) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def run(installed: Path, *arguments: str) -> str:
    """What a program prints that finds our packages in the wheel alone."""
    folder = installed.parent / "elsewhere"
    folder.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(installed), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_of_the_source_is_in_the_wheel_and_imports(installed: Path) -> None:
    printed = run(installed, "-c", IMPORT_ALL, *PACKAGES).split()
    modules = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for name in PACKAGES
        for file in (ROOT / name).rglob("*.py")
    }
    assert set(printed) == modules - set(PACKAGES)


def test_the_models_the_fits_and_the_tables_come_along(installed: Path) -> None:
    run(installed, "-c", USE_DATA)


def test_each_program_starts_in_any_folder(installed: Path) -> None:
    (scripts,) = installed.glob("*.dist-info/entry_points.txt")
    assert "rules-oracle = api.console:main" in scripts.read_text("utf-8")
    printed = run(installed, "-c", HELP, *PROGRAMS, "ingest.backup").split("\0")
    for program, said in zip([*PROGRAMS.values(), "ingest.backup"], printed, strict=True):
        assert said.startswith(f"usage: python -m {program} ")


@pytest.mark.parametrize("typed", [["bake"], ["evals"], ["evals", "measure"], ["evals", "--help"]])
def test_the_command_names_its_programs_where_there_is_no_such(
    typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert console.main(typed) == 2
    said = capsys.readouterr().err
    assert said.startswith("usage: rules-oracle {serve,ingest,ask,keys,mcp} [OPTIONS]")
    assert "retrieval" in said.split("\n")[1]
    assert f"there is no '{' '.join(typed)}'" in said


def test_a_half_copied_encoder_base_is_copied_again(tmp_path: Path) -> None:
    setup = runpy.run_path(str(ROOT / "setup.py"))
    weights = tmp_path / "model.safetensors"
    assert not setup["is_whole"](tmp_path)
    weights.write_bytes(b"half of them")
    assert not setup["is_whole"](tmp_path)
    setup["put_base"](tmp_path)
    assert setup["is_whole"](tmp_path)
    assert (tmp_path / "config.json").is_file()
    assert setup["WEIGHTS"] == _WHEEL_DIGEST
