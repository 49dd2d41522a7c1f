"""What became of questions: stored behind the reply, read by day, and never in a question's way."""

import json
import logging
import subprocess
import sys
from pathlib import Path
from time import monotonic

import httpx2
import psycopg
import pytest

from api.keys import key_file
from api.keys.key_ring import KeyRing
from api.main import create_app
from api.state import AppState
from api.telemetry import __main__ as program
from api.telemetry import recorder as recording
from api.telemetry.recorder import Recorder
from api.telemetry.scrubbing import scrubbed
from retrieval import rates
from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError
from retrieval.usage import telemetry
from retrieval.usage.telemetry import AskedQuestion
from tests.support.index.index_state import same_models
from tests.support.servers.serving import serving
from tests.support.servers.with_keys import bearer

ROOT = Path(__file__).parents[3]
ASKED = "How long does a torch burn, anna@example.org or 030/123 45 67?"


def url_of(context: SearchContext) -> str:
    """The database's URL."""
    assert context.settings.database_url
    return context.settings.database_url.get_secret_value()


def ask_all(client: httpx2.Client, key: dict[str, str]) -> list[int]:
    """Ask in four ways and rate one answer; one question is refused and one is wrong."""
    given = client.post("/ask", json={"question": ASKED}, headers=key)
    rating = {"request_id": given.json()["request_id"], "rating": "down"}
    return [
        given.status_code,
        client.post("/feedback", json=rating, headers=key).status_code,
        client.post(
            "/ask", json={"question": "Wie lange brennt die Fackel?"}, headers=key
        ).status_code,
        client.get("/", params={"q": "Who pays for a dagger?"}, headers=key).status_code,
        client.post("/ask", json={"question": "\x00"}, headers=key).status_code,
        client.post("/search", json={"question": ASKED}, headers=key).status_code,
    ]


