"""The metrics, against numbers worked out by hand and against the judge."""

from dataclasses import replace
from itertools import permutations
from math import log2

import pytest

from evals.measure import summary, threshold
from evals.measure.judge import ceiling
from evals.measure.metrics import ScoredOutcome
from retrieval.context import SearchContext
from retrieval.models import Hit
from retrieval.search import search
from tests.support.made.made import CHUNKS, found, question, scored


def one(*order: int, golds: tuple[int, ...] = (1,), returned: int = 2) -> ScoredOutcome:
    return scored((question(*golds), found(*order, returned=returned)))[0]


def test_ranks_are_scored_as_worked_out_by_hand() -> None:
    values = one(3, 4, 1, 5).values  # the one needed stands third, two were returned
    assert values["mrr_first"] == pytest.approx(1 / 3)
    assert values["map"] == pytest.approx(1 / 3)
    assert values["ndcg@10"] == pytest.approx(1 / log2(4))
    assert (values["gold_recall@2"], values["hit@2"], values["precision@2"]) == (0, 0, 0)
    assert (values["gold_recall@10"], values["hit@10"], values["hit@1"]) == (1, 1, 0)


def test_a_question_of_two_golds_needs_both() -> None:
    values = one(1, 3, 2, 4, golds=(1, 2)).values
    assert (values["gold_recall@2"], values["hit@2"], values["precision@2"]) == (0.5, 0, 0.5)
    assert values["map"] == pytest.approx((1 / 1 + 2 / 3) / 2)
    ideal = 1 + 1 / log2(3)
    assert values["ndcg@10"] == pytest.approx((1 + 1 / log2(4)) / ideal)


def test_of_equally_good_places_the_best_found_one_is_needed() -> None:
    asked = question(places=((1, 2), (3,)))
    item = scored((asked, found(4, 3, 1, 2)))[0]
    assert [need.gold.quote for need in item.needed] == [CHUNKS[3].text]
    assert (item.values["hit@2"], item.values["mrr_first"]) == (1, 0.5)


def test_a_refused_question_counts_as_zero_and_is_not_left_out() -> None:
    refused = found(1, 2, 3, returned=0, late=dict.fromkeys((1, 2, 3), "threshold"))
    items = scored((question(1), refused), (question(1, name="other"), found(1, 2)))
    assert {items[0].values[name] for name in ("mrr_first", "map", "ndcg@10", "span_recall")} == {
        0.0
    }
    assert summary.estimates(items)["mrr_first"].n == 2
    assert summary.estimates(items)["mrr_first"].mean == 0.5


def test_passages_that_were_not_returned_do_not_move_up_into_their_places() -> None:
    result = replace(found(1, 2, 3), hits=())
    assert scored((question(1), result))[0].values["hit@2"] == 0
    other = replace(found(1, 2, 3), hits=(Hit(CHUNKS[6], 1.0, ()), Hit(CHUNKS[5], 1.0, ())))
    assert scored((question(1), other))[0].values["mrr_first"] == pytest.approx(1 / 3)


def test_a_gold_that_no_chunk_holds_is_needed_and_never_found() -> None:
    asked = question(1)
    gone = replace(asked, places=((replace(asked.places[0][0], quote="No such line."),),))
    item = scored((gone, found(1, 2)))[0]
    assert (item.needed[0].lines, item.needed[0].rank, item.values["mrr_first"]) == (None, None, 0)
    assert item.values["span_recall"] is None


def test_a_hit_of_the_judge_is_a_recall_of_one_and_nothing_else_is() -> None:
    asked = [question(1), question(1, 2), question(places=((1, 2), (3,), (4, 5)))]
    searches = [
        found(*order, returned=returned)
        for order in permutations(range(1, 6))
        for returned in (0, 1, 2)
    ]
    pairs = [(item, result) for result in searches for item in asked]
    items = scored(*((replace(q, id=str(n)), result) for n, (q, result) in enumerate(pairs)))
    hits = 0
    for item in items:
        assert item.outcome.judgement
        hits += item.outcome.judgement.hit
        assert item.values["hit@2"] == item.outcome.judgement.hit
        assert (item.values["gold_recall@2"] == 1) == item.outcome.judgement.hit
    assert 0 < hits < len(items)


