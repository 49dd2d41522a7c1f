"""Our search as a LangChain retriever: it drops into any chain or agent."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, InstanceOf

from retrieval.context import SearchContext
from retrieval.passage_metadata import metadata_of
from retrieval.search import search


class RulesRetriever(BaseRetriever):
    """Returns the passages of `search`, best first; the lines and the score are the metadata.

    `id` is "PATH:LINE". `top_k` and `filters` of a call stand above those of the retriever. Raises
    what `search` raises.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    rules: InstanceOf[SearchContext]
    top_k: int | None = None  # None: RAG_TOP_K
    filters: dict[str, Any] | None = None  # of which files: docs/filters.md

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
    ) -> list[Document]:
        wanted = self.filters if filters is None else filters
        result = search(self.rules, query, top_k=top_k or self.top_k, filters=wanted)
        return [
            Document(
                id=hit.chunk.id,
                page_content=hit.chunk.text,
                metadata=metadata_of(hit, result.generation),
            )
            for hit in result.hits
        ]
