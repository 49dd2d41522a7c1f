"""How long searches take, and what they find, beside those of the sample in the same run."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from evals.labels.dataset import Question
from retrieval.context import SearchContext
from retrieval.index import hnsw
from retrieval.index.nearest import nearest
from retrieval.index.store import Connection, generation
from retrieval.metadata.scope import MetadataCache
from retrieval.models import Scope, Vectors
from retrieval.refusal.topic_scores import BaselineCache
from retrieval.search import search
from retrieval.text.normalize import searchable
from retrieval.vocabulary.file_terms import TermsCache
from retrieval.vocabulary.sections import SectionsCache

SHARES = (999, 500, 100, 10, 1)  # of 1,000 files
DEPTHS = (10, 50)  # chunks; search asks for the latter
_FIRST = 4  # passages


@dataclass(frozen=True, slots=True)
class Way:
    """One way to search: in which index, under which filter."""

    context: SearchContext
    generation_id: int
    share: int | None = None  # of 1,000 files that pass; None: no filter

    def ask(self, question: str) -> tuple[float, list[str]]:
        """Search; return the seconds it took and the paths of the passages."""
        filters = None if self.share is None else {"number": {"lt": self.share}}
        started = perf_counter()
        found = search(self.context, question, generation_id=self.generation_id, filters=filters)
        took = perf_counter() - started
        return took, [hit.chunk.path for hit in found.hits]


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of the searches of one way."""

    p50: float
    p95: float

    @staticmethod
    def of(seconds: Sequence[float]) -> "Times":
        """Return both of a list of seconds."""
        p50, p95 = np.percentile(np.array(seconds) * 1000, [50, 95])
        return Times(float(p50), float(p95))


def beside(context: SearchContext) -> SearchContext:
    """Return the context with caches of its own, for another index in turn with the first."""
    return replace(
        context, baseline=BaselineCache(), terms=TermsCache(), sections=SectionsCache(),
        metadata=MetadataCache(),
    )  # fmt: skip


def timed(
    ways: Mapping[str, Way], questions: Sequence[Question]
) -> tuple[dict[str, Times], dict[str, float]]:
    """Ask every question in every way, in drawn order; return the times and the share right.

    Right is an answerable question with a gold file among the first passages. One question in each
    way goes before, which fills caches and is not counted.
    """
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    right: defaultdict[str, list[bool]] = defaultdict(list)
    order = random.Random(0)  # noqa: S311  # no secret
    for way in ways.values():
        way.ask(questions[0].question)
    for question in questions:
        gold = {one.path for place in question.places for one in place}
        for name in order.sample(list(ways), len(ways)):
            took, paths = ways[name].ask(question.question)
            seconds[name].append(took)
            if gold:
                right[name].append(not gold.isdisjoint(paths[:_FIRST]))
    shares = {name: float(np.mean(found)) for name, found in right.items()}
    return {name: Times.of(found) for name, found in seconds.items()}, shares


def filtered(context: SearchContext, generation_id: int) -> dict[str, Way]:
    """Return the ways of each share of the files, by what the share is called."""
    return {_called(share): Way(context, generation_id, share) for share in SHARES}


def recalls(
    context: SearchContext, conn: Connection, generation_id: int, questions: Sequence[Question]
) -> dict[str, dict[int, float]]:
    """Return the share of the nearest chunks that are found, by the way and for each of DEPTHS."""
    asked = [context.embedder.question(searchable(one.question)).vector for one in questions]
    known = generation(conn, generation_id)
    ways: dict[str, Scope | None] = {"": None}
    for share in SHARES:
        ways[_called(share)] = context.scope_of(conn, known, {"number": {"lt": share}})
    return {
        name: {
            depth: float(np.mean(shares))
            for depth, shares in zip(
                DEPTHS,
                zip(*(_recall(conn, generation_id, one, scope) for one in asked), strict=True),
                strict=True,
            )
        }
        for name, scope in ways.items()
    }


def _called(share: int) -> str:
    return f"{share / 10:g} % of the files pass"


def _recall(
    conn: Connection, number: int, vector: Vectors, scope: Scope | None
) -> tuple[float, ...]:
    """The share found of the nearest chunks of a scan, for each of DEPTHS."""
    if not hnsw.usable(conn, number):
        return (1.0,) * len(DEPTHS)  # there is nothing but the scan
    with conn.transaction():
        found = [nearest(conn, number, vector, depth, scope) for depth in DEPTHS]
        conn.execute("SET LOCAL hnsw.iterative_scan = off")  # so that no index is used
        conn.execute("SET LOCAL statement_timeout = 0")
        right = nearest(conn, number, vector, DEPTHS[-1], scope)
    shares = []
    for depth, those in zip(DEPTHS, found, strict=True):
        wanted = right[:depth]
        edge = wanted[-1].score - 1e-6 if wanted else 0.0
        shares.append(sum(one.score >= edge for one in those) / len(wanted) if wanted else 1.0)
    return tuple(shares)
