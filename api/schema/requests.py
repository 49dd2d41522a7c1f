"""What is asked over HTTP: unknown fields are refused."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from retrieval.search import QUESTION_LIMIT


class _Request(BaseModel):
    # A misspelt or unsupported field is an error, not a wish that is silently left out.
    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(description="what to ask, in plain words")
    history: list[Annotated[str, Field(max_length=QUESTION_LIMIT)]] = Field(
        default=[],
        max_length=20,
        description="the user's earlier questions, which a follow-up is made whole with",
    )
    filters: dict[str, Any] | None = Field(
        default=None,
        description='of which files: {"field": value}, {"field": {"in": […]}}, {"path": {"prefix": '
        '"Folder/"}}, {"and": […]}, {"or": […]}, {"not": {…}}; docs/filters.md has all of it',
    )
    top_k: int | None = Field(default=None, ge=1, le=50, description="passages; default RAG_TOP_K")


class AskRequest(_Request):
    """The body of POST /ask."""

    stream: bool = Field(default=False, description="answer with server-sent events")


class SearchRequest(_Request):
    """The body of POST /search."""

    explain: bool = Field(default=False, description="add the ranks and scores of every stage")
