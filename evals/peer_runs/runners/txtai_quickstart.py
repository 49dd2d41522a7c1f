"""txtai's quickstart: its segmentation into paragraphs, an embeddings database, a search.

An update is `upsert`, by ids of file and paragraph.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def quickstart(
    embed: Callable[[list[str]], list[list[float]]], folder: Path, hybrid: bool = False
) -> Any:
    """Return the quickstart over a folder; `hybrid` adds its BM25 to the vectors."""
    import numpy
    from txtai import Embeddings
    from txtai.pipeline import Segmentation

    def vectors(texts: list[str]) -> Any:
        return numpy.array(embed(list(texts)), dtype=numpy.float32)

    class Quickstart:
        packages = ("txtai",)
        made = Embeddings(method="external", transform=vectors, content=True, hybrid=hybrid)
        segments = Segmentation(paragraphs=True)

        def rows(self) -> Iterator[tuple[str, str, None]]:
            for file in sorted(folder.rglob("*.md")):
                for number, text in enumerate(self.segments(file.read_text("utf-8"))):
                    yield f"{file.relative_to(folder).as_posix()}#{number}", text, None

        def index(self) -> None:
            self.made.index(self.rows())

        def update(self) -> None:
            self.made.upsert(self.rows())

        def search(self, question: str, count: int) -> list[tuple[str, str]]:
            found = self.made.search(question, count)
            return [(one["text"], one["id"].rpartition("#")[0]) for one in found]

    return Quickstart()
