"""python -m evals.inbox: what people said of answers, newest first, and obeyed by no terminal."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from api.main import create_app
from evals import inbox
from retrieval.context import SearchContext
from tests.support.made.made_feedback import api, asked, listed, rated
from tests.support.servers.serving import serving

PLACE = "1. Light/Torches.md:"


@pytest.fixture
def client(search_context: SearchContext, environment: Path) -> Iterator[httpx2.Client]:
    """A client of an API that stores no question; programs find its database."""
    with serving(search_context.settings, create_app(api(search_context))) as found:
        yield found


@pytest.mark.proves("row 35")
def test_what_a_terminal_would_obey_is_shown_and_not_obeyed(
    client: httpx2.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rated(client, asked(client), comment="a\x00b\x1b]52;c;eA==\x07\u202e\nand more") == 204
    capsys.readouterr()
    assert inbox.main([]) == 0
    shown = capsys.readouterr().out
    head, question, comment, card, *_ = shown.splitlines()
    assert " UTC  up    answered, guard off, generation 1.2, request " in head
    assert question == "  question  (not stored)"
    assert comment == "  comment   ab]52;c;eA== and more"
    assert card.startswith(f"  card      {PLACE}")
    assert all(c.isprintable() or c == "\n" for c in shown)


def test_an_empty_inbox_says_so(
    environment: Path, client: httpx2.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    assert inbox.main([]) == 0
    assert capsys.readouterr().out.startswith("nobody has rated an answer yet")
    assert rated(client, asked(client), "up") == 204
    assert inbox.main(["--down"]) == 0
    assert capsys.readouterr().out == "no answer was rated down\n"
    assert listed(capsys, "--down") == []


def test_without_a_database_or_its_table_the_inbox_names_the_command(
    environment: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(database) as conn:
        conn.execute("DROP TABLE feedback")
    assert inbox.main([]) == 2
    assert capsys.readouterr().err == (
        "evals.inbox: the database has no table for feedback yet; run: python -m ingest\n"
    )
