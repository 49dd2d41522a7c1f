"""The LangChain retriever is the search that answers users, and passes LangChain's own tests."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_tests.integration_tests import RetrieversIntegrationTests

from retrieval.context import SearchContext
from retrieval.errors import QuestionError
from retrieval.langchain import RulesRetriever
from retrieval.search import search

QUESTION = "How long does a torch burn?"


@pytest.mark.anyio
class TestOfLangChain(RetrieversIntegrationTests):
    """What LangChain demands of every retriever: its own test cases."""

    retriever_constructor = RulesRetriever
    retriever_query_example = QUESTION
    num_results_arg_name = "top_k"

    @pytest.fixture(autouse=True)
    def opened(self, search_context: SearchContext) -> None:
        self.context = replace(search_context, threshold=-math.inf)  # it demands three passages

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"rules": self.context}


def test_it_returns_the_passages_of_search_with_their_lines(search_context: SearchContext) -> None:
    documents = RulesRetriever(rules=search_context, top_k=2).invoke(QUESTION)
    hits = search(search_context, QUESTION, top_k=2).hits
    assert [document.id for document in documents] == [hit.chunk.id for hit in hits]
    assert [document.metadata["score"] for document in documents] == [hit.score for hit in hits]
    assert documents[0].metadata["path"] == "1. Light/Torches.md"
    assert "A torch burns for one hour." in documents[0].page_content


def test_filters_of_a_call_stand_above_its_own(search_context: SearchContext) -> None:
    arms = {"path": {"prefix": "2. Arms/"}}
    retriever = RulesRetriever(rules=search_context, filters=arms)
    assert {one.metadata["path"][0] for one in retriever.invoke(QUESTION)} <= {"2"}
    light = {"path": {"prefix": "1. Light/"}}
    found = retriever.invoke(QUESTION, filters=light)
    assert [one.metadata["path"] for one in found] == ["1. Light/Torches.md"]


class Told(BaseCallbackHandler):
    """Writes down what LangChain's tracers are told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, object]] = []

    def on_retriever_start(self, serialized: Any, query: str, **_: Any) -> None:
        self.events.append(("start", query))

    def on_retriever_end(self, documents: Sequence[Document], **_: Any) -> None:
        self.events.append(("end", [one.id for one in documents]))

    def on_retriever_error(self, error: BaseException, **_: Any) -> None:
        self.events.append(("error", type(error)))


def test_callbacks_are_told_what_was_found_and_what_went_wrong(
    search_context: SearchContext,
) -> None:
    told = Told()
    retriever = RulesRetriever(rules=search_context, top_k=1)
    found = retriever.invoke(QUESTION, {"callbacks": [told]})
    with pytest.raises(QuestionError):
        retriever.invoke(" ", {"callbacks": [told]})
    assert told.events == [
        ("start", QUESTION), ("end", [one.id for one in found]), ("start", " "),
        ("error", QuestionError),
    ]  # fmt: skip
