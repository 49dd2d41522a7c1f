"""What goes over HTTP: requests that refuse unknown fields, and the shapes of the answers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.models import Candidate, SearchResult

RefusalReason = Literal["no_passage", "model", "no_citation"]


class _Request(BaseModel):
    # A misspelt or unsupported field is an error, not a wish that is silently left out.
    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(description="what to ask, in plain words")
    history: list[str] = Field(
        default=[],
        max_length=20,
        description="the user's earlier questions; a follow-up is searched with the last of them",
    )
    top_k: int | None = Field(default=None, ge=1, le=50, description="passages; default RAG_TOP_K")


class AskRequest(_Request):
    """The body of POST /ask."""


class SearchRequest(_Request):
    """The body of POST /search."""

    explain: bool = Field(default=False, description="add the ranks and scores of every stage")


class Passage(BaseModel):
    """Lines of a file. `context` is a table's header or a list's lead-in from further up."""

    path: str
    heading: str
    first_line: int
    last_line: int
    text: str
    context: str
    score: float


class Citation(BaseModel):
    """The lines behind a `[marker]`; the server has checked that `quote` stands in them."""

    marker: int
    path: str
    heading: str
    first_line: int
    last_line: int
    quote: str
    score: float


class Usage(BaseModel):
    """Tokens as the language model's server counted them; 0 where none was called."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class AnswerTimings(BaseModel):
    """Milliseconds."""

    embed_ms: float
    search_ms: float
    rerank_ms: float
    generate_ms: float
    total_ms: float


class Answer(BaseModel):
    """The reply of POST /ask. A refusal has no citations and says why."""

    answer: str
    refused: bool
    refusal_reason: RefusalReason | None
    mode: Literal["quotes", "model"]
    citations: list[Citation]
    passages: list[Passage]
    usage: Usage
    timings: AnswerTimings
    generation: str
    request_id: str


class SearchTimings(BaseModel):
    """Milliseconds."""

    embed_ms: float
    search_ms: float
    rerank_ms: float


class SearchReply(BaseModel):
    """The reply of POST /search; `trace` only where `explain` was asked for."""

    passages: list[Passage]
    rerank: str
    threshold: float | None = Field(
        description="passages whose cosine similarity (with a reranker: its score) is lower are "
        "dropped; null: none is"
    )
    timings: SearchTimings
    generation: str
    request_id: str
    trace: list[Candidate] | None = None


def passages(found: SearchResult) -> list[Passage]:
    """Return the hits of a search as they go over HTTP."""
    return [
        Passage(
            path=hit.chunk.path,
            heading=hit.chunk.heading,
            first_line=hit.chunk.first_line,
            last_line=hit.chunk.last_line,
            text=hit.chunk.text,
            context=hit.chunk.context,
            score=hit.score,
        )
        for hit in found.hits
    ]
