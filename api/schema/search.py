"""The reply of POST /search."""

from pydantic import BaseModel, Field

from api.schema.passages import Passage
from retrieval.search_trace import Candidate, Timings


class SearchReply(BaseModel):
    """The reply of POST /search; `trace` only where `explain` was asked for."""

    passages: list[Passage]
    rerank: str
    threshold: float | None = Field(
        description="passages whose score (the one in `passages`) is lower are "
        "dropped; null: none is"
    )
    timings: Timings
    generation: str
    request_id: str
    trace: list[Candidate] | None = None