def test_each_question_is_a_row_by_its_end_and_shown_by_day(
    search_context: SearchContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    values = {"telemetry_stores_questions": True, "model_prices": (1.0, 2.0)}
    settings = search_context.settings.model_copy(update=values)
    file = tmp_path / "keys.jsonl"
    anna = bearer(key_file.add(file, "anna", ["ask", "feedback"]))
    admin = bearer(key_file.add(file, "boss", ["admin"]))
    with same_models(search_context, settings) as rules:
        app = create_app(AppState(rules, None, keys=KeyRing(str(file))))
        with serving(settings, app) as client:
            assert ask_all(client, anna) == [200, 204, 200, 200, 422, 200]
        with serving(settings, app) as client:  # what waited is stored at the end
            assert client.get("/status", headers=anna).status_code == 403
            page = client.get("/status", headers={**admin, "Accept": "text/html"})
        with rules.store.connect() as conn:
            (day,) = telemetry.by_day(conn, 7)
            found = telemetry.unanswered(conn, 7, 10)
    assert (day.questions, len(day.milliseconds)) == (4, 3)
    assert day.counts["outcome"]["error"] == day.counts["outcome"]["refused"] == 1
    assert day.counts["reason"] == {"language": 1, "QuestionError": 1}
    assert day.counts["rating"] == {"down": 1}
    assert {one.question for one in found} >= {
        "How long does a torch burn, [mail] or [number]?", "Wie lange brennt die Fackel?",
    }  # fmt: skip
    assert {one.key for one in found} == {"anna"}
    assert "1. Light/Torches.md:" in found[-1].places[0]
    assert f"<td>{str(day.day).replace('-', chr(0x2011))}</td><td>4</td>" in page.text
    monkeypatch.setenv("DATABASE_URL", url_of(search_context))
    assert program.main(["--days", "1"]) == 0
    assert f"{day.day}  4 " in capsys.readouterr().out
    assert program.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["outcome"] == day.counts["outcome"]


def test_with_0_days_nothing_of_a_question_is_stored_and_limits_still_count(
    search_context: SearchContext, tmp_path: Path
) -> None:
    values = {
        "telemetry_days": 0, "telemetry_stores_questions": True, "feedback_stores_questions": True,
        "rate_limit_key": rates.read("1000/d"),
    }  # fmt: skip
    settings = search_context.settings.model_copy(update=values)
    file = tmp_path / "keys.jsonl"
    anna = bearer(key_file.add(file, "anna", ["ask", "feedback"]))
    with same_models(search_context, settings) as rules:
        app = create_app(AppState(rules, None, keys=KeyRing(str(file))))
        with serving(settings, app) as client:
            assert ask_all(client, anna) == [200, 404, 200, 200, 422, 200]
    with psycopg.connect(url_of(search_context)) as conn:
        for table in ("telemetry", "given_answer", "feedback"):
            assert conn.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
        (counted,) = conn.execute("SELECT count(*) FROM rate_window").fetchone() or ()
    assert counted > 0


def test_without_its_table_answers_come_as_before_and_the_log_says_why(
    search_context: SearchContext,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording.log, "filters", [])  # which let a line pass once a minute
    with psycopg.connect(url_of(search_context)) as conn:
        conn.execute("DROP TABLE telemetry")
    app = create_app(AppState(search_context, None))
    with caplog.at_level(logging.WARNING, "api"), serving(search_context.settings, app) as client:
        for _ in range(3):
            assert client.post("/ask", json={"question": ASKED}).status_code == 200
        assert client.get("/status").status_code == 503
    lost = [one for one in caplog.messages if "rows are lost: the database has no table" in one]
    assert lost


def test_old_rows_go_and_questions_are_stored_only_where_they_may_be(
    search_context: SearchContext,
) -> None:
    row = AskedQuestion("a", "refused", "no_passage", 1.0)
    with search_context.store.connect() as conn:
        telemetry.write(conn, [row, row], 30)
        conn.execute("UPDATE telemetry SET asked_at = now() - interval '31 days'")
        telemetry.write(conn, [row], 30)
        assert conn.execute("SELECT count(*) FROM telemetry").fetchone() == (1,)
        assert telemetry.unanswered(conn, 7, 10) == []
    app = create_app(AppState(search_context, None))
    with serving(search_context.settings, app) as client:
        client.post("/ask", json={"question": ASKED})
    with search_context.store.connect() as conn:
        assert conn.execute("SELECT max(question) FROM telemetry").fetchone() == (None,)
        assert telemetry.by_day(conn, 1)[0].questions == 2


def test_a_row_that_the_table_refuses_is_not_quoted(search_context: SearchContext) -> None:
    with psycopg.connect(url_of(search_context)) as conn:
        conn.execute("ALTER TABLE telemetry ADD CHECK (question <> 'secret words')")
    row = AskedQuestion("a", "refused", "no_passage", 1.0, question="secret words")
    with (
        pytest.raises(ConfigurationError, match="CheckViolation, SQLSTATE 23514") as told,
        search_context.store.connect() as conn,
    ):
        telemetry.write(conn, [row], 30)
    assert "secret" not in str(told.value)


def test_a_database_that_does_not_answer_makes_nobody_wait(
    search_context: SearchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MOST_WAITING", 5)
    monkeypatch.setattr(recording, "_END_SECONDS", 0.2)
    with psycopg.connect(url_of(search_context)) as conn:
        conn.execute("LOCK TABLE telemetry")
        recorder = Recorder(search_context.store, search_context.settings)
        started = monotonic()
        for _ in range(100):
            recorder.put(AskedQuestion("a", "answered", "", 1.0))
        recorder.close()
        assert monotonic() - started < 30  # who waits does so for as long as the table is locked
        conn.rollback()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("write to a.b+c@mail.example.co.uk today", "write to [mail] today"),
        ("anna (at) example.org", "[mail]"),
        ("jörg@müller.de asks", "[mail] asks"),
        ("call +49 (0)30 / 1234-567 now", "call [number] now"),
        ("0171 1234567, 06 12 34 56 78", "[number], [number]"),
        ("card 4111 1111 1111 1111", "card [number]"),
        ("3782-822463-10005 expired", "[number] expired"),
        ("1d6 for each 10' of 100, since 1200", "1d6 for each 10' of 100, since 1200"),
        ("costs 15,000 gp @ 3%", "costs 15,000 gp @ 3%"),
        ("4111\u00a01111\u00a01111\u00a01111 of a card", "[number] of a card"),
        ("4111\u202f1111\u202f1111\u202f1111", "[number]"),
        ("4111\u20131111\u20131111\u20131111", "[number]"),
        ("4111\u20111111\u20111111\u20111111", "[number]"),
        ("4111_1111_1111_1111, 4111,1111,1111,1111", "[number], [number]"),
        ("4111, 1111, 1111, 1111 and 4:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1", "[number] and [number]"),
        ("４１１１ 1111 1111 1111", "[number]"),
        ("06\u202f12\u202f34\u202f56\u202f78", "[number]"),
        ("call 5'551'234 or 5’551’234", "call [number] or [number]"),
        ("0171 – 1234567 is mine", "[number] is mine"),
        ("+49 30 1234, (0)30/12345", "[number], [number]"),
        ("01 5880 or +1 212~555~0123", "[number] or [number]"),
        ("0171  -  1234567", "[number]"),
        ("anna＠example.com and anna@localhost", "[mail] and [mail]"),
        ("anna(at)example(dot)com, anna [AT] mail.example [DOT] com", "[mail], [mail]"),
        ("anna.0171-1234567@example.org", "[mail]"),
        ("1,000,000 gp or 1,000,000,000,009 gp", "1,000,000 gp or 1,000,000,000,009 gp"),
        ("2d6, 4000, 3d6+12 at level 1,2,3,4,5,6,7", "2d6, 4000, 3d6+12 at level 1,2,3,4,5,6,7"),
        ("2026-11-28, 28.11.2026, 11/28/2026", "2026-11-28, 28.11.2026, 11/28/2026"),
        ("100' x 20' x 5'", "100' x 20' x 5'"),
        ("ﬁre ½ and “words” 😀", "ﬁre ½ and “words” 😀"),
    ],
)
def test_who_asks_is_taken_out_of_a_question(text: str, left: str) -> None:
    assert scrubbed(text) == left


def test_no_question_that_we_know_loses_a_word_and_libraries_are_loaded_for_numbers_alone() -> None:
    code = (
        "import sys\n"
        "from api.telemetry.scrubbing import scrubbed\n"
        "from evals.labels import dataset\n"
        "from pathlib import Path\n"
        "questions = [one.question for file in Path('evals/datasets').glob('*.jsonl')"
        " for one in dataset.load(file)]\n"
        "assert len(questions) > 500\n"
        "for one in sorted(questions, key=lambda one: sum(map(str.isdigit, one)) > 5):\n"
        "    few = sum(map(str.isdigit, one)) <= 5\n"
        "    assert scrubbed(one) == one\n"
        "    assert not few or not {'phonenumbers', 'stdnum'} & sys.modules.keys()\n"
        "assert scrubbed('0171 – 1234567') == '[number]'\n"
        "assert {'phonenumbers', 'stdnum'} <= sys.modules.keys()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
