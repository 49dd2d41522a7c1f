from pathlib import Path

import pytest

from api.keys import key_file
from api.keys.__main__ import main
from retrieval.errors import ConfigurationError


def test_a_key_is_known_until_it_is_revoked_and_its_token_is_not_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys.jsonl"
    file = ["--file", str(path)]
    assert main([*file, "add", "reader", "--scope", "ask,feedback"]) == 0
    token = capsys.readouterr().out.strip()
    assert token not in path.read_text("utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    found = key_file.holder(key_file.read(path), token)
    assert found is not None
    assert (found.name, found.scopes) == ("reader", ("ask", "feedback"))
    assert key_file.holder(key_file.read(path), token + "x") is None
    assert main([*file, "add", "reader", "--scope", "ask"]) == 2
    assert main([*file, "revoke", "reader"]) == 0
    assert key_file.holder(key_file.read(path), token) is None
    assert main([*file, "revoke", "reader"]) == 2


@pytest.mark.parametrize(
    "line",
    [
        "x",
        "[]",
        "{}",
        '{"name": "a", "scopes": ["root"], "sha256": "' + "0" * 64 + '"}',
        '{"name": "a", "scopes": ["ask"], "sha256": "00"}',
    ],
)
def test_a_line_that_is_no_key_is_an_error_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "keys.jsonl"
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(ConfigurationError, match=r"keys\.jsonl:2 is no key"):
        key_file.read(path)
