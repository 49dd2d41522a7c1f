"""Measure speed as ratios of one run: ingest against the encoder, search against its parts.

Nothing here is a gate: machines are noisy. Absolute times are context, the ratios are the result.
Exit status: 0 measured; 2 nothing could be measured or written.
"""

import argparse
import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from sentence_transformers import SentenceTransformer

from api.answer import pipeline as answers
from evals import retrieval
from evals.reports import results
from evals.retrieval import RULES
from ingest import pipeline
from ingest.chunking import document
from ingest.progress import Meter
from ingest.read import vault
from retrieval.context import SearchContext, open_context
from retrieval.encoder.bi_encoder import EncodedQuestion
from retrieval.errors import RulesError
from retrieval.index import generations, migrate, store
from retrieval.ranking import fusion
from retrieval.search import search
from retrieval.settings import load
from retrieval.text.normalize import searchable

_QUESTIONS = 100
_ANSWERED = 200  # before the memory is read
_MEGABYTE = 1024  # of ru_maxrss, which Linux counts in KiB

Timed = dict[str, str | float]  # a question's id, and its times by name


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m evals.speed", description=__doc__)
    parser.add_argument("--skip-ingest", action="store_true", help="search only")
    parser.add_argument(
        "--results", type=Path, default=Path("results"), help="a folder for each run goes in here"
    )
    args = parser.parse_args(argv)
    try:
        with open_context(load()) as context:
            context.warm()
            sums = {} if args.skip_ingest else _ingest(context, context.settings.vault)
            rows = _search(context)
            sums |= _summed(rows)
            before = "searching" if args.skip_ingest else "ingesting, searching"
            sums |= _memory(context, before=before)
            files = {file.path: file.text for file in vault.read(context.settings.vault).files}
            about = {"program": "evals.speed", "skip_ingest": args.skip_ingest}
            config = results.config(context, context.fingerprint, files, RULES, about)
        print(f"results: {results.write_folder(args.results, 'speed', rows, sums, config)}")
    except RulesError as error:
        print(f"evals.speed: nothing was measured: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"evals.speed: measured, but not written: {error}", file=sys.stderr)
        return 2
    return 0


def _ingest(context: SearchContext, root: Path) -> dict[str, float]:
    """Index the vault from nothing, embed the same texts in one sorted call, then ingest again."""
    with context.store.connect(autocommit=True) as conn, Meter() as meter:
        migrate.install(conn)
        report = pipeline.run_temporary(
            context, conn, root, reuse_vectors=False, progress=meter.show
        )
        generations.drop(conn, report.generation_id)
    texts = _texts(context, root)
    # The library alone, all texts in one call that sorts them: what ingest is measured against.
    model = SentenceTransformer(str(context.embedder.files.folder), local_files_only=True)
    encoder = 0.001 * _milliseconds(partial(model.encode, texts, show_progress_bar=False))
    pipeline.run(context, root)
    again = pipeline.run(context, root)
    print(f"ingest: {report.chunks} chunks, {len(texts)} texts in {report.seconds:.1f} s")
    print(f"ingest speed / encoder alone: {encoder / report.seconds:.2f} ({encoder:.1f} s alone)")
    print(
        f"unchanged ingest / full ingest: {again.seconds / report.seconds:.3f} "
        f"({again.seconds:.2f} s, {again.embedded} texts embedded)"
    )
    return {
        "chunks": report.chunks,
        "texts": len(texts),
        "ingest_s": report.seconds,
        "encoder_s": encoder,
        "unchanged_ingest_s": again.seconds,
        "unchanged_embedded": again.embedded,
    }


def _texts(context: SearchContext, root: Path) -> list[str]:
    limit, count = context.embedder.limit - 2, context.embedder.tokens.count
    found = vault.read(root)
    return sorted(
        {
            entry.text
            for file in found.files
            for item in document.index(file, entry_limit=limit, count=count)
            for entry in item.entries
        }
    )


def _search(context: SearchContext) -> list[Timed]:
    """Time whole searches and their parts on the same questions, one after the other."""
    asked = retrieval.chosen(RULES, None)[:_QUESTIONS]
    for question in asked[:5]:
        search(context, question.question)
    generation_id = context.store.read(store.live).id
    rows: list[Timed] = []
    for item in asked:
        words = searchable(item.question)
        whole = _milliseconds(partial(search, context, item.question))
        embed = _milliseconds(partial(context.embedder.question, words))
        vectors = context.embedder.question(words)
        sql = _milliseconds(partial(_lists, context, generation_id, words, vectors))
        rows.append({"id": item.id, "search_ms": whole, "embed_ms": embed, "sql_ms": sql})
    return rows


def _summed(rows: Sequence[Timed]) -> dict[str, float]:
    """Print and return the medians of the questions' times, and their ratio."""
    whole, embed, sql = (
        median(float(row[name]) for row in rows) for name in ("search_ms", "embed_ms", "sql_ms")
    )
    ratio = whole / (embed + sql)
    print(f"search: p50 {whole:.1f} ms over {len(rows)} questions")
    print(f"search / (embed + SQL): {ratio:.2f} (embed {embed:.1f} ms, SQL {sql:.1f} ms)")
    return {
        "questions": len(rows),
        "search_ms": whole,
        "embed_ms": embed,
        "sql_ms": sql,
        "search_over_parts": ratio,
    }


def _memory(context: SearchContext, *, before: str) -> dict[str, float]:
    """Answer questions with quotes, as the API does without a model; print the peak memory."""
    asked = [q.question for q in retrieval.chosen(RULES, None)][:_ANSWERED]
    for question in asked:
        answers.ask(context, None, question)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    print(
        f"memory: {peak:.0f} MB, the peak resident set of this process (without PostgreSQL) since "
        f"its start: {before} and answering {len(asked)} questions with quotes"
    )
    return {"answered": len(asked), "peak_mb": peak}


def _lists(
    context: SearchContext, generation_id: int, words: str, asked: EncodedQuestion
) -> object:
    """The SQL of one search: lists, token vectors and the entries of what is returned."""

    def all_of_it(conn: store.Connection) -> object:
        chosen = store.generation(conn, generation_id)
        found = fusion.collect(conn, context, chosen, words, asked)
        first = [item.row_id for item in found.dense[: context.settings.rag_top_k]]
        return store.evidence(conn, first, asked.vector, asked.tokens)

    return context.store.read(all_of_it)


def _milliseconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return 1000 * (perf_counter() - started)


if __name__ == "__main__":
    sys.exit(main())
