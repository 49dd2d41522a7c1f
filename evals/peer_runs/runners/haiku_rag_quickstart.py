"""haiku.rag 0.6.0, the newest for Python 3.11: a file a document, hybrid search, no reranker.

Its encoder is what OPENAI_BASE_URL serves. An update reads each file again, as its monitor does.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def quickstart(embed: Callable[[list[str]], list[list[float]]], folder: Path) -> Any:
    """Return the quickstart over a folder; `embed` tells only how long a vector is."""
    os.environ |= {
        "EMBEDDINGS_PROVIDER": "openai", "EMBEDDINGS_MODEL": "ours", "RERANK_PROVIDER": "none",
        "EMBEDDINGS_VECTOR_DIM": str(len(embed(["length"])[0])), "OPENAI_API_KEY": "none",
    }  # fmt: skip
    from haiku.rag.client import HaikuRAG

    class Quickstart:
        packages = ("haiku.rag",)
        made = HaikuRAG(Path(tempfile.mkdtemp()) / "haiku.sqlite")
        loop = asyncio.new_event_loop()

        def index(self) -> None:
            for file in sorted(folder.rglob("*.md")):
                self.loop.run_until_complete(self.made.create_document_from_source(file, {}))

        update = index

        def search(self, question: str, count: int) -> list[tuple[str, str]]:
            found = self.loop.run_until_complete(self.made.search(question, limit=count))
            return [
                (chunk.content, chunk.document_uri.removeprefix("file://")) for chunk, _ in found
            ]

    return Quickstart()
