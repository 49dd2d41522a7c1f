"""What filters cost and find: searches with and without one, in turn, over copies of the sample.

A temporary index of `--vault` is copied until it has `--entries`; the vectors of a copy are moved
by one random vector, so that near copies are in every list. Each file gets a number, by which the
filters pass a share of them. Prints the ratio of p50 with and without, and the recall of the 50
nearest chunks against a full scan. Exit status: 0 within both aims; 1 not; 2 nothing was measured.
"""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from pgvector import Vector

from evals.labels.options import RULES, RULES_VAULT, chosen
from evals.measure.subject import subject
from retrieval.context import SearchContext, open_context
from retrieval.errors import RulesError
from retrieval.index import hnsw
from retrieval.index.nearest import nearest
from retrieval.index.store import Connection, generation
from retrieval.models import Scope, Vectors
from retrieval.search import search
from retrieval.settings import load
from retrieval.text.normalize import searchable

SHARES = (999, 500, 100, 10, 1)  # of 1,000 files
MOST_RATIO, LEAST_RECALL = 1.15, 0.98
_LENGTH = 0.35  # of the vector that moves a copy
_NEAREST = 50  # chunks, as search asks for

_FILES = """
    INSERT INTO file (generation_id, path, sha256, status, edition, supersedes, metadata)
    SELECT generation_id, %(copy)s || path, sha256, status, edition, supersedes, metadata
    FROM file WHERE generation_id = %(generation)s AND path NOT LIKE 'copy %%'
"""
_CHUNKS = """
    INSERT INTO chunk (generation_id, path, heading, first_line, last_line, text, context, piece,
        length, place)
    SELECT generation_id, %(copy)s || path, heading, first_line, last_line, text, context, piece,
        length, place
    FROM chunk WHERE generation_id = %(generation)s AND path NOT LIKE 'copy %%'
"""
_COPIED = """
    CREATE TEMPORARY TABLE copied ON COMMIT DROP AS SELECT a.id AS old, b.id AS new
    FROM chunk AS a JOIN chunk AS b USING (generation_id, first_line, piece)
    WHERE generation_id = %(generation)s AND a.path NOT LIKE 'copy %%'
        AND b.path = %(copy)s || a.path
"""
_ENTRIES = """
    INSERT INTO entry (chunk_id, ordinal, generation_id, kind, heading, first_line, last_line,
        quote, lead, trail, words, text_sha256, embedding, token_vectors, token_scale)
    SELECT new, ordinal, generation_id, kind, heading, first_line, last_line, quote, lead, trail,
        words, text_sha256, l2_normalize(embedding + %(moved)s::vector), token_vectors, token_scale
    FROM entry JOIN copied ON old = chunk_id
"""
_POSTINGS = """
    INSERT INTO posting SELECT generation_id, lexeme, new, count
    FROM posting JOIN copied ON old = chunk_id
"""
_NUMBERED = """
    UPDATE file SET metadata = jsonb_build_object('number', (row * 1000 / files)::text)
    FROM (SELECT path AS one, count(*) OVER () AS files,
        row_number() OVER (ORDER BY random()) - 1 AS row
        FROM file WHERE generation_id = %(id)s) AS drawn
    WHERE generation_id = %(id)s AND path = one
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    asked = [item.question for item in chosen(RULES, "calibration")][: args.questions]
    try:
        with open_context(load()) as context, subject(context, args.vault) as measured:
            number = measured.generation_id
            with context.store.connect(autocommit=True) as conn:
                entries = _copied(conn, number, args.entries)
                hnsw.build_if_large(conn, number, say=print)
                known = generation(conn, number)
                context.terms_at(conn, known)  # so many words take longer than a search may
                try:
                    ratios = _ratios(context, number, asked)
                    found = _recalls(context, conn, number, asked, entries)
                finally:
                    hnsw.drop(conn, number)
    except (RulesError, OSError) as error:
        print(f"evals.filters: nothing was measured: {error}", file=sys.stderr)
        return 2
    kept = max(ratios.values()) <= MOST_RATIO and min(found.values()) >= LEAST_RECALL
    return 0 if kept else 1


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.filters", description=__doc__)
    parser.add_argument("--vault", type=Path, default=RULES_VAULT, help="what is copied")
    parser.add_argument("--entries", type=int, default=200_000, help="0: the vault alone")
    parser.add_argument("--questions", type=int, default=60, help="of calibration")
    return parser.parse_args(argv)


def _copied(conn: Connection, number: int, wanted: int) -> int:
    """Copy the vault until there are so many entries, number its files, and say how many."""
    draw = np.random.default_rng(0)
    count = "SELECT count(*), max(vector_dims(embedding)) FROM entry WHERE generation_id = %s"
    (own, dimension) = conn.execute(count, [number]).fetchall()[0]
    for copy in range(1, -(-wanted // own)):
        moved = draw.standard_normal(dimension)
        values = {
            "generation": number, "copy": f"copy {copy}/",
            "moved": Vector(_LENGTH * moved / np.linalg.norm(moved)).to_text(),
        }  # fmt: skip
        with conn.transaction():
            conn.execute(_FILES, values)
            conn.execute(_CHUNKS, values)
            conn.execute(_COPIED, values)
            conn.execute(_ENTRIES, values)
            conn.execute(_POSTINGS)
    conn.execute("SELECT setseed(0)")
    conn.execute(_NUMBERED, {"id": number})
    conn.execute("UPDATE generation SET revision = revision + 1 WHERE id = %s", [number])
    conn.execute("VACUUM ANALYZE")
    return int(conn.execute(count, [number]).fetchall()[0][0])


def _ratios(context: SearchContext, number: int, asked: Sequence[str]) -> dict[int, float]:
    """Return p50 of search under each filter, by its share, over that without one; and say it."""
    ways = {0: None, **{share: {"number": {"lt": share}} for share in SHARES}}
    took: defaultdict[int, list[float]] = defaultdict(list)
    order = random.Random(0)  # noqa: S311  # no secret
    for question in [asked[0], *asked]:
        for share in order.sample(list(ways), len(ways)):
            started = perf_counter()
            search(context, question, generation_id=number, filters=ways[share])
            took[share].append(perf_counter() - started)
    p50 = {share: median(times[1:]) for share, times in took.items()}  # the first fills caches
    print(f"p50 of {len(asked)} searches without a filter: {1000 * p50[0]:.0f} ms")
    for share in SHARES:
        print(f"  {share} of 1,000 files pass: {p50[share] / p50[0]:.2f} of it")
    return {share: p50[share] / p50[0] for share in SHARES}


def _recalls(
    context: SearchContext, conn: Connection, number: int, asked: Sequence[str], entries: int
) -> dict[str, float]:
    """Return the share of the nearest chunks that are found, by the way; and say it."""
    vectors = [context.embedder.question(searchable(one)).vector for one in asked]
    known = generation(conn, number)
    ways: dict[str, Scope | None] = {"without a filter": None}
    for share in SHARES:
        scope = context.scope_of(conn, known, {"number": {"lt": share}})
        assert scope is not None
        ways[f"{share} of 1,000 files"] = scope
        if 0 < scope.entries <= hnsw.LIMIT < entries:  # scanned whole: the index is asked as well
            ways[f"{share} of 1,000 files, by the index"] = replace(scope, entries=entries)
    recalls = {}
    for way, scope in ways.items():
        shares = [_recall(conn, number, vector, scope) for vector in vectors]
        recalls[way] = float(np.mean(shares))
        size = entries if scope is None else scope.chunks.count(",") + 1
        print(f"  recall@{_NEAREST}, {way} ({size:,}): {recalls[way]:.4f}, worst {min(shares):.2f}")
    return recalls


def _recall(conn: Connection, number: int, vector: Vectors, scope: Scope | None) -> float:
    with conn.transaction():
        found = nearest(conn, number, vector, _NEAREST, scope)
        conn.execute("SET LOCAL hnsw.iterative_scan = off")  # so that no index is used
        right = nearest(conn, number, vector, _NEAREST, scope)
    if not right:
        return 1.0
    edge = right[-1].score - 1e-6
    return sum(one.score >= edge for one in found) / len(right)


if __name__ == "__main__":
    sys.exit(main())
