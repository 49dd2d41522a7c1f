"""The fake language model, and the API that asks it: fixtures.

A pytest plugin, so that the tests need not import the fixtures.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from api.llm.client import LanguageModel
from retrieval.settings import Settings
from tests.support.llm.fake_llm import FakeLlm
from tests.support.servers.serving import serving

API_KEY = "sk-canary-83a1c7"  # nothing but the model's server may ever show it
ASK = [{"role": "user", "content": "How long does a torch burn?"}]


@pytest.fixture(scope="session")
def llm_server() -> Iterator[FakeLlm]:
    """The language model's server; tests take `llm`."""
    llm = FakeLlm()
    yield llm
    llm.shutdown()


@pytest.fixture
def llm(llm_server: FakeLlm) -> FakeLlm:
    """The language model that `model_client` asks, well-behaved and never asked before."""
    llm_server.stopped.set()  # lets go of what the last test left hanging
    llm_server.forget()
    return llm_server


@pytest.fixture(scope="session")
def with_model(indexed: Settings, llm_server: FakeLlm) -> Settings:
    """Settings of an API that asks the fake language model."""
    return indexed.model_copy(
        update={
            "openai_base_url": llm_server.url,
            "openai_model": "fake",
            "openai_api_key": SecretStr(API_KEY),
            "llm_timeout": 1.0,
            "guard_llm": "off",
        }
    )


@pytest.fixture(scope="session")
def model_client(with_model: Settings) -> Iterator[httpx2.Client]:
    """A client of the running API, which asks the fake language model."""
    with serving(with_model) as client:
        yield client


@pytest.fixture
def model(llm: FakeLlm) -> Iterator[LanguageModel]:
    """The product's client of the fake language model, with no connection of an earlier test."""
    with closing(LanguageModel(configured(openai_base_url=llm.url, llm_timeout=10))) as model:
        yield model


def configured(**values: Any) -> Settings:
    """Settings of a client of the fake language model, with a short time-out."""
    return Settings.model_validate({"openai_model": "fake", "llm_timeout": 1.0, **values})
