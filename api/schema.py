"""What goes over HTTP: requests that refuse unknown fields, and the shapes of the answers."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.completion import Reply
from api.freshness import Freshness
from api.guard.findings import FindingKind
from retrieval.models import Candidate, SearchResult
from retrieval.refusal.decision import Certainty
from retrieval.search import QUESTION_LIMIT

Mode = Literal["quotes", "model"]
RefusalReason = Literal["no_passage", "model", "no_citation", "language"]
Verdict = Literal["pass", "repaired", "retried", "quotes", "refused", "off"]


class _Request(BaseModel):
    # A misspelt or unsupported field is an error, not a wish that is silently left out.
    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(description="what to ask, in plain words")
    history: list[Annotated[str, Field(max_length=QUESTION_LIMIT)]] = Field(
        default=[],
        max_length=20,
        description="the user's earlier questions, which a follow-up is made whole with",
    )
    top_k: int | None = Field(default=None, ge=1, le=50, description="passages; default RAG_TOP_K")


class AskRequest(_Request):
    """The body of POST /ask."""

    stream: bool = Field(default=False, description="answer with server-sent events")


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


class Marked(BaseModel):
    """Lines of a card that answer."""

    first_line: int
    last_line: int


class More(BaseModel):
    """Rows, items or fields that a card leaves out, and where to read them."""

    count: int
    url: str


class Card(BaseModel):
    """A place of the rules with its text, in the form that its structure has.

    `text` is Markdown; of a folded card it is one line. `marked` are the lines that answer.
    """

    path: str
    heading: str = Field(description='the headings above, joined with " > "')
    first_line: int
    last_line: int
    form: Literal["section", "table", "list", "fields"]
    text: str
    marked: list[Marked]
    folded: bool
    more: More | None
    badges: list[str] = Field(
        description="errata, house-rule, optional, superseded, changed-since-indexed"
    )
    fresh: Freshness


class SpellingCorrection(BaseModel):
    """A word as it was typed and as it was searched."""

    typed: str
    searched: str


class CitationCounts(BaseModel):
    """Markers of a model's answer (quotes: of the quotes) by what became of them."""

    verified: int = 0
    repaired: int = Field(default=0, description="moved to the passage that carries the claim")
    unverified: int = Field(default=0, description="taken out: no passage carries the claim")
    dropped: int = Field(default=0, description="taken out: there is no such passage")


class GuardFinding(BaseModel):
    """A fault of what the model wrote. Its own words are left out: they must not get out."""

    kind: FindingKind
    message: str


class Guard(BaseModel):
    """What became of a model's answer.

    pass: shown as it was written. repaired: markers moved or taken out, or markup removed.
    retried: it had `findings`, the second one has none. quotes: both had some, so exact quotes
    take their place. refused: nor is there anything to quote, or the second one refuses. off:
    there was nothing to check, as no model answered or it refused at once.
    """

    verdict: Verdict = "off"
    findings: list[GuardFinding] = []


class Usage(BaseModel):
    """Tokens as the language model's server counted them; 0 where none was called."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def of(cls, reply: Reply) -> "Usage":
        """Return the tokens of a model's reply."""
        return cls(prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)

    def __add__(self, other: "Usage") -> "Usage":
        """Return the tokens of both."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class AnswerTimings(BaseModel):
    """Milliseconds."""

    embed_ms: float
    search_ms: float
    rerank_ms: float
    generate_ms: float
    total_ms: float


class Answer(BaseModel):
    """The reply of POST /ask: cards of the rules, or a refusal that says why.

    `certainty` is nearest where the rules may not say what was asked: the cards are the nearest
    there are. Reasons of a refusal: no_passage (the question is about something else), model (the
    model refused), no_citation (nothing that it wrote has a source), language (not the vault's).
    """

    question: str = Field(description="the question as it was searched")
    answer: str
    certainty: Certainty
    confidence: float | None = Field(
        description="the probability that the first card answers; 0 of a refusal; null where "
        "nothing was fitted for the models, or nothing was asked of the rules"
    )
    refused: bool
    refusal_reason: RefusalReason | None
    mode: Mode = Field(description="whose words `answer` is")
    corrections: list[SpellingCorrection]
    cards: list[Card]
    guard: Guard
    citations: list[Citation]
    citation_counts: CitationCounts
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
        description="passages whose score (the one in `passages`) is lower are "
        "dropped; null: none is"
    )
    timings: SearchTimings
    generation: str
    request_id: str
    trace: list[Candidate] | None = None


class Problem(BaseModel):
    """An error: RFC 9457 problem details with the request's id."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str


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
