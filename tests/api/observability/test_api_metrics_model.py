"""GET /metrics counts the calls of the language model that failed, by reason."""

import httpx2

from api.llm.faults import Fault
from api.main import create_app
from api.state import open_app_state
from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.scraped import series
from tests.support.servers.serving import serving

TORCH = {"question": "How long does a torch burn?"}


def faults(client: httpx2.Client) -> dict[str, float]:
    """Return the counts by reason, of every reason."""
    found = series(client, "rag_llm_faults_total", "reason")
    assert set(found) == {(fault.value,) for fault in Fault}
    return {reason: count for (reason,), count in found.items()}


def failed(client: httpx2.Client) -> dict[str, float]:
    """Return the counts that are not 0."""
    return {reason: count for reason, count in faults(client).items() if count}


def test_what_a_server_does_wrong_is_counted_by_reason(with_model: Settings) -> None:
    own = FakeLlm()  # which ends here
    settings = with_model.model_copy(update={"openai_base_url": own.url, "llm_timeout": 30.0})
    with open_app_state(settings) as opened, serving(settings, create_app(opened)) as api:
        assert api.post("/ask", json=TORCH).status_code == 200
        assert failed(api) == {}
        own.modes = ["500"]  # its second try succeeds
        assert api.post("/ask", json=TORCH).status_code == 200
        assert failed(api) == {"failed": 1}
        own.mode = "closes in the middle"
        assert api.post("/ask", json=TORCH).status_code == 502
        assert failed(api) == {"failed": 1, "cut": 2}
        own.shutdown()
        for _ in range(3):  # the second and third question leave it alone
            assert api.post("/ask", json=TORCH).json()["mode"] == "quotes"
            assert failed(api) == {"failed": 1, "cut": 2, "no_connection": 2}


def test_without_a_model_every_reason_is_0(client: httpx2.Client) -> None:
    assert set(faults(client).values()) == {0}
