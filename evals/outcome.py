"""What a measurement is made of: an index with its vault, and the outcome of every question."""

from collections.abc import Mapping
from dataclasses import dataclass

from evals.dataset import Question
from evals.judge import ChunksOf, Judgement
from retrieval.models import SearchResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with what search returned; no judgement for an unanswerable one."""

    question: Question
    found: SearchResult
    judgement: Judgement | None


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: a generation of the index and the vault that it was made of."""

    generation_id: int
    files: Mapping[str, str]  # text by path
    chunks_of: ChunksOf
