"""What a language model took and what the guard said of it, by day: the program and the page."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from api.llm.client import LanguageModel
from api.main import create_app
from api.state import AppState
from api.telemetry import __main__ as program
from retrieval.context import SearchContext
from tests.conftest import set_environment
from tests.support.index.index_state import same_models
from tests.support.llm.fake_llm import USAGE, FakeLlm
from tests.support.servers.serving import serving

QUESTION = {"question": "How long does a torch burn?"}
READ, WRITTEN = 1_000.0, 20_000.0  # money for a million tokens
REPLIES = ("A torch burns for one hour [1].", "A torch burns for nine hours [1].")


@pytest.fixture
def client(search_context: SearchContext, llm: FakeLlm) -> Iterator[httpx2.Client]:
    """An API with prices, which asks the fake language model."""
    values = {
        "openai_base_url": llm.url, "openai_model": "fake", "guard_llm": "off",
        "model_prices": (READ, WRITTEN), "rag_threshold": -9.0,
    }  # fmt: skip
    settings = search_context.settings.model_copy(update=values)
    with (
        same_models(search_context, settings) as rules,
        closing(LanguageModel(settings)) as model,
        serving(settings, create_app(AppState(rules, model))) as client,
    ):
        yield client


def test_tokens_money_and_verdicts_are_in_the_program_and_on_the_page(
    client: httpx2.Client,
    search_context: SearchContext,
    llm: FakeLlm,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = []
    for reply in REPLIES:
        llm.reply = reply
        given.append(client.post("/ask", json=QUESTION).json())
    verdicts = Counter(one["guard"]["verdict"] for one in given)
    assert verdicts == {"pass": 1, "repaired": 1}
    read, written = 2 * USAGE["prompt_tokens"], 2 * USAGE["completion_tokens"]
    row = (f"{read + written:,}", "0.9220", "pass 1, repaired 1")
    cells = "".join(f"<td>{cell}</td>" for cell in row)
    assert cells in _page(client)
    set_environment(monkeypatch, search_context.settings, tmp_path)
    monkeypatch.setenv("MODEL_PRICES", f"{READ},{WRITTEN}")
    assert program.main([]) == 0
    assert re.search(r"\s{2,}".join(map(re.escape, row)), capsys.readouterr().out)
    assert program.main(["--json"]) == 0
    day = json.loads(capsys.readouterr().out)
    assert (day["prompt_tokens"], day["completion_tokens"]) == (read, written)
    assert day["counts"]["guard"] == dict(verdicts)


def _page(client: httpx2.Client) -> str:
    """The page of status when both rows are in it, which are stored behind the replies."""
    give_up = time.monotonic() + 20
    while True:
        page = client.get("/status", headers={"Accept": "text/html"}).text
        if "<td>2</td>" in page or time.monotonic() > give_up:
            return page
        time.sleep(0.05)
