"""Whether `python -m api` begins, by where it is to listen and by its keys."""

from pathlib import Path

import pytest
from fastapi import FastAPI

from api import __main__ as program
from api.keys import key_file
from api.observability import logs
from evals.answers.running_apis import free_port
from retrieval.settings import load

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
    tmp_path: Path,
    host: str,
    keys: str,
    options: list[str],
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    key_file.add(tmp_path / "keys.jsonl", "reader", ["ask"])
    settings = {
        "HOST": host, "PORT": str(free_port()), "API_KEYS": keys, "EMBEDDING_MODEL": MODEL,
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # this process is no server
    monkeypatch.setattr(logs, "configure", lambda *_: None)
    assert program.main(options) == 2
    reason = capsys.readouterr().err
    assert all(one in reason for one in said), reason
    assert ("whoever reaches 0.0.0.0 may ask" in caplog.text) == (options == ["--insecure"])


@pytest.mark.parametrize("proxies", ["10.0.0.1", None])
def test_whose_forwarded_address_holds_is_handed_on(
    tmp_path: Path, proxies: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    (tmp_path / ".env").write_text(f"FORWARDED_ALLOW_IPS={proxies or ''}\n", "utf-8")
    config = program._config(FastAPI(), load(tmp_path / ".env"))
    assert config.forwarded_allow_ips == (proxies or "127.0.0.1,::1")
