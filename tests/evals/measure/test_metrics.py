"""The metrics, against numbers worked out by hand and against the judge."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from math import log2

import pytest

from evals.labels.dataset import Gold
from evals.measure import span_overlap, summary
from evals.measure.metrics import needed
from retrieval.context import SearchContext
from retrieval.models import Hit
from retrieval.search import search
from tests.support.made.made import (
    CHUNKS,
    PAGE_OF,
    TOP_K,
    found,
    question,
    run_of,
    searched,
    values,
)

NOTHING = replace(found(1, 2), trace=(), hits=())


def one(*order: int, golds: tuple[int, ...] = (1,)) -> Mapping[str, float | None]:
    return values(searched((question(*golds), found(*order))))["q"]


@pytest.mark.parametrize(
    ("order", "golds", "expected"),
    [
        # The one needed stands third, two were returned.
        ((3, 4, 1, 5), (1,), {"mrr_first": 1 / 3, "map": 1 / 3, "ndcg@10": 1 / log2(4),
                              "gold_recall@2": 0, "hit@2": 0, "precision@2": 0,
                              "gold_recall@10": 1, "hit@10": 1, "hit@1": 0}),
        # Of two golds both are needed.
        ((1, 3, 2, 4), (1, 2), {"gold_recall@2": 0.5, "hit@2": 0, "precision@2": 0.5,
                                "map": (1 / 1 + 2 / 3) / 2,
                                "ndcg@10": (1 + 1 / log2(4)) / (1 + 1 / log2(3))}),
        # The margin is the last needed less the best other.
        ((1, 3), (1,), {"margin": 0.1}),
        ((3, 4, 1), (1,), {"margin": -0.2}),
        ((1, 3, 2), (1, 2), {"margin": -0.1}),
        ((3, 4), (1,), {"margin": None, "source_recall@5": 1}),  # its file is found
        ((1,), (1,), {"margin": None, "forbidden@3": None}),
        ((3, 4, 5, 1), (1,), {"ceiling": 1}),
        ((3, 4, 5, 6, 1), (1,), {"ceiling": 0}),
    ],
)  # fmt: skip
def test_a_question_is_scored_as_worked_out_by_hand(
    order: tuple[int, ...], golds: tuple[int, ...], expected: dict[str, float | None]
) -> None:
    given = one(*order, golds=golds)
    assert {name: given[name] for name in expected} == pytest.approx(expected)


def test_of_equally_good_places_the_best_found_one_is_needed() -> None:
    outcomes = searched((question(places=((1, 2), (3,))), found(4, 3, 1, 2)))
    assert [need.gold.quote for need in needed(outcomes[0], TOP_K)] == [CHUNKS[3].text]
    assert (values(outcomes)["q"]["hit@2"], values(outcomes)["q"]["mrr_first"]) == (1, 0.5)


def test_a_refused_question_counts_as_zero_and_is_not_left_out() -> None:
    refused = found(1, 2, 3, returned=0, late=dict.fromkeys((1, 2, 3), "threshold"))
    run = run_of(searched((question(1), refused), (question(1, name="other"), found(1, 2))))
    for name in ("mrr_first", "map", "ndcg@10", "span_recall"):
        assert run.values["q"][name] == 0
    mean = summary.tables(run)["all"]["all"]["mrr_first"]
    assert (mean.n, mean.mean) == (2, 0.5)


def test_passages_that_were_not_returned_do_not_move_up_into_their_places() -> None:
    result = replace(found(1, 2, 3), hits=())
    assert values(searched((question(1), result)))["q"]["hit@2"] == 0
    other = replace(found(1, 2, 3), hits=(Hit(CHUNKS[6], 1.0, ()), Hit(CHUNKS[5], 1.0, ())))
    assert values(searched((question(1), other)))["q"]["mrr_first"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        (Gold("a/light.md", "No such line."), {"mrr_first": 0, "span_recall": None}),
        (Gold("b.md", CHUNKS[1].text), {"mrr_first": 0, "source_recall@5": 0}),
    ],
)
def test_a_gold_that_no_chunk_holds_is_needed_and_never_found(
    gold: Gold, expected: dict[str, float | None]
) -> None:
    outcomes = searched((replace(question(1), places=((gold,),)), found(1, 2)))
    (need,) = needed(outcomes[0], TOP_K)
    assert (need.gold, need.rank, span_overlap.lines(gold, PAGE_OF)) == (gold, None, None)
    given = values(outcomes)["q"]
    assert {name: given[name] for name in expected} == expected


def test_a_hit_of_the_judge_is_a_recall_of_one_and_nothing_else_is() -> None:
    asked = [question(1), question(1, 2), question(places=((1, 2), (3,), (4, 5)))]
    searches = [
        found(*order, returned=returned)
        for order in permutations(range(1, 6))
        for returned in (0, 1, 2)
    ]
    pairs = [(item, result) for result in searches for item in asked]
    outcomes = searched(*((replace(q, id=str(n)), r) for n, (q, r) in enumerate(pairs)))
    scored = values(outcomes)
    hits = 0
    for outcome in outcomes:
        assert outcome.judgement
        hits += outcome.judgement.hit
        assert scored[outcome.question.id]["hit@2"] == outcome.judgement.hit
        recall = scored[outcome.question.id]["gold_recall@2"]
        assert (recall == 1) == outcome.judgement.hit
    assert 0 < hits < len(outcomes)


@pytest.mark.parametrize(("path", "value"), [("a/light.md", 1.0), ("b.md", 0.0)])
def test_forbidden_documents_count_where_some_are_forbidden(path: str, value: float) -> None:
    asked = replace(question(1), forbidden=(path,))
    assert values(searched((asked, found(1, 2))))["q"]["forbidden@3"] == value


def test_an_unanswerable_question_has_no_metrics() -> None:
    run = run_of(searched((question(name="off"), found(1, 2)), (question(1), found(1, 2))))
    assert (set(run.values), needed(run.outcomes[0], TOP_K)) == ({"q"}, ())
    assert summary.refused(run.outcomes) == {"offtopic": (0, 1), "answerable": (0, 1)}


def test_shares_of_yes_and_no_keep_their_doubt_where_all_are_yes() -> None:
    every = summary.estimate([1.0] * 17)
    assert (every.mean, every.method) == (1.0, "wilson")
    assert every.low == pytest.approx(17 / (17 + 1.959964**2), abs=1e-4)  # Wilson's, at p = 1
    half = summary.estimate([0.2, 0.4, 0.9] * 20)
    assert half.low
    assert half.high
    assert (half.method, half == summary.estimate([0.2, 0.4, 0.9] * 20)) == ("bootstrap", True)
    assert half.low < 0.5 < half.high
    assert summary.estimate([0.3]).low is None


def test_metrics_are_grouped_by_kind_and_by_top_folder() -> None:
    pairs = (question(1, name="a", kind="table"), found(1, 2)), (question(1), found(3, 4))
    tables = summary.tables(run_of(searched(*pairs)))
    assert {kind: metrics["hit@2"].mean for kind, metrics in tables["kind"].items()} == {
        "prose": 0.0, "table": 1.0,
    }  # fmt: skip
    assert list(tables["folder"]) == ["a"]
    assert tables["all"]["all"]["hit@2"].mean == 0.5


def test_latency_has_a_total_over_the_stages() -> None:
    times = summary.latency(searched((question(1), found(1, 2))))
    assert times["total"] == {"p50": 3.0, "p95": 3.0, "p99": 3.0}
    assert times["embed"]["p95"] == 1.0


def test_the_curve_ends_where_everything_is_refused_and_nothing_hit() -> None:
    off = question(name="off")
    points = summary.curve(searched((question(1), found(1, 2)), (off, found(3, 4))), TOP_K)
    assert (points[0]["hits"], points[0]["answerable_refused"]) == (1, 0)
    assert summary.curve(searched((question(1), NOTHING)), TOP_K) == []
    worse = replace(found(3, 4), trace=found(3, 4).trace[1:])
    last = summary.curve(searched((question(1), worse), (off, found(3, 4))), TOP_K)[-1]
    assert last.pop("threshold")
    assert last == {"hits": 0, "answerable_refused": 1, "unanswerable_refused": 0}


def test_the_scores_are_those_that_search_ranks_and_drops_by(indexed_rules: SearchContext) -> None:
    result = search(indexed_rules, "How long does a torch burn?")
    strict = replace(indexed_rules, threshold=result.hits[0].score)
    dropped = search(strict, "How long does a torch burn?")
    rows = {row.chunk_id: row for row in result.trace}
    for hit in result.hits:
        assert rows[hit.chunk.id].final_score == hit.score
    assert len({row.fate == "threshold" for row in dropped.trace}) == 2
    for row in dropped.trace:
        assert row.final_score is not None
        assert (row.fate == "threshold") == (row.final_score < strict.threshold)
