"""Our search as a LlamaIndex retriever, with the extra llama-index."""

from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from retrieval.context import SearchContext
from retrieval.passage_metadata import metadata_of
from retrieval.search import search


class RulesRetriever(BaseRetriever):
    """Returns the passages of `search` as nodes, best first; the lines are their metadata.

    A node's id is "PATH:LINE". Of the metadata a model or an embedder is shown the path and the
    heading alone. Raises what `search` raises.
    """

    def __init__(
        self,
        rules: SearchContext,
        *,
        top_k: int | None = None,
        filters: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        """Search `rules` for `top_k` passages (RAG_TOP_K) of files that pass `filters`."""
        super().__init__(**settings)
        self._rules, self._top_k, self._filters = rules, top_k, filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        asked = query_bundle.query_str
        result = search(self._rules, asked, top_k=self._top_k, filters=self._filters)
        return [
            NodeWithScore(node=_node(hit.chunk.id, hit.chunk.text, about), score=hit.score)
            for hit in result.hits
            for about in [metadata_of(hit, result.generation)]
        ]


def _node(name: str, text: str, about: dict[str, str | int | float]) -> TextNode:
    hidden = [key for key in about if key not in ("path", "heading")]
    return TextNode(
        id_=name,
        text=text,
        metadata=about,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
