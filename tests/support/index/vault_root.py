"""A vault with one good file, and what reading it gives.

A pytest plugin, so that the tests need not import the fixture.
"""

from pathlib import Path

import pytest

from ingest.read import vault
from tests.conftest import write_vault

CANARY = "canary-7f3a: a secret of another folder"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A vault with one good file."""
    return write_vault(tmp_path / "vault", {"good.md": "A torch burns.\n"})


def reasons(found: vault.VaultFiles) -> dict[str, str]:
    """Why each file was rejected."""
    return {error.path: error.reason for error in found.rejected}


def texts(found: vault.VaultFiles) -> dict[str, str]:
    """The text of each file that was read."""
    return {file.path: file.text for file in found.files}
