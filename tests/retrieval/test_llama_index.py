"""The LlamaIndex retriever is the search that answers users, and the gate takes it as it is."""

import asyncio

import pytest
from llama_index.core.schema import MetadataMode

from evals.foreign.passages import passages
from retrieval.context import SearchContext
from retrieval.errors import QuestionError
from retrieval.llama_index import RulesRetriever
from retrieval.search import search

QUESTION = "How long does a torch burn?"


def test_it_returns_the_passages_of_search_with_their_lines(search_context: SearchContext) -> None:
    retriever = RulesRetriever(search_context, top_k=2)
    nodes = retriever.retrieve(QUESTION)
    hits = search(search_context, QUESTION, top_k=2).hits
    assert [node.node_id for node in nodes] == [hit.chunk.id for hit in hits]
    assert [node.score for node in nodes] == [hit.score for hit in hits]
    assert nodes[0].metadata["first_line"] == hits[0].chunk.first_line
    assert nodes[0].text == hits[0].chunk.text
    shown = nodes[0].node.get_content(MetadataMode.LLM)
    assert "1. Light/Torches.md" in shown
    assert "score" not in shown
    assert asyncio.run(retriever.aretrieve(QUESTION)) == nodes
    read = [(hit.chunk.text, hit.chunk.path) for hit in hits]  # by the gate over foreign retrievers
    assert [(one.text, one.path) for one in passages(nodes)] == read


def test_filters_narrow_it_and_what_search_raises_comes_through(
    search_context: SearchContext,
) -> None:
    light = {"path": {"prefix": "1. Light/"}}
    found = RulesRetriever(search_context, filters=light).retrieve(QUESTION)
    assert [node.metadata["path"] for node in found] == ["1. Light/Torches.md"]
    with pytest.raises(QuestionError):
        RulesRetriever(search_context).retrieve(" ")
