"""Whether `python -m api` begins, by where it is to listen and by its keys."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.keys import key_file
from tests.support.index.embedded import free_port

MODEL = "/no/such/model"  # what stops it where nothing else does
OPEN = ["HOST 0.0.0.0 lets other machines in", "API_KEYS", "HOST=127.0.0.1", "--insecure"]


@pytest.mark.parametrize(
    ("host", "keys", "options", "said"),
    [
        ("0.0.0.0", "", [], OPEN),
        ("0.0.0.0", "", ["--insecure"], [MODEL]),
        ("0.0.0.0", "keys.jsonl", [], [MODEL]),
        ("localhost", "", [], [MODEL]),
        ("127.0.0.1", "none.jsonl", [], ["none.jsonl cannot be read", "python -m api.keys"]),
        ("127.0.0.1", '{"name": 1}', [], ["API_KEYS:1 is no key"]),
    ],
)
def test_without_keys_it_listens_to_this_machine_alone(
    tmp_path: Path, host: str, keys: str, options: list[str], said: list[str]
) -> None:
    key_file.add(tmp_path / "keys.jsonl", "reader", ["ask"])
    settings = {
        "HOST": host, "PORT": str(free_port()), "API_KEYS": keys, "EMBEDDING_MODEL": MODEL,
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "api", *options], cwd=tmp_path, env={**os.environ, **settings},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert all(one in done.stderr for one in said), done.stderr
