"""Measure speed as ratios of one run: ingest against the encoder, and against a second one.

Nothing here is a gate: machines are noisy. Absolute times are context, the ratios are the result.
What a search takes, stage by stage, is in the output of evals.retrieval.

Exit status: 0 measured; 2 nothing could be measured or written.
"""

import argparse
import resource
import sys
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter

from sentence_transformers import SentenceTransformer

from api.answer import pipeline as answers
from evals.answers import program
from evals.answers.program import EvalReport
from evals.labels.options import RULES, chosen
from ingest import pipeline
from ingest.chunking import document
from ingest.progress import Meter
from ingest.read import vault
from retrieval.context import SearchContext, open_context
from retrieval.index import generations, migrate
from retrieval.settings import load

_ANSWERED = 200  # questions, before the memory is read
_MEGABYTE = 1024  # of ru_maxrss, which Linux counts in KiB

Sums = dict[str, float]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    parser = program.parser("evals.speed", __doc__, dataset=None, splits=())
    return program.run(parser, argv, _measured)


def _measured(args: argparse.Namespace) -> EvalReport:
    questions = chosen(RULES, None)[:_ANSWERED]
    with open_context(load()) as context:
        context.warm()
        sums = _ingest(context)
        times = [_milliseconds(partial(answers.ask, context, None, q.question)) for q in questions]
        sums["answer from cards, p50 ms"] = median(times)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
        sums["peak memory, MB, without PostgreSQL"] = peak
        config = program.config(context, None, args)
    table = [("what", "value"), *((name, f"{value:.2f}") for name, value in sums.items())]
    return EvalReport((), {"": table}, sums, config)


def _ingest(context: SearchContext) -> Sums:
    """Index the vault from nothing, embed the same texts in one sorted call, then ingest again."""
    root = context.settings.vault
    with context.store.connect(autocommit=True) as conn, Meter() as meter:
        migrate.install(conn)
        report = pipeline.run_temporary(
            context, conn, root, reuse_vectors=False, progress=meter.show
        )
        generations.drop(conn, report.generation_id)
    limit, count = context.embedder.limit - 2, context.embedder.tokens.count
    texts = sorted({
        entry.text
        for file in vault.read(root).files
        for item in document.index(file, entry_limit=limit, count=count)
        for entry in item.entries
    })  # fmt: skip
    # The library alone, all texts in one call that sorts them: what ingest is measured against.
    model = SentenceTransformer(str(context.embedder.files.folder), local_files_only=True)
    encoder = 0.001 * _milliseconds(partial(model.encode, texts, show_progress_bar=False))
    pipeline.run(context, root)
    again = pipeline.run(context, root)
    return {
        "chunks": report.chunks,
        "texts": len(texts),
        "ingest_s": report.seconds,
        "encoder_s": encoder,
        "unchanged_ingest_s": again.seconds,
        "unchanged_embedded": again.embedded,
        "ingest speed / encoder alone": encoder / report.seconds,
        "unchanged ingest / full ingest": again.seconds / report.seconds,
    }


def _milliseconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return 1000 * (perf_counter() - started)


if __name__ == "__main__":
    sys.exit(main())