def test_the_mean_of_the_ceiling_is_the_judges() -> None:
    items = scored(
        (question(1, name="in"), found(3, 4, 5, 1)),
        (question(1, name="below"), found(3, 4, 5, 6, 1)),
        (question(1, name="nowhere"), found(3, 4)),
    )
    judged = [item.outcome.judgement for item in items if item.outcome.judgement]
    assert summary.estimates(items)["ceiling"].mean == ceiling(judged, 4) == pytest.approx(1 / 3)


def test_the_margin_is_the_last_needed_less_the_best_other() -> None:
    assert one(1, 3).values["margin"] == pytest.approx(0.1)
    assert one(3, 4, 1).values["margin"] == pytest.approx(-0.2)
    assert one(1, 3, 2, golds=(1, 2)).values["margin"] == pytest.approx(-0.1)
    assert one(3, 4).values["margin"] is None
    assert one(1).values["margin"] is None


def test_forbidden_documents_count_only_where_some_are_forbidden() -> None:
    asked = question(1)
    assert scored((asked, found(1, 2)))[0].values["forbidden@3"] is None
    for path, value in (("a/light.md", 1.0), ("b.md", 0.0)):
        item = scored((replace(asked, forbidden=(path,)), found(1, 2)))[0]
        assert item.values["forbidden@3"] == value


def test_the_source_is_found_where_only_the_line_is_not() -> None:
    assert one(3, 4).values["source_recall@5"] == 1
    elsewhere = replace(question(1), places=((replace(question(1).places[0][0], path="b.md"),),))
    assert scored((elsewhere, found(1, 2)))[0].values["source_recall@5"] == 0


def test_an_unanswerable_question_has_no_metrics() -> None:
    items = scored((question(name="off"), found(1, 2)), (question(1), found(1, 2)))
    assert (items[0].values, items[0].needed) == ({}, ())
    assert summary.estimates(items)["mrr_first"].n == 1
    assert summary.refused([item.outcome for item in items]) == {
        "offtopic": (0, 1), "answerable": (0, 1),
    }  # fmt: skip


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
    items = scored((question(1, name="a", kind="table"), found(1, 2)), (question(1), found(3, 4)))
    tables = summary.tables(items)
    assert {kind: found["hit@2"].mean for kind, found in tables["kind"].items()} == {
        "prose": 0.0, "table": 1.0,
    }  # fmt: skip
    assert list(tables["folder"]) == ["a"]
    assert tables["all"]["all"]["hit@2"].mean == 0.5


def test_latency_has_a_total_over_the_stages() -> None:
    outcomes = [item.outcome for item in scored((question(1), found(1, 2)))]
    assert summary.latency(outcomes)["total"] == {"p50": 3.0, "p95": 3.0, "p99": 3.0}
    assert summary.latency(outcomes)["embed"]["p95"] == 1.0


def test_the_curve_ends_where_everything_is_refused_and_nothing_hit() -> None:
    items = scored((question(1), found(1, 2)), (question(name="off"), found(3, 4)))
    points = threshold.curve(items, 2)
    assert (points[0].hits, points[0].answerable_refused) == (1, 0)
    nowhere = replace(found(1, 2), trace=(), hits=())
    assert threshold.curve(scored((question(1), nowhere)), 2) == []
    worse = replace(found(3, 4), trace=found(3, 4).trace[1:])
    items = scored((question(1), worse), (question(name="off"), found(3, 4)))
    last = threshold.curve(items, 2)[-1]
    assert (last.hits, last.answerable_refused, last.unanswerable_refused) == (0, 1, 0)


def test_the_scores_are_those_that_search_ranks_and_drops_by(indexed_rules: SearchContext) -> None:
    result = search(indexed_rules, "How long does a torch burn?")
    strict = replace(indexed_rules, threshold=result.hits[0].score)
    dropped = search(strict, "How long does a torch burn?")
    rows = {row.chunk_id: row for row in result.trace}
    for hit in result.hits:
        assert rows[hit.chunk.id].final_score == hit.score
    fates = {row.fate == "threshold": row for row in dropped.trace}
    assert len(fates) == 2
    for row in dropped.trace:
        assert row.final_score is not None
        assert (row.fate == "threshold") == (row.final_score < strict.threshold)
