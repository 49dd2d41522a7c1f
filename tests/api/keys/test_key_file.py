import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.keys import key_file
from api.keys.__main__ import main
from api.keys.key_ring import KeyRing
from retrieval.errors import ConfigurationError


def test_a_running_server_sees_a_key_come_and_go_and_its_token_is_not_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "keys.jsonl"
    monkeypatch.setenv("API_KEYS", str(path))
    assert main(["add", "other", "--scope", "metrics"]) == 0
    ring = KeyRing(str(path))
    capsys.readouterr()
    assert main(["add", "reader", "--scope", "ask,feedback"]) == 0
    token = capsys.readouterr().out.strip()
    assert token not in path.read_text("utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    found = ring.holder(token)
    assert found is not None
    assert (found.name, found.scopes) == ("reader", ("ask", "feedback"))
    assert ring.holder(f"{token}x") is None
    assert main(["add", "reader", "--scope", "ask"]) == 2
    assert main(["revoke", "reader"]) == 0
    assert ring.holder(token) is None
    assert main(["revoke", "reader"]) == 2
    path.write_text("broken", "utf-8")
    with pytest.raises(ConfigurationError, match="1 is no key"):
        ring.holder(token)
    path.unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        ring.holder(token)


def test_keys_in_the_setting_itself_need_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["add", "reader", "--scope", "ask", "--print"]) == 0
    token, line = capsys.readouterr().out.splitlines()
    found = KeyRing(line).holder(token)
    assert found is not None
    assert found.name == "reader"
    assert main(["list"]) == 2
    assert "API_KEYS is not set" in capsys.readouterr().err


def test_programs_that_add_at_once_lose_no_key(tmp_path: Path) -> None:
    path = tmp_path / "keys.jsonl"
    names = [f"key-{number}" for number in range(4)]

    def add(name: str) -> int:
        given = ["--file", str(path), "add", name, "--scope", "ask"]
        return subprocess.run([sys.executable, "-m", "api.keys", *given], check=False).returncode

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(add, names)) == {0}
    assert sorted(key.name for key in key_file.read(path)) == names
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "[]",
        "{}",
        '{"name": "a", "scopes": ["root"], "sha256": "' + "0" * 64 + '"}',
        '{"name": "a\\n", "scopes": ["ask"], "sha256": "' + "0" * 64 + '"}',
        '{"name": "a", "scopes": ["ask"], "sha256": "00"}',
    ],
)
def test_a_line_that_is_no_key_is_an_error_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "keys.jsonl"
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(ConfigurationError, match=r"keys\.jsonl:2 is no key"):
        KeyRing(str(path))
