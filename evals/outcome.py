"""What a measurement is made of: an index with its vault, and the outcome of every question."""

from collections.abc import Mapping
from dataclasses import dataclass

from evals.dataset import Question
from evals.judge import ChunksOf, Judgement
from retrieval.models import SearchResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with what search returned; no judgement for an unanswerable one.

    `is_unfounded` is what the API asks of a search before it answers: whether it found too little.
    """

    question: Question
    found: SearchResult
    judgement: Judgement | None
    is_unfounded: bool = False

    @property
    def refused(self) -> bool:
        """Whether nobody gets an answer from this search."""
        return self.is_unfounded or not self.found.hits

    @property
    def right(self) -> bool:
        """Whether it is a hit, or the refusal of a question that has no answer."""
        return self.judgement.hit if self.judgement else self.refused


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: a generation of the index and the vault that it was made of."""

    generation_id: int
    files: Mapping[str, str]  # text by path
    chunks_of: ChunksOf
