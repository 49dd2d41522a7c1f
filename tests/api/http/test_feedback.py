"""POST /feedback: a rating is stored with no more than was allowed, and no foreign page rates."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import psycopg
import pytest

from api.admission.rate import TokenBucket
from api.http import feedback
from api.main import create_app
from evals import inbox
from retrieval.context import SearchContext
from tests.support.index.embedded import until
from tests.support.llm.openai_client import BODY
from tests.support.made.made_feedback import TORCH, api, asked, listed, rated
from tests.support.servers.serving import events, serving


@pytest.fixture
def client(search_context: SearchContext, environment: Path) -> Iterator[httpx2.Client]:
    """A client of an API that stores no question; programs find its database."""
    with serving(search_context.settings, create_app(api(search_context))) as found:
        yield found


@pytest.mark.proves("row 37")
@pytest.mark.parametrize("stored", [False, True])
def test_a_rating_is_stored_with_the_question_only_where_the_operator_says_so(
    search_context: SearchContext,
    environment: Path,
    capsys: pytest.CaptureFixture[str],
    stored: bool,
) -> None:
    with serving(search_context.settings, create_app(api(search_context, stored=stored))) as client:
        asked_by = {"question": f"{TORCH['question']} jo@example.org"}
        answer = client.post("/ask", json=asked_by).json()
        said = "It is two hours. +49 30 1234567\n"
        assert rated(client, answer["request_id"], "down", comment=said) == 204
    (found,) = listed(capsys)
    assert found.pop("given_at")
    assert found == {
        "request_id": answer["request_id"],
        "rating": "down",
        "comment": "It is two hours. [number]",
        "question": f"{TORCH['question']} [mail]" if stored else None,
        "generation": answer["generation"],
        "certainty": answer["certainty"],
        "guard": "off",
        "cards": [f"{c['path']}:{c['first_line']}-{c['last_line']}" for c in answer["cards"]],
    }
    with search_context.store.connect() as conn:
        rows = conn.execute("SELECT feedback::text FROM feedback").fetchall()
    assert ("torch burn" in str(rows)) == stored  # nor in a column that the inbox does not show


def test_streamed_answers_and_those_of_openais_clients_can_be_rated(client: httpx2.Client) -> None:
    name, answer = events(client, {**TORCH, "stream": True})[-1]
    assert name == "final_answer"
    assert rated(client, answer["request_id"]) == 204
    completion = client.post("/v1/chat/completions", json=BODY)
    assert rated(client, completion.headers["X-Request-ID"]) == 204


def test_a_second_rating_takes_the_place_of_the_first(
    client: httpx2.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = asked(client), asked(client)
    assert rated(client, first, "up") == 204
    assert rated(client, second, "up") == 204
    assert rated(client, first, "down", comment="on second thoughts") == 204
    found = [(row["request_id"], row["rating"], row["comment"]) for row in listed(capsys)]
    assert found == [(first, "down", "on second thoughts"), (second, "up", "")]
    assert [row["request_id"] for row in listed(capsys, "--down")] == [first]
    assert inbox.main(["--json", "--limit", "1"]) == 0
    shown = capsys.readouterr()
    assert (first in shown.out, second in shown.out) == (True, False)
    assert "only the newest 1; --limit lists more" in shown.err
    assert rated(client, first, "up") == 204
    (row,) = listed(capsys, "--limit", "1")
    assert (row["rating"], row["comment"]) == ("up", "on second thoughts")  # it is kept


def test_an_answer_that_was_never_given_here_is_a_404_that_says_what_to_do(
    client: httpx2.Client,
) -> None:
    reply = client.post("/feedback", json={"request_id": "of-yesterday", "rating": "up"})
    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/problem+json")
    assert "no answer 'of-yesterday' can be rated: " in reply.json()["detail"]
    assert "ask the question again" in reply.json()["detail"]


def test_an_answer_is_rated_at_another_api_for_a_day_and_as_the_later_one_of_its_id(
    search_context: SearchContext, client: httpx2.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = {"X-Request-ID": "mine"}
    for question in ("What does a dagger cost?", TORCH["question"]):
        given = client.post("/ask", json={"question": question}, headers=headers).json()
    first = asked(client)
    with serving(search_context.settings, create_app(api(search_context))) as other:
        assert [rated(other, name) for name in (first, "mine")] == [204, 204]
        row, _ = listed(capsys)
        assert row["cards"] == [
            f"{c['path']}:{c['first_line']}-{c['last_line']}" for c in given["cards"]
        ]
        with search_context.store.connect() as conn:
            conn.execute("UPDATE given_answer SET given_at = now() - interval '25 hours'")
        asked(client)

        def is_forgotten() -> bool:
            with search_context.store.connect() as conn:
                found = conn.execute("SELECT FROM given_answer WHERE request_id = %s", [first])
                return found.fetchone() is None

        until(is_forgotten)  # behind the reply
        assert rated(other, first) == 404


@pytest.mark.proves("row 38")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),  # another port of this machine is another origin
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://behind.a.proxy"}, 204),
    ],
)
def test_no_page_of_another_origin_can_rate(
    client: httpx2.Client, headers: dict[str, str], status: int
) -> None:
    """Which origins are ours: tests/api/http/test_hosts.py."""
    body = {"request_id": asked(client), "rating": "up"}
    assert client.post("/feedback", json=body, headers=headers).status_code == status
    assert rated(client, body["request_id"]) == 204  # the answer itself can be rated


@pytest.mark.proves("row 28", "promise 8")
def test_more_ratings_than_are_allowed_are_a_429_that_says_when_to_come_back(
    search_context: SearchContext,
) -> None:
    app = create_app(api(search_context))
    # A clock that stands: a busy machine takes longer than the two seconds until the next one.
    app.state.feedback_rate = TokenBucket(feedback.BURST, feedback.A_MINUTE, clock=lambda: 0.0)
    with serving(search_context.settings, app) as client:
        request_id = asked(client)
        statuses = [rated(client, request_id) for _ in range(feedback.BURST)]
        assert statuses == [204] * feedback.BURST
        refusals = [
            client.post("/feedback", json={"request_id": request_id, "rating": "up"})
            for _ in range(3)
        ]
        wrong = client.post("/feedback", json={})
        foreign = client.post("/feedback", json={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert [reply.status_code for reply in refusals] == [429] * 3
    assert [reply.headers["Retry-After"] for reply in refusals] == ["2"] * 3
    assert "30 ratings a minute" in refusals[0].json()["detail"]
    assert wrong.status_code == 422  # what is wrong with a body is said at any time
    assert foreign.status_code == 403  # a foreign page cannot use up what others may


def test_wrong_bodies_use_up_no_ratings_and_guessed_ids_do(search_context: SearchContext) -> None:
    app = create_app(api(search_context))
    app.state.feedback_rate = TokenBucket(2, feedback.A_MINUTE, clock=lambda: 0.0)
    with serving(search_context.settings, app) as client:
        request_id = asked(client)
        wrong = [client.post("/feedback", json={"rating": "up"}).status_code for _ in range(5)]
        large = client.post("/feedback", content=b"x" * 40_000).status_code
        assert (wrong, large) == ([422] * 5, 413)
        assert rated(client, "guessed") == 404
        assert rated(client, request_id) == 204
        assert [rated(client, "guessed"), rated(client, request_id)] == [429, 429]


def test_a_bucket_gives_a_burst_and_then_so_many_a_minute() -> None:
    now = [100.0]
    bucket = TokenBucket(2, 30, clock=lambda: now[0])
    assert [bucket.wait() for _ in range(4)] == [0, 0, 2, 2]
    now[0] += 1.9
    assert bucket.wait() == 1
    now[0] += 0.1
    assert [bucket.wait(), bucket.wait()] == [0, 2]
    now[0] += 3600
    assert [bucket.wait() for _ in range(3)] == [0, 0, 2]  # an hour's rest saves up a burst alone


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rating": "maybe"}, "rating"),
        ({"rating": None}, "rating"),
        ({"request_id": ""}, "request_id"),
        ({"request_id": "x" * 129}, "request_id"),
        ({"comment": "x" * 2_001}, "comment"),
        ({"comment": 7}, "comment"),
        ({"question": "smuggled in"}, "question"),
    ],
)
def test_a_wrong_body_is_a_422_that_names_the_field(
    client: httpx2.Client, change: dict[str, object], named: str
) -> None:
    reply = client.post("/feedback", json={"request_id": "x", "rating": "up", **change})
    assert reply.status_code == 422
    assert reply.json()["detail"].startswith(f"{named}: ")


@pytest.mark.proves("row 28")
def test_the_longest_comment_is_stored_and_a_longer_body_is_refused(
    client: httpx2.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    longest = "🔥" * 2_000
    assert rated(client, asked(client), comment=longest) == 204
    assert listed(capsys)[0]["comment"] == longest
    body = b'{"request_id": "x", "rating": "up", "comment": "' + b"x" * 40_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert client.post("/feedback", content=body, headers=headers).status_code == 413
    form = {"Content-Type": "text/plain"}  # what a form of another page could send
    assert client.post("/feedback", content=body[:99], headers=form).status_code == 422


def test_without_its_table_a_rating_is_a_503_and_answers_go_on(
    client: httpx2.Client, database: str
) -> None:
    with psycopg.connect(database) as conn:
        conn.execute("DROP TABLE feedback")
    reply = client.post("/feedback", json={"request_id": asked(client), "rating": "up"})
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "5")
    assert "run: python -m ingest" in reply.json()["detail"]
    assert asked(client)


def test_a_rating_waits_no_longer_than_five_seconds(client: httpx2.Client, database: str) -> None:
    request_id = asked(client)
    with psycopg.connect(database) as conn:
        conn.execute("LOCK TABLE feedback IN ACCESS EXCLUSIVE MODE")
        reply = client.post("/feedback", json={"request_id": request_id, "rating": "up"})
        assert reply.status_code == 503
        assert reply.elapsed.total_seconds() < 8
    assert rated(client, request_id) == 204
