"""LlamaIndex's quickstart: SimpleDirectoryReader, SentenceSplitter, VectorStoreIndex.

An update is `refresh_ref_docs`, as its documents say; it looks at the documents that are given.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def quickstart(
    embed: Callable[[list[str]], list[list[float]]], folder: Path, chunk_size: int | None = None
) -> Any:
    """Return the quickstart over a folder; `chunk_size` is in the library's tokens."""
    from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import Document, MetadataMode

    class Served(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    class Quickstart:
        packages = ("llama-index-core", "llama-index-readers-file")
        made: Any = None

        def index(self) -> None:
            given: dict[str, Any] = (
                {"chunk_size": chunk_size, "chunk_overlap": 0} if chunk_size else {}
            )
            self.made = VectorStoreIndex.from_documents(
                self.documents(), embed_model=Served(),
                transformations=[SentenceSplitter(**given)],
            )  # fmt: skip

        def documents(self) -> list[Document]:
            reader = SimpleDirectoryReader(str(folder), recursive=True, filename_as_id=True)
            return list(reader.load_data())

        def update(self) -> None:
            self.made.refresh_ref_docs(self.documents())

        def search(self, question: str, count: int) -> list[tuple[str, str]]:
            found = self.made.as_retriever(similarity_top_k=count).retrieve(question)
            return [
                (one.node.get_content(MetadataMode.NONE), one.node.metadata["file_path"])
                for one in found
            ]

    return Quickstart()
