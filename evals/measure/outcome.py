"""What a measurement is made of: an index with its vault, and the outcome of every question."""

from collections.abc import Mapping
from dataclasses import dataclass

from api.answer.card_reply import CardReply
from evals.labels.dataset import Question
from evals.measure.judge import ChunksOf, Judgement
from evals.measure.shown import Shown
from retrieval.models import SearchResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with what search returned, and the reply that is made of it.

    No judgement, and nothing `shown`, of an unanswerable one. `reply` is None where search alone
    was measured.
    """

    question: Question
    found: SearchResult
    judgement: Judgement | None
    reply: CardReply | None = None
    shown: Shown | None = None

    @property
    def refused(self) -> bool:
        """Whether nobody gets an answer from this search."""
        return not self.found.hits if self.reply is None else self.reply.certainty == "refused"

    @property
    def passed(self) -> bool:
        """Whether search returned all that is needed and the reply shows a line of it."""
        if self.judgement is None or not self.judgement.hit:
            return False
        return self.shown is None or self.shown.anywhere

    @property
    def right(self) -> bool:
        """Whether it passed, or is the refusal of a question that has no answer."""
        return self.passed if self.judgement else self.refused

    @property
    def lost_at(self) -> str | None:
        """The bucket that lost an answerable question; "reply" where search had found it."""
        if self.judgement is None or self.passed:
            return None
        return self.judgement.lost_at or "reply"


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: a generation of the index and the vault that it was made of."""

    generation_id: int
    files: Mapping[str, str]  # text by path
    chunks_of: ChunksOf
