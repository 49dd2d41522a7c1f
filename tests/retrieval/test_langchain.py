"""The LangChain retriever is the search that answers users."""

from retrieval.context import SearchContext
from retrieval.langchain import RulesRetriever
from retrieval.search import search


def test_the_retriever_returns_the_passages_of_search_with_their_lines(
    search_context: SearchContext,
) -> None:
    question = "How long does a torch burn?"
    documents = RulesRetriever(rules=search_context, top_k=2).invoke(question)
    hits = search(search_context, question, top_k=2).hits
    assert [document.id for document in documents] == [hit.chunk.id for hit in hits]
    assert documents[0].metadata["path"] == "1. Light/Torches.md"
    assert "A torch burns for one hour." in documents[0].page_content
