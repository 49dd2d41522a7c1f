"""GET /metrics counts what became of the page's questions, as of those of programs."""

from collections.abc import Iterator, Mapping

import httpx2
import pytest

from api.main import create_app
from api.oracle import Oracle, open_oracle
from api.page import about
from retrieval.errors import DatabaseUnreachableError
from retrieval.settings import Settings
from tests.fake_llm import FakeLlm
from tests.scraped import counts
from tests.serving import serving

TORCH = "How long does a torch burn?"
RIGHT = "A torch burns for one hour [1]."


@pytest.fixture
def api(with_model: Settings, llm: FakeLlm) -> Iterator[httpx2.Client]:
    """A client of an app that has counted nothing, which asks the well-behaved model."""
    with open_oracle(with_model) as opened, serving(with_model, create_app(opened)) as client:
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
    api: httpx2.Client, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(opened: Oracle) -> about.About:
        raise DatabaseUnreachableError("gone behind the answer")

    llm.reply = RIGHT
    monkeypatch.setattr(about, "about", gone)
    assert api.get("/", params={"q": TORCH}).status_code == 503
    assert api.get("/").status_code == 503  # nothing was asked
    assert answers(api) == {("answered", ""): 1}
