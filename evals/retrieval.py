"""Measure search with labelled questions, through the very function that answers users.

Exit status: 0 the gate passed; 1 it failed; 2 nothing could be measured, which is never a pass.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, quantiles

from scipy.stats import binomtest

from evals import dataset
from evals.dataset import SPLITS, Question
from evals.judge import LOST_AT, ChunksOf, Judgement, judge
from ingest import pipeline, vault
from ingest.progress import Meter
from retrieval import generations, store
from retrieval.errors import DatasetError, IndexMissingError, RulesError, VaultError
from retrieval.models import Chunk, SearchResult
from retrieval.rulebook import Rulebook, open_rulebook
from retrieval.search import search
from retrieval.settings import load

MIN_RECALL = 0.80
RULES = Path(__file__).with_name("datasets") / "rules.jsonl"
RULES_VAULT = Path(__file__).parents[1] / "vault"  # what the questions of RULES are about


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with what search returned; no judgement for an unanswerable one."""

    question: Question
    found: SearchResult
    judgement: Judgement | None


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured: a generation of the index and the vault that it was made of."""

    generation_id: int
    files: Mapping[str, str]  # text by path
    chunks_of: ChunksOf


def evaluate(
    rules: Rulebook, measured: Subject, questions: Sequence[Question], *, top_k: int | None = None
) -> Iterator[Outcome]:
    """Yield the outcome of every question, in order, through the search that answers users.

    Raises DatasetError where a question names a file by what fits several.
    """
    for item in dataset.resolved(questions, measured.files):
        found = search(
            rules,
            item.question,
            history=item.history,
            top_k=top_k,
            generation_id=measured.generation_id,
        )
        judgement = None
        if item.answerable:
            limit = top_k or rules.settings.rag_top_k
            judgement = judge(item, found, measured.files, measured.chunks_of, limit)
        yield Outcome(item, found, judgement)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    args = _arguments(argv)
    try:
        questions = chosen(args.dataset, args.split)
        with (
            open_rulebook(load()) as rules,
            subject(rules, args.vault or vault_of(rules, args.dataset)) as measured,
        ):
            print(_heading(rules, args.dataset, args.split, questions))
            outcomes = []
            for outcome in evaluate(rules, measured, questions, top_k=args.top_k):
                outcomes.append(outcome)
                print(_line(outcome), flush=True)
            top_k = args.top_k or rules.settings.rag_top_k
    except RulesError as error:
        print(f"evals.retrieval: nothing was measured: {error}", file=sys.stderr)
        return 2
    if args.json:
        _write(args.json, outcomes)
    return _summary(outcomes, top_k, args.min_recall)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    parser.add_argument("--dataset", type=Path, default=RULES, help="questions, JSONL or JSON")
    parser.add_argument(
        "--vault", type=Path, help="index this folder for the measurement only; default: the index"
    )
    parser.add_argument("--split", choices=SPLITS, help="only the questions of this split")
    parser.add_argument("--top-k", type=int, help="passages; default: RAG_TOP_K")
    parser.add_argument("--min-recall", type=float, default=MIN_RECALL, help="the gate, 0 to 1")
    parser.add_argument("--json", type=Path, help="write one line a question to this file")
    args = parser.parse_args(argv)
    if args.top_k is not None and not 1 <= args.top_k <= 50:
        parser.error(f"--top-k is {args.top_k}, not 1 to 50")
    return args


def chosen(path: Path, split: str | None) -> list[Question]:
    """Return the questions of a split; DatasetError where none of them is answerable."""
    questions = [q for q in dataset.load(path) if split is None or q.split == split]
    if not any(question.answerable for question in questions):
        raise DatasetError(f"{path}: no answerable question of split {split or 'all'}")
    return questions


def vault_of(rules: Rulebook, path: Path) -> Path | None:
    """Return the folder that a dataset is about where it is known not to be VAULT; else None."""
    other = rules.settings.vault.resolve() != RULES_VAULT.resolve()
    return RULES_VAULT if other and path.resolve() == RULES.resolve() else None


@contextmanager
def subject(rules: Rulebook, folder: Path | None) -> Iterator[Subject]:
    """Yield the live index, or a temporary one of `folder` that is gone afterwards."""
    found = vault.read(folder or rules.settings.vault)
    files = {file.path: file.text for file in found.files}
    if not files:
        raise VaultError(f"no Markdown file in {str(folder or rules.settings.vault)!r}")
    if folder is None:
        generation_id = rules.store.read(store.live).id
        yield _measured(rules, generation_id, files)
        return
    with rules.store.connect(autocommit=True) as conn, Meter() as meter:
        report = pipeline.run_temporary(rules, conn, folder, progress=meter.show)
        for error in report.rejected:
            print(f"REJECTED {error}")
        try:
            yield _measured(rules, report.generation_id, files)
        finally:
            generations.drop(conn, report.generation_id)


def _measured(rules: Rulebook, generation_id: int, files: Mapping[str, str]) -> Subject:
    @cache
    def chunks_of(path: str) -> tuple[Chunk, ...]:
        return rules.store.read(lambda conn: store.chunks_of(conn, generation_id, path))

    if not any(chunks_of(path) for path in files):
        raise IndexMissingError("the index holds none of the vault's files; run: python -m ingest")
    return Subject(generation_id, files, chunks_of)


def _heading(rules: Rulebook, path: Path, split: str | None, questions: Sequence[Question]) -> str:
    reranker = rules.reranker.name if rules.reranker else "off"
    return (
        f"{path.name}, split {split or 'all'}: {len(questions)} questions; "
        f"embedding: {rules.embedder.files.name}; rerank: {reranker}; "
        f"threshold: {rules.threshold:g}"
    )


def _line(outcome: Outcome) -> str:
    asked = " ".join(outcome.question.question.split())
    if outcome.judgement is None:
        return f"{'REFUSED' if not outcome.found.hits else 'ANSWERED'} (no answer exists) — {asked}"
    if outcome.judgement.hit:
        return f"PASS — {asked}"
    expected = outcome.question.places[0][0].path
    return f"FAIL (expected in: {expected}; lost at: {outcome.judgement.lost_at}) — {asked}"


def _summary(outcomes: Sequence[Outcome], top_k: int, min_recall: float) -> int:
    """Print what was measured and return the gate's exit status."""
    judged = [(o.question, o.judgement) for o in outcomes if o.judgement]
    hits = sum(judgement.hit for _, judgement in judged)
    recall = hits / len(judged)
    print()
    _print_table("kind", top_k, [(question.kind, judgement) for question, judgement in judged])
    _print_unanswerable(outcomes)
    lost = Counter(judgement.lost_at for _, judgement in judged if judgement.lost_at)
    for stage in LOST_AT:
        if lost[stage]:
            print(f"lost at {stage}: {lost[stage]} ({LOST_AT[stage]})")
    total = [sum(asdict(o.found.timings).values()) for o in outcomes]
    print(f"search: p50 {quantiles(total, n=20)[9]:.0f} ms, p95 {quantiles(total, n=20)[18]:.0f} ms"
          if len(total) > 1 else f"search: {total[0]:.0f} ms")  # fmt: skip
    faults = [f"recall {recall:.3f} is below {min_recall:g}"] if recall < min_recall else []
    faults += [f"critical question lost: {q.id}" for q, j in judged if q.critical and not j.hit]
    faults += [f"forbidden in the first 3: {p} ({q.id})" for q, j in judged for p in j.forbidden]
    for fault in faults:
        print(f"GATE FAILED: {fault}")
    interval = binomtest(hits, len(judged)).proportion_ci(method="wilson")
    print(f"MRR: {fmean(1 / j.rank if j.rank else 0 for _, j in judged):.3f}")
    print(f"95 % interval of recall: {interval.low:.3f} to {interval.high:.3f}")
    print(f"Recall@{top_k}: {hits}/{len(judged)} = {recall:.2f}")
    return 1 if faults else 0


