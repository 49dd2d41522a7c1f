"""Measure speed as ratios of one run: ingest against the encoder, search against its parts.

Nothing here is a gate: machines are noisy. Absolute times are context, the ratios are the result.
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

from api import answer
from evals import retrieval
from evals.retrieval import RULES
from ingest import document, pipeline, vault
from ingest.progress import Meter
from retrieval import candidates, generations, store
from retrieval.embed import EncodedQuestion
from retrieval.errors import RulesError
from retrieval.fold import searchable
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.search import search
from retrieval.settings import load

_QUESTIONS = 100
_ANSWERED = 200  # before the memory is read
_MEGABYTE = 1024  # of ru_maxrss, which Linux counts in KiB


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, or 2 where nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals.speed", description=__doc__)
    parser.add_argument("--skip-ingest", action="store_true", help="search only")
    args = parser.parse_args(argv)
    try:
        with open_rulebook(load()) as rules:
            rules.warm()
            if not args.skip_ingest:
                _ingest(rules, rules.settings.vault)
            _search(rules)
            _memory(rules, before="searching" if args.skip_ingest else "ingesting, searching")
    except RulesError as error:
        print(f"evals.speed: nothing was measured: {error}", file=sys.stderr)
        return 2
    return 0


def _ingest(rules: Rulebook, root: Path) -> None:
    """Index the vault from nothing, embed the same texts in one sorted call, then ingest again."""
    with rules.store.connect(autocommit=True) as conn, Meter() as meter:
        generations.install(conn)
        report = pipeline.run_temporary(rules, conn, root, reuse_vectors=False, progress=meter.show)
        generations.drop(conn, report.generation_id)
    texts = _texts(rules, root)
    # The library alone, all texts in one call that sorts them: what ingest is measured against.
    model = SentenceTransformer(str(rules.embedder.files.folder), local_files_only=True)
    encoder = _seconds(partial(model.encode, texts, show_progress_bar=False))
    pipeline.run(rules, root)
    again = pipeline.run(rules, root)
    print(f"ingest: {report.chunks} chunks, {len(texts)} texts in {report.seconds:.1f} s")
    print(f"ingest speed / encoder alone: {encoder / report.seconds:.2f} ({encoder:.1f} s alone)")
    print(
        f"unchanged ingest / full ingest: {again.seconds / report.seconds:.3f} "
        f"({again.seconds:.2f} s, {again.embedded} texts embedded)"
    )


def _texts(rules: Rulebook, root: Path) -> list[str]:
    limit, count = rules.embedder.limit - 2, rules.embedder.tokens.count
    found = vault.read(root)
    return sorted(
        {
            entry.text
            for file in found.files
            for item in document.index(file, entry_limit=limit, count=count)
            for entry in item.entries
        }
    )


def _search(rules: Rulebook) -> None:
    """Time whole searches and their parts on the same questions, one after the other."""
    asked = [q.question for q in retrieval.chosen(RULES, None)][:_QUESTIONS]
    for question in asked[:5]:
        search(rules, question)
    generation_id = rules.store.read(store.live).id
    whole, embed, sql = [], [], []
    for question in asked:
        words = searchable(question)
        whole.append(_seconds(partial(search, rules, question)))
        embed.append(_seconds(partial(rules.embedder.question, words)))
        vectors = rules.embedder.question(words)
        sql.append(_seconds(partial(_lists, rules, generation_id, words, vectors)))
    parts = median(embed) + median(sql)
    print(f"search: p50 {1000 * median(whole):.1f} ms over {len(asked)} questions")
    print(
        f"search / (embed + SQL): {median(whole) / parts:.2f} "
        f"(embed {1000 * median(embed):.1f} ms, SQL {1000 * median(sql):.1f} ms)"
    )


def _memory(rules: Rulebook, *, before: str) -> None:
    """Answer questions with quotes, as the API does without a model, and print the peak memory."""
    asked = [q.question for q in retrieval.chosen(RULES, None)][:_ANSWERED]
    for question in asked:
        answer.ask(rules, None, question)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    print(
        f"memory: {peak:.0f} MB, the peak resident set of this process (without PostgreSQL) since "
        f"its start: {before} and answering {len(asked)} questions with quotes"
    )


def _lists(rules: Rulebook, generation_id: int, words: str, asked: EncodedQuestion) -> object:
    """The SQL of one search: lists, token vectors and the entries of what is returned."""

    def all_of_it(conn: store.Connection) -> object:
        chosen = store.generation(conn, generation_id)
        found = candidates.collect(conn, rules, chosen, words, asked)
        first = [item.row_id for item in found.dense[: rules.settings.rag_top_k]]
        return store.evidence(conn, first, asked.vector, asked.tokens)

    return rules.store.read(all_of_it)


def _seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
