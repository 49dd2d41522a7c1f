"""The reply of POST /ask."""

from typing import Literal

from pydantic import BaseModel, Field

from api.schema.cards import Card, Folder
from api.schema.guard import Guard
from api.schema.passages import Citation, CitationCounts, Passage
from api.schema.usage import AnswerTimings, Usage
from retrieval.models import Certainty

Mode = Literal["quotes", "model"]


RefusalReason = Literal["no_passage", "model", "no_citation", "language", "filters"]


class SpellingCorrection(BaseModel):
    """A word as it was typed and as it was searched."""

    typed: str
    searched: str


class Answer(BaseModel):
    """The reply of POST /ask: cards of the rules, or a refusal that says why.

    `certainty` is nearest where the rules may not say what was asked: the cards are the nearest
    there are. Reasons of a refusal: no_passage (the question is about something else), model (the
    model refused), no_citation (nothing that it wrote has a source), language (not the vault's),
    filters (only files that the request's filters leave out answer it).
    """

    question: str = Field(description="the question as it was searched")
    answer: str
    certainty: Certainty
    confidence: float | None = Field(
        description="the probability that the first card answers; 0 of a refusal; null where "
        "nothing was fitted for the models, a folder is listed, or nothing was asked of the rules"
    )
    refused: bool
    refusal_reason: RefusalReason | None
    mode: Mode = Field(description="whose words `answer` is")
    notice: str | None = Field(
        default=None,
        description="why `answer` is not a model's now: its budget is used up, or its "
        "server cannot be reached",
    )
    corrections: list[SpellingCorrection]
    folders: list[Folder] = Field(description="folders that are asked for as a whole")
    cards: list[Card]
    guard: Guard
    citations: list[Citation]
    citation_counts: CitationCounts
    passages: list[Passage]
    usage: Usage
    timings: AnswerTimings
    generation: str
    request_id: str
