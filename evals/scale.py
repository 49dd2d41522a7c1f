"""Search, edits and memory over a vault that grows: the sample inside, and copies of it.

For each of `--entries`, in order, copies are added to a vault and an index of their own below
`--folder`, which a later run goes on with. Then searches are timed in turn with those of the
sample in the same database, the nearest chunks are compared with a full scan, with filters and
without, and an API and a watching ingest are started: how long until ready, how much memory, and
how long from a file's save until a search shows it. Prints a table. A million entries take about an
hour on two cores, and 12 GB of disk.

Exit status: 0 every aim is met; 1 one is not; 2 nothing was measured.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from evals.answers import program
from evals.labels.dataset import Question
from evals.labels.options import RULES, RULES_VAULT, chosen
from evals.measure.subject import subject
from evals.scales import drawing, grow, programs, results, searches
from evals.scales.results import Size
from evals.scales.searches import Way
from ingest.progress import Meter
from retrieval.context import SearchContext, open_context
from retrieval.index import hnsw
from retrieval.index.store import Connection, live
from retrieval.settings import load

MOST_P95, LEAST_RECALL = 2.0, 0.98  # over the sample's; of the 10 nearest chunks
MOST_FILTERED = 1.15  # p50 under a filter over that without
MOST_EDIT, MOST_MEMORY = 2.0, 1_500.0  # seconds from save to served; MB of the API

_FILES = "SELECT count(*) FROM file WHERE generation_id = %s"
_SIZES = """
    SELECT relname, pg_total_relation_size(oid) FROM pg_class
    WHERE relname = ANY(%s) AND relnamespace = current_schema()::regnamespace
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    return program.measuring("evals.scale", lambda: _measured(args))


def _measured(args: argparse.Namespace) -> int:
    every = chosen(RULES, "calibration")
    questions, others = every[: args.questions], every[args.questions :]
    sizes: list[Size] = []
    for wanted in sorted(args.entries):
        grown = args.folder.resolve() / "vault"
        with _opened(args.folder.resolve() / "data", grown) as context:
            grow.begin(context, args.vault, grown)
            found = _searched(context, grown, wanted, questions, others, args.edits)
        sizes.append(found)
        print("\n".join(results.lines(sizes)), flush=True)
        if args.json:
            results.save(args.json, sizes)
    if args.plot:
        drawing.draw(args.plot, sizes)
    missed = [fault for size in sizes for fault in faults(size)]
    for fault in missed:
        print(f"MISSED: {fault}")
    return 1 if missed else 0


def faults(size: Size) -> list[str]:
    """Return which aims a size misses, each with its figure."""
    filters = [way for way in size.recalls if way]
    worst = max(filters, key=lambda way: size.ratio("p50", way, "unfiltered"))
    least = min(filters, key=lambda way: size.recalls[way][10])
    aims = [
        ("p95 over the sample's", size.ratio("p95"), MOST_P95),
        ("recall@10 lost", 1 - size.recalls[""][10], 1 - LEAST_RECALL),
        (f"p50, {worst}", size.ratio("p50", worst, "unfiltered"), MOST_FILTERED),
        (f"recall@10 lost, {least}", 1 - size.recalls[least][10], 1 - LEAST_RECALL),
        ("seconds of an edit", max(size.running.edit_seconds, default=0), MOST_EDIT),
        ("MB of the API", size.running.api_megabytes, MOST_MEMORY),
    ]
    return [
        f"{size.entries:,} entries: {name} {value:.3g}, over {most:.3g}"
        for name, value, most in aims
        if value > most + 1e-9
    ]


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.scale", description=__doc__)
    parser.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--vault", type=Path, default=RULES_VAULT, help="the sample")
    parser.add_argument("--folder", type=Path, default=Path(".data/scale"), help="for the copies")
    parser.add_argument("--questions", type=int, default=60, help="of calibration")
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--plot", type=Path, help="write an SVG to this file")
    return parser.parse_args(argv)


@contextmanager
def _opened(data: Path, vault: Path) -> Iterator[SearchContext]:
    data.parent.mkdir(parents=True, exist_ok=True)
    own: dict[str, object] = {"rag_data_dir": data, "vault": vault, "database_url": None}
    own["rag_token_storage_mb"] = programs.TOKENS_MB
    settings = load().model_copy(update=own)
    with open_context(settings) as context:
        yield context


def _searched(
    context: SearchContext,
    folder: Path,
    wanted: int,
    questions: Sequence[Question],
    others: Sequence[Question],
    edits: int,
) -> Size:
    with context.store.connect(autocommit=True) as conn, Meter() as meter:
        entries = grow.grow(conn, folder, wanted, meter.show)
        number = live(conn).id
        started = perf_counter()
        large = hnsw.build_if_large(conn, number, say=meter.say)
        took = perf_counter() - started if large else 0.0
        context.terms_at(conn, live(conn))  # of so many words it takes longer than a search may
        megabytes, files = _disk(conn, number)
    with subject(context, RULES_VAULT) as sample:
        ways = {
            "sample": Way(searches.beside(context), sample.generation_id),
            "whole": Way(context, number),
        }
        # The first after a start, and as many as warm a server that then is asked something new.
        first, _ = searches.timed(ways, others[: len(questions)] or questions)
        if warming := others[len(questions) :]:
            searches.timed(ways, warming)
        times, right = searches.timed(ways, questions)
    filtered = {"unfiltered": ways["whole"], **searches.filtered(context, number)}
    under, _ = searches.timed(filtered, questions)
    with context.store.connect(autocommit=True) as conn:  # last: a full scan reads all pages
        recalls = searches.recalls(context, conn, number, questions)
    running = programs.measured(
        folder, context.settings.rag_data_dir, [one.question for one in questions], edits
    )
    return Size(
        entries, files, len(questions), took, megabytes, times | under, first, right, recalls,
        running,
    )  # fmt: skip


def _disk(conn: Connection, number: int) -> tuple[dict[str, float], int]:
    """Megabytes by table, with the index of vectors apart, and the number of files."""
    rows = dict(conn.execute(_SIZES, [list(results.TABLES)]).fetchall())
    index = conn.execute(
        "SELECT coalesce(pg_relation_size(to_regclass(%s)), 0)", [hnsw.index_name(number)]
    ).fetchone()
    files = conn.execute(_FILES, [number]).fetchone()
    assert index is not None  # a function gives a row
    assert files is not None  # an aggregate always gives a row
    rows["HNSW"] = index[0]
    rows["entry"] -= index[0]
    return {name: size / 1e6 for name, size in rows.items()}, int(files[0])


if __name__ == "__main__":
    sys.exit(main())
