"""Score every answerable question: ranks by ir-measures, characters, files, margins.

The documents of a ranking are passages (chunk ids). Needed is one passage for each gold of the
question's best place: the one that holds it and stands first. What no passage holds is needed as
well and never found, so a question that search cannot answer counts as 0 and is never left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import ir_measures
from ir_measures import AP, RR, P, Qrel, R, ScoredDoc, nDCG

from evals.labels.dataset import Gold
from evals.measure import span_overlap
from evals.measure.judge import Judgement, Sought
from evals.measure.outcome import Outcome
from evals.measure.span_overlap import PageOf
from retrieval.models import SearchResult

SOURCES = 5  # passages whose files source recall looks at
DEPTH = 10  # of nDCG, and of the longer hit and recall

Values = Mapping[str, float | None]  # a metric by its name; None where a question defines none


class Needed(NamedTuple):
    """A gold that is needed, with the passage that should show it."""

    gold: Gold
    passage: str  # a chunk id; where no chunk holds the gold, a name that no chunk has
    rank: int | None  # in the ranking, from 1


def score(
    outcomes: Sequence[Outcome], page_of: PageOf, *, top_k: int, candidates: int
) -> dict[str, Values]:
    """Return the metrics of each answerable question by its id.

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
    ranked = _ranked(outcomes, top_k)
    return {
        one.question.id: ranked[one.question.id]
        | _others(one, one.judgement, page_of, top_k, candidates)
        for one in outcomes
        if one.judgement
    }


def ranking(found: SearchResult, top_k: int) -> tuple[str, ...]:
    """Return the chunk ids that were returned, then those that a larger `top_k` would have added.

    Where fewer were returned than asked for, the others are under the threshold and none follows.
    """
    returned = [hit.chunk.id for hit in found.hits]
    rest = [row.chunk_id for row in found.trace if row.fate != "threshold"]
    if len(returned) < top_k:
        rest = []
    return tuple(dict.fromkeys([*returned, *rest]))


def needed(outcome: Outcome, top_k: int) -> tuple[Needed, ...]:
    """Return what a question needs, of equally good places the best found one; () for no answer."""
    if outcome.judgement is None:
        return ()
    ranks = {p: rank for rank, p in enumerate(ranking(outcome.found, top_k), start=1)}
    traced = {row.chunk_id for row in outcome.found.trace}
    places = [
        tuple(_needed(sought, ranks, traced) for sought in place)
        for place in outcome.judgement.places
    ]
    return min(places, key=lambda place: _missing(place, top_k))


def qrels(outcomes: Iterable[Outcome], top_k: int) -> list[Qrel]:
    """Return which passages each answerable question needs, as ir-measures reads them."""
    return [
        Qrel(outcome.question.id, passage, 1)
        for outcome in outcomes
        for passage in sorted({need.passage for need in needed(outcome, top_k)})
    ]


def run(outcomes: Iterable[Outcome], top_k: int) -> list[ScoredDoc]:
    """Return the ranking of each answerable question; a score is a negated rank, without ties."""
    return [
        ScoredDoc(outcome.question.id, passage, -float(rank))
        for outcome in outcomes
        if outcome.judgement
        for rank, passage in enumerate(ranking(outcome.found, top_k), start=1)
    ]


def _needed(sought: Sought, ranks: Mapping[str, int], traced: set[str]) -> Needed:
    last = len(ranks) + 1
    nowhere = f"{sought.gold.path}#{sought.gold.quote}"  # a chunk's id ends with a line's number
    passage = min(
        sought.holders, key=lambda i: (ranks.get(i, last), i not in traced, i), default=nowhere
    )
    return Needed(sought.gold, passage, ranks.get(passage))


def _missing(place: Sequence[Needed], top_k: int) -> tuple[int, int, int]:
    """Order places: golds not returned, golds not ranked, the sum of the ranks."""
    ranks = [need.rank for need in place]
    found = [rank for rank in ranks if rank is not None]
    return sum(r is None or r > top_k for r in ranks), ranks.count(None), sum(found)


def _ranked(outcomes: Sequence[Outcome], top_k: int) -> dict[str, dict[str, float | None]]:
    """The metrics of the ranking by question id, each question with each of them."""
    cuts = sorted({1, top_k, DEPTH})
    measures = {f"gold_recall@{k}": R @ k for k in cuts} | {
        f"precision@{top_k}": P @ top_k, "mrr_first": RR, f"ndcg@{DEPTH}": nDCG @ DEPTH, "map": AP,
    }  # fmt: skip
    names = {str(measure): name for name, measure in measures.items()}
    values: dict[str, dict[str, float | None]] = {
        o.question.id: {} for o in outcomes if o.judgement
    }
    relevant, ranked = qrels(outcomes, top_k), run(outcomes, top_k)
    for one in ir_measures.iter_calc(list(measures.values()), relevant, ranked):
        values[one.query_id][names[str(one.measure)]] = float(one.value)
    for name, row in values.items():
        if len(row) != len(measures):
            raise AssertionError(f"ir-measures left out {set(measures) - set(row)} of {name}")
        row.update({f"hit@{k}": float(row[f"gold_recall@{k}"] == 1.0) for k in cuts})
        del row["gold_recall@1"]  # what needs two passages cannot reach 1
    return values


def _others(
    outcome: Outcome, judgement: Judgement, page_of: PageOf, top_k: int, candidates: int
) -> dict[str, float | None]:
    places, found = outcome.question.places, outcome.found
    wanted = needed(outcome, top_k)
    also = [gold for golds in places for gold in golds]
    passages = [hit.chunk for hit in found.hits]
    shown = span_overlap.shares([need.gold for need in wanted], also, passages, page_of)
    files = {passage.rpartition(":")[0] for passage in ranking(found, top_k)[:SOURCES]}
    return {
        "mrr": 1 / judgement.rank if judgement.rank else 0.0,
        "ceiling": float(judgement.pool_rank is not None and judgement.pool_rank <= candidates),
        "span_recall": shown[0] if shown else None,
        "span_precision": shown[1] if shown else None,
        f"source_recall@{SOURCES}": max(
            len({g.path for g in golds} & files) / len({g.path for g in golds}) for golds in places
        ),
        "forbidden@3": float(bool(judgement.forbidden)) if outcome.question.forbidden else None,
        "margin": _margin(found, judgement, wanted),
    }


def _margin(found: SearchResult, judgement: Judgement, wanted: Sequence[Needed]) -> float | None:
    """None where a passage needed has no final score, or every candidate holds gold."""
    gold = frozenset().union(*(sought.holders for place in judgement.places for sought in place))
    scores = {row.chunk_id: row.final_score for row in found.trace}
    least = [scores.get(need.passage) for need in wanted]
    others = [value for name, value in scores.items() if value is not None and name not in gold]
    if None in least or not others:
        return None
    return min(value for value in least if value is not None) - max(others)
