"""Score every answerable question: ranks by ir-measures, characters, files, margins.

The documents of a ranking are passages (chunk ids). Needed is one passage for each gold of the
question's best place: the one that holds it and stands first. What no passage holds is needed as
well and never found, so a question that search cannot answer counts as 0 and is never left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import ir_measures
from ir_measures import AP, RR, P, Qrel, R, ScoredDoc, nDCG

from evals.labels.dataset import Gold
from evals.measure import span_overlap
from evals.measure.judge import holders
from evals.measure.outcome import Outcome, Subject
from evals.measure.span_overlap import PageOf
from retrieval.models import Candidate, SearchResult

SOURCES = 5  # passages whose files source recall looks at
DEPTH = 10  # of nDCG, and of the longer hit and recall


@dataclass(frozen=True, slots=True)
class Needed:
    """A gold that is needed, with the passage that should show it."""

    gold: Gold
    lines: tuple[int, int] | None  # of the gold in its file, from 1; None: no quote, or not there
    passage: str  # a chunk id; where no chunk holds the gold, a name that no chunk has
    rank: int | None  # in the ranking, from 1
    candidate: Candidate | None  # its row of the trace


@dataclass(frozen=True, slots=True)
class ScoredOutcome:
    """An outcome with its metrics; an unanswerable question has none.

    `values` has every metric by its name, None where this question does not define it.
    `holders` are, for every place and gold of the question, the ids of the chunks that hold it.
    """

    outcome: Outcome
    ranking: tuple[str, ...]  # chunk ids, best first
    needed: tuple[Needed, ...]
    holders: tuple[tuple[frozenset[str], ...], ...]
    values: Mapping[str, float | None]


def score(
    outcomes: Sequence[Outcome],
    measured: Subject,
    page_of: PageOf,
    *,
    top_k: int,
    candidates: int,
) -> list[ScoredOutcome]:
    """Return the outcomes with their metrics, in order.

    `top_k` is how many passages were asked for, `candidates` how many a reranker reads.

    hit, gold_recall, precision, mrr_first, ndcg, map: 0 to 1, of the ranking. A hit has all that
    is needed: its share over the questions, of those that the reply shows, is the gate's recall.
    gold_recall is the share of the golds, mrr_first of the first gold. mrr: 1 / the rank of the
    last gold that is needed, which is the MRR of console, README and baseline.
    ceiling: 1 where the candidates held all that is needed, so that a reranker could do it.
    span_recall, span_precision: 0 to 1, of characters; None where a gold stands nowhere.
    source_recall: 0 to 1, the share of the golds' files among those of the first 5 passages.
    forbidden: 1 where one of the first 3 passages must not be there; None where any may be.
    margin: the score of the last passage needed less that of the best one without gold.
    """
    placed = [_placed(outcome, measured, page_of, top_k) for outcome in outcomes]
    by_name = {item.outcome.question.id: item for item in placed if item.needed}
    ranked = _ranked(list(by_name.values()), top_k)
    values = {
        name: row | _others(by_name[name], page_of, candidates) for name, row in ranked.items()
    }
    return [replace(item, values=values.get(item.outcome.question.id, {})) for item in placed]


def ranking(found: SearchResult, top_k: int) -> tuple[str, ...]:
    """Return the chunk ids that were returned, then those that a larger `top_k` would have added.

    Where fewer were returned than asked for, the others are under the threshold and none follows.
    """
    returned = [hit.chunk.id for hit in found.hits]
    rest = [row.chunk_id for row in found.trace if row.fate != "threshold"]
    if len(returned) < top_k:
        rest = []
    return tuple(dict.fromkeys([*returned, *rest]))


def qrels(scored: Iterable[ScoredOutcome]) -> list[Qrel]:
    """Return which passages each answerable question needs, as ir-measures reads them."""
    return [
        Qrel(item.outcome.question.id, passage, 1)
        for item in scored
        for passage in sorted({need.passage for need in item.needed})
    ]


def run(scored: Iterable[ScoredOutcome]) -> list[ScoredDoc]:
    """Return the ranking of each answerable question; a score is a negated rank, without ties."""
    return [
        ScoredDoc(item.outcome.question.id, passage, -float(rank))
        for item in scored
        if item.needed
        for rank, passage in enumerate(item.ranking, start=1)
    ]


def _placed(outcome: Outcome, measured: Subject, page_of: PageOf, top_k: int) -> ScoredOutcome:
    """Find the passages that a question needs; of equally good places take the best found one."""
    order = ranking(outcome.found, top_k)
    ranks = {passage: rank for rank, passage in enumerate(order, start=1)}
    rows = {row.chunk_id: row for row in outcome.found.trace}
    held: list[tuple[frozenset[str], ...]] = []
    places: list[tuple[Needed, ...]] = []
    for golds in outcome.question.places:
        held.append(tuple(frozenset(holders(g, measured.chunks_of(g.path))) for g in golds))
        pairs = zip(golds, held[-1], strict=True)
        places.append(tuple(_needed(gold, ids, ranks, rows, page_of) for gold, ids in pairs))
    best = min(places, key=lambda place: _missing(place, top_k), default=())
    return ScoredOutcome(outcome, order, best, tuple(held), {})


def _needed(
    gold: Gold,
    ids: Iterable[str],
    ranks: Mapping[str, int],
    rows: Mapping[str, Candidate],
    page_of: PageOf,
) -> Needed:
    last = len(ranks) + 1
    nowhere = f"{gold.path}#{gold.quote}"  # a chunk's id ends with a line number after a colon
    passage = min(ids, key=lambda i: (ranks.get(i, last), i not in rows, i), default=nowhere)
    lines = span_overlap.lines(gold, page_of)
    return Needed(gold, lines, passage, ranks.get(passage), rows.get(passage))


def _missing(place: Sequence[Needed], top_k: int) -> tuple[int, int, int]:
    """Order places: golds not returned, golds not ranked, the sum of the ranks."""
    ranks = [need.rank for need in place]
    found = [rank for rank in ranks if rank is not None]
    return sum(r is None or r > top_k for r in ranks), ranks.count(None), sum(found)


def _ranked(scored: Sequence[ScoredOutcome], top_k: int) -> dict[str, dict[str, float | None]]:
    """The metrics of the ranking by question id, each question with each of them."""
    cuts = sorted({1, top_k, DEPTH})
    measures = {f"gold_recall@{k}": R @ k for k in cuts} | {
        f"precision@{top_k}": P @ top_k, "mrr_first": RR, f"ndcg@{DEPTH}": nDCG @ DEPTH, "map": AP,
    }  # fmt: skip
    names = {str(measure): name for name, measure in measures.items()}
    values: dict[str, dict[str, float | None]] = {item.outcome.question.id: {} for item in scored}
    for one in ir_measures.iter_calc(list(measures.values()), qrels(scored), run(scored)):
        values[one.query_id][names[str(one.measure)]] = float(one.value)
    for name, row in values.items():
        if len(row) != len(measures):
            raise AssertionError(f"ir-measures left out {set(measures) - set(row)} of {name}")
        row.update({f"hit@{k}": float(row[f"gold_recall@{k}"] == 1.0) for k in cuts})
        del row["gold_recall@1"]  # what needs two passages cannot reach 1
    return values


def _others(item: ScoredOutcome, page_of: PageOf, candidates: int) -> dict[str, float | None]:
    question, found = item.outcome.question, item.outcome.found
    judgement = item.outcome.judgement
    assert judgement  # of every answerable question
    also = [gold for golds in question.places for gold in golds]
    passages = [hit.chunk for hit in found.hits]
    shown = span_overlap.shares([n.gold for n in item.needed], also, passages, page_of)
    files = {passage.rpartition(":")[0] for passage in item.ranking[:SOURCES]}
    return {
        "mrr": 1 / judgement.rank if judgement.rank else 0.0,
        "ceiling": float(judgement.pool_rank is not None and judgement.pool_rank <= candidates),
        "span_recall": shown[0] if shown else None,
        "span_precision": shown[1] if shown else None,
        f"source_recall@{SOURCES}": max(
            len({g.path for g in golds} & files) / len({g.path for g in golds})
            for golds in question.places
        ),
        "forbidden@3": float(bool(judgement.forbidden)) if question.forbidden else None,
        "margin": _margin(item),
    }


def _margin(item: ScoredOutcome) -> float | None:
    """None where a passage needed has no final score, or every candidate holds gold."""
    found = item.outcome.found
    gold = frozenset().union(*(ids for place in item.holders for ids in place))
    scores = {row.chunk_id: row.final_score for row in found.trace}
    needed = [scores.get(need.passage) for need in item.needed]
    others = [value for name, value in scores.items() if value is not None and name not in gold]
    if None in needed or not others:
        return None
    return min(value for value in needed if value is not None) - max(others)
