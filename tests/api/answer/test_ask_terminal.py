"""`make ask`: the answer at a terminal, and what stands there where none can be had."""

import httpx2
import pytest

from api import ask


@pytest.fixture(autouse=True)
def _at_the_server(client: httpx2.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", str(client.base_url.host))
    monkeypatch.setenv("PORT", str(client.base_url.port))


def test_the_answer_stands_under_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask.main(["How long does", "a torch burn?"]) == 0
    shown = capsys.readouterr().out
    assert "(1. Light/Torches.md:" in shown
    assert "burns for one hour" in shown


def test_a_question_may_begin_with_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask.main(["--", "--how long does a torch burn?"]) == 0
    assert "burns for one hour" in capsys.readouterr().out


def test_help_is_no_question(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        ask.main(["--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: python -m api.ask")


def test_what_the_server_refuses_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask.main([" "]) == 2
    assert capsys.readouterr().err == "ask: the question is empty; ask something\n"


def test_no_server_names_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORT", "9")
    assert ask.main(["How long does a torch burn?"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("ask: no server at http://127.0.0.1:9/ask (ConnectError)")
    assert said.endswith("one at another port is asked with it: PORT=8001 make ask\n")
