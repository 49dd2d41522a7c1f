"""GET /metrics counts what became of the page's questions, as of those of programs."""

from collections.abc import Iterator, Mapping

import httpx2
import psycopg
import pytest

from api.main import create_app
from api.state import open_app_state
from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.scraped import counts
from tests.support.servers.serving import serving

TORCH = "How long does a torch burn?"
RIGHT = "A torch burns for one hour [1]."


@pytest.fixture
def api(with_model: Settings, llm: FakeLlm) -> Iterator[httpx2.Client]:
    """A client of an app that has counted nothing, which asks the well-behaved model."""
    with open_app_state(with_model) as opened, serving(with_model, create_app(opened)) as client:
        yield client


def answers(client: httpx2.Client) -> Mapping[tuple[str, ...], float]:
    """Return the counts of what became of questions."""
    return counts(client, "rag_answers_total", "outcome", "reason")


@pytest.mark.parametrize(
    ("params", "title"),
    [
        ({"q": "x" * 5_000}, "QuestionError"),
        ({"q": TORCH, "before": "x" * 4_001}, "RequestError"),
    ],
)
def test_a_question_of_the_page_that_fails_is_an_error(
    api: httpx2.Client, params: dict[str, str], title: str
) -> None:
    assert api.get("/", params=params).status_code == 422
    assert answers(api) == {("error", title): 1}


def test_a_question_of_the_page_that_the_model_fails_is_an_error(
    api: httpx2.Client, llm: FakeLlm
) -> None:
    llm.mode = "500"
    for accepted in ("text/html", "*/*"):
        assert api.get("/", params={"q": TORCH}, headers={"Accept": accepted}).status_code == 502
    assert answers(api) == {("error", "LlmReplyError"): 2}


def test_a_question_has_one_end_though_the_page_around_its_answer_fails(
    copied: None, settings: Settings, with_model: Settings, llm: FakeLlm
) -> None:
    url = settings.database_url
    assert url

    def lose_the_index() -> None:
        with psycopg.connect(url.get_secret_value()) as conn:
            conn.execute("UPDATE generation SET state = 'temporary'")

    own = with_model.model_copy(update={"database_url": url, "vault": settings.vault})
    llm.reply, llm.before_reply = RIGHT, lose_the_index
    with open_app_state(own) as opened, serving(own, create_app(opened)) as api:
        assert api.get("/", params={"q": TORCH}).status_code == 503
        assert api.get("/").status_code == 503  # nothing was asked
        assert len(llm.requests) == 1
        assert answers(api) == {("answered", ""): 1}
