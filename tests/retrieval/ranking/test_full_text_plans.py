"""Full text search gives the same scores, to the last digit, whatever plan PostgreSQL chooses."""

import json
from collections.abc import Iterator
from typing import Any, LiteralString

import pytest
from psycopg import sql

from ingest import pipeline
from retrieval.context import SearchContext
from retrieval.index.store import Connection, live
from retrieval.ranking import bm25
from retrieval.ranking.bm25 import full_text
from retrieval.settings import Settings
from tests.conftest import new_database, write_vault
from tests.support.source.promises_table import Runs
from tests.support.vaults.many_files import cheap_rules, many_files

FILES = 200
LIMIT = 10_000  # all that match
QUESTIONS = (
    "torch",
    "dragon goblin orc troll",
    "a dagger, a sword and a shield in the cave by the river",
    "torch oil lantern rope axe dagger sword shield dragon goblin orc troll spell scroll potion",
)
SWITCHES = (
    "enable_seqscan", "enable_indexscan", "enable_bitmapscan", "enable_hashagg", "enable_sort",
    "enable_hashjoin", "enable_mergejoin", "enable_nestloop", "enable_memoize",
    "enable_indexonlyscan", "enable_material",
)  # fmt: skip
PARALLEL = {
    "max_parallel_workers_per_gather": "4",
    "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0",
    "min_parallel_table_scan_size": "0",
    "min_parallel_index_scan_size": "0",
    "debug_parallel_query": "on",
}
PLANS: dict[str, dict[str, str]] = {
    "one process": {"max_parallel_workers_per_gather": "0"},
    "four workers": PARALLEL,
    "four workers, no index": PARALLEL | {"enable_indexscan": "off", "enable_bitmapscan": "off"},
    "no scan but by bitmaps": {"enable_seqscan": "off", "enable_indexscan": "off"},
    "no scan but by indexes": {"enable_seqscan": "off", "enable_bitmapscan": "off"},
    "nested loops": {"enable_hashjoin": "off", "enable_mergejoin": "off"},
    **{f"no {name}": {name: "off"} for name in SWITCHES},
}


@pytest.fixture(scope="module")
def context(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchContext]:
    vault = write_vault(tmp_path_factory.mktemp("plans"), many_files(FILES))
    with new_database(server) as url:
        settings = Settings.model_validate({"database_url": url, "vault": vault})
        with cheap_rules(settings) as rules:
            pipeline.run(rules, vault)
            yield rules


def explained(conn: Connection, question: str, limit: int, options: LiteralString) -> Any:
    """The plan that the statement is run with, as PostgreSQL tells it."""
    number = live(conn).id
    words = bm25._words(conn, number, question, None)
    values = {
        "generation": number, "limit": limit, "k1": 1.2, "b": 0.75, "length": 9.0,
        "most": 9.0, "lexemes": [w.lexeme for w in words], "idfs": [w.idf for w in words],
    }  # fmt: skip
    query = bm25._SCORED.format(which="")
    row = conn.execute(f"EXPLAIN (FORMAT JSON, COSTS OFF{options}) {query}", values).fetchone()
    assert row
    return row[0][0]["Plan"]


def nodes(plan: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """The nodes of a plan that read a table."""
    own = [plan] if plan.get("Relation Name") == table else []
    return own + [node for below in plan.get("Plans", ()) for node in nodes(below, table)]


def scores(conn: Connection, question: str) -> list[tuple[int, float]]:
    return [(one.row_id, one.score) for one in full_text(conn, live(conn).id, question, LIMIT)]


@pytest.mark.proves("row 18")
def test_scores_and_order_are_the_same_with_every_plan(context: SearchContext, runs: Runs) -> None:
    plans = set()
    with context.store.connect(autocommit=True) as conn:
        conn.prepare_threshold = None  # a prepared statement keeps the plan of other settings
        wanted = {question: scores(conn, question) for question in QUESTIONS}
        assert [len(found) > 100 for found in wanted.values()] == [True] * len(QUESTIONS)
        for settings in PLANS.values():
            for name, value in settings.items():
                conn.execute("SELECT set_config(%s, %s, false)", [name, value])
            for question, expected in wanted.items():
                plans.add(json.dumps(explained(conn, question, LIMIT, "")))
                assert scores(conn, question) == expected, settings
            for name in settings:
                conn.execute(sql.SQL("RESET {}").format(sql.Identifier(name)))
    kinds = {"Seq Scan", "Index Scan", "Bitmap Heap Scan", "Gather", "Hash Join", "Nested Loop"}
    assert all(any(f'"{kind}"' in one for one in plans) for kind in kinds), plans
    assert len(plans) > 10
    runs(len(PLANS) * len(QUESTIONS))


def test_of_all_that_match_only_the_best_are_looked_up(context: SearchContext) -> None:
    with context.store.connect(autocommit=True) as conn:
        assert len(scores(conn, QUESTIONS[3])) > 200
        plan = explained(conn, QUESTIONS[3], 5, ", ANALYZE")
    read = [node["Actual Loops"] * node["Actual Rows"] for node in nodes(plan, "entry")]
    assert 5 <= sum(read) < 20  # five, and ties


def test_postings_and_lengths_are_read_of_indexes_alone(context: SearchContext) -> None:
    with context.store.connect(autocommit=True) as conn:
        conn.execute("VACUUM chunk, posting")
        for way in ("seqscan", "bitmapscan", "hashjoin", "mergejoin"):
            conn.execute(sql.SQL("SET {} = off").format(sql.Identifier(f"enable_{way}")))
        plan = explained(conn, QUESTIONS[3], 5, ", ANALYZE")
    read = [*nodes(plan, "posting"), *nodes(plan, "chunk")]
    found = sorted(node["Index Name"] for node in read if node.get("Heap Fetches") == 0)
    assert found == ["chunk_length", "posting_pkey"]
