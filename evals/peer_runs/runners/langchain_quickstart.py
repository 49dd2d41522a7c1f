"""LangChain's quickstart: its recursive splitter, a vector store, a similarity search.

An update is its indexing API (`index` with cleanup="full"), as its documents say.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def quickstart(embed: Callable[[list[str]], list[list[float]]], folder: Path) -> Any:
    """Return the quickstart over a folder; the splitter's numbers are the tutorial's."""
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.indexing import InMemoryRecordManager, index
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Served(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

        def embed_query(self, text: str) -> list[float]:
            return embed([text])[0]

    class Quickstart:
        packages = ("langchain-core", "langchain-text-splitters")
        store = InMemoryVectorStore(Served())
        known = InMemoryRecordManager("peers")
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=1000, chunk_overlap=200, add_start_index=True
        )

        def index(self) -> None:
            documents = [
                Document(file.read_text("utf-8"), metadata={"source": str(file)})
                for file in sorted(folder.rglob("*.md"))
            ]
            splits = self.splitter.split_documents(documents)
            index(
                splits, self.known, self.store, cleanup="full", source_id_key="source",
                key_encoder="sha256", batch_size=1000,
            )  # fmt: skip

        update = index

        def search(self, question: str, count: int) -> list[tuple[str, str]]:
            found = self.store.similarity_search(question, k=count)
            return [(one.page_content, one.metadata["source"]) for one in found]

    return Quickstart()
