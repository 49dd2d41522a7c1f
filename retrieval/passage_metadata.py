"""What LangChain and LlamaIndex are told of a passage beside its text."""

from retrieval.models import Hit


def metadata_of(hit: Hit, generation: str) -> dict[str, str | int | float]:
    """Return where a passage stands, its score, and the generation of the index that answered."""
    return {
        "path": hit.chunk.path,
        "heading": hit.chunk.heading,
        "first_line": hit.chunk.first_line,
        "last_line": hit.chunk.last_line,
        "context": hit.chunk.context,
        "score": hit.score,
        "generation": generation,
    }
