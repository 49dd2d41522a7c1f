"""The lines behind an answer: what was found, and what was cited of it."""

from typing import Literal

from pydantic import BaseModel, Field

from api.sources.vault_file import Freshness


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
    """The lines behind a `[marker]`; the server has checked that `quote` stands in them.

    `path` and lines are what GET /vault/{path}#L12-L14 shows.
    """

    marker: int
    path: str
    heading: str
    first_line: int
    last_line: int
    quote: str
    score: float
    status: Literal["verified", "repaired"] = Field(
        default="verified",
        description="repaired: the model cited another passage than the one that says it",
    )
    fresh: Freshness = Field(
        default="fresh", description="whether the file still is what was indexed"
    )


class CitationCounts(BaseModel):
    """Markers of a model's answer (quotes: of the quotes) by what became of them."""

    verified: int = 0
    repaired: int = Field(default=0, description="moved to the passage that carries the claim")
    unverified: int = Field(default=0, description="taken out: no passage carries the claim")
    dropped: int = Field(default=0, description="taken out: there is no such passage")