def _print_table(name: str, top_k: int, rows: Sequence[tuple[str, Judgement]]) -> None:
    print(f"{name:<12} {'n':>4} {f'hit@{top_k}':>7} {'MRR':>6}")
    for value in sorted({row[0] for row in rows}):
        judged = [judgement for kind, judgement in rows if kind == value]
        mrr = fmean(1 / j.rank if j.rank else 0 for j in judged)
        print(f"{value:<12} {len(judged):>4} {fmean(j.hit for j in judged):>7.3f} {mrr:>6.3f}")


def _print_unanswerable(outcomes: Sequence[Outcome]) -> None:
    for kind in dataset.UNANSWERABLE:
        found = [outcome.found for outcome in outcomes if outcome.question.kind == kind]
        if found:
            print(f"{kind:<12} {len(found):>4} refused {fmean(not f.hits for f in found):.3f}")
    answerable = [outcome.found for outcome in outcomes if outcome.question.answerable]
    print(f"answerable   {len(answerable):>4} refused {fmean(not f.hits for f in answerable):.3f}")


def _write(path: Path, outcomes: Sequence[Outcome]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for outcome in outcomes:
            file.write(json.dumps(_record(outcome), ensure_ascii=False) + "\n")


def _record(outcome: Outcome) -> dict[str, object]:
    judgement = outcome.judgement
    return {
        "id": outcome.question.id,
        "question": outcome.question.question,
        "hit": judgement.hit if judgement else not outcome.found.hits,
        "rank": judgement.rank if judgement else None,
        "lost_at": judgement.lost_at if judgement else None,
        "retrieved": [
            {
                "path": hit.chunk.path,
                "heading": hit.chunk.heading,
                "first_line": hit.chunk.first_line,
                "last_line": hit.chunk.last_line,
                "score": hit.score,
                "text": hit.chunk.text,
            }
            for hit in outcome.found.hits
        ],
        "timings": asdict(outcome.found.timings),
    }


if __name__ == "__main__":
    sys.exit(main())
