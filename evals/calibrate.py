"""Fit the weights of the stages, the threshold and the refusal on the calibration split.

The weights are fitted on questions over training texts as well (evals/labels/extra_vaults.py): what
suits one vault alone does not suit the next. Threshold and refusal are of the vault's own
questions.

The threshold is the highest (in steps of 0.01) that loses no question which search answers without
one; what others would refuse is in a run's report.html. The fit is written to
retrieval/ranking/calibration.json with the models that it belongs to and with the questions that it
saw; the refusal of whole questions, made of the same searches, to off_topic.json in the vault's
folder and into the live generation that is made of it. The gate split is never read.
"""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from evals.answers import program
from evals.fitting import confidence as confidence_fit
from evals.fitting import refusal, stage_weights
from evals.fitting.stage_weights import Beside, Example
from evals.labels import dataset, extra_vaults
from evals.labels.dataset import NO_SEARCH, Question
from evals.labels.extra_vaults import Rules
from evals.labels.options import RULES, chosen, vault_of
from evals.measure.evaluation import evaluate
from evals.measure.judge import judge
from evals.measure.outcome import Outcome, Subject
from evals.measure.subject import subject
from retrieval.context import SearchContext, calibrated_for, open_context
from retrieval.errors import DatasetError
from retrieval.fitted import Models
from retrieval.index import generations, store
from retrieval.models import OffTopicLimits
from retrieval.ranking import calibration
from retrieval.ranking.calibration import Weights
from retrieval.refusal import confidence, off_topic
from retrieval.settings import BUNDLED, load

_NONE, _TRAINING = "none", "training/texts"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, or 2 where nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m evals.calibrate", description=__doc__)
    parser.add_argument("--dataset", type=Path, default=RULES)
    parser.add_argument(
        "--beside",
        help="training texts that the weights are fitted on as well, or none for none of them; "
        "default: training/texts, and none for our cross-encoder, which has seen all of them",
    )
    parser.add_argument(
        "--confidence", action="store_true", help="fit the confidence alone, under the other fits"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the fits, write nothing")
    args = parser.parse_args(argv)
    return program.measuring("evals.calibrate", lambda: _calibrated(args))


def _calibrated(args: argparse.Namespace) -> None:
    questions = chosen(args.dataset, "calibration")
    ids = sorted(question.id for question in questions)
    # So that a test can show that it was none of the gate's questions.
    seen = {"dataset": args.dataset.name, "split": "calibration", "questions": len(ids),
            "ids": ids}  # fmt: skip
    with open_context(load()) as context, TemporaryDirectory() as folder:
        models = calibrated_for(context.settings, context.embedder, context.reranker)
        if not args.confidence:
            others = _others(args.beside, context, Path(folder))
            fit, refusing = _fit(context, args.dataset, questions, others)
            if args.dry_run:
                return
            asked = {one.name: len(one.questions) for one in others}
            calibration.write(models, fit, {**seen, "beside": asked})
            _keep(context, vault_of(context, args.dataset), models, refusing, seen)
            context = replace(context, weights=fit.weights)
        made = _confidence(context)
        if not args.dry_run:
            confidence.write(models, made, seen)


def _fit(
    opened: SearchContext, path: Path, questions: Sequence[Question], others: Sequence[Rules]
) -> tuple[calibration.RankingFit, OffTopicLimits]:
    """Fit the weights, the threshold under them, and the refusal; print what they cost and gain."""
    context = replace(opened, weights=calibration.UNFITTED.weights, threshold=-math.inf)
    with subject(context, vault_of(context, path)) as measured:
        # A reranker reads what the other stages put first, so these are fitted before it is asked.
        for last in (None, context.reranker) if context.reranker else (None,):
            context = replace(context, reranker=last)
            known = stage_weights.examples(list(evaluate(context, measured, questions)), measured)
            weights = _weights(context, known, extra_vaults.examples(context, others))
            context = replace(context, weights=weights)
        outcomes = list(evaluate(context, measured, questions))
        top_k = context.settings.rag_top_k
        value = threshold([limit(outcome, measured, top_k) for outcome in outcomes])
        # What people type is refused more often than what they ask in whole sentences.
        refusable = refusal.examples([*outcomes, *evaluate(context, measured, _typed(path))])
    refusing = refusal.fit(refusable)
    print(f"refusal of whole questions: {refusing}; share refused, cross-validated:")
    try:
        print(refusal.table(refusable))
    except DatasetError as error:
        print(f"not cross-validated: {error}")
    print(json.dumps({"threshold": value, "n": len(outcomes), "split": "calibration"}))
    return calibration.RankingFit(context.weights, value), refusing


def _keep(
    context: SearchContext,
    other: Path | None,
    models: Models,
    refusing: OffTopicLimits,
    seen: Mapping[str, object],
) -> None:
    """Store the refusal in the vault, and with the live generation where it was made of it."""
    vault = other or context.settings.vault
    off_topic.write(vault, models, refusing, seen)
    if other is None:
        with context.store.connect(autocommit=True) as conn:
            generations.put_off_topic(conn, store.live(conn).id, off_topic.of_vault(vault))


def _typed(path: Path) -> list[Question]:
    """What people type about the sample vault, of the calibration split; of other sets none."""
    if path.resolve() != RULES.resolve():
        return []
    known = dataset.load(RULES.with_name("typed.jsonl"))
    asked = [one for one in known if one.vault == "rules" and one.split == "calibration"]
    return [one for one in asked if one.kind not in NO_SEARCH]


def _confidence(context: SearchContext) -> confidence.ConfidenceFit:
    """Fit the confidence in the first card, under the weights and the refusal just written."""
    context = replace(context, threshold=-math.inf)
    known: list[confidence_fit.Example] = []
    for name, vault, questions in confidence_fit.sets():
        live = vault.resolve() == context.settings.vault.resolve()
        with subject(context, None if live else vault) as measured:
            known += confidence_fit.examples(context, name, measured, questions)
    made = confidence_fit.fit(known)
    print(f"confidence: limit {made.limit}; answered, each vault by a fit of the others:")
    print(confidence_fit.table(confidence_fit.held_out(known), made.limit))
    return made


def _weights(context: SearchContext, known: Sequence[Example], others: Beside) -> Weights:
    """Return fitted weights, and print what they do to `known` and to the others."""
    weights = stage_weights.fit(known, others)
    stages = "with" if context.reranker else "without"
    held = fmean(stage_weights.held_out(known, others).values() or [math.nan])
    print(
        f"{stages} the reranker: {weights}; MRR {_mrr(known, context.weights)} before, "
        f"{_mrr(known, weights)} after, {held:.3f} cross-validated (n = {len(known)})"
    )
    for name, asked in others.items():
        before, after = _mrr(asked, context.weights), _mrr(asked, weights)
        print(f"  beside: {name}: MRR {before} before, {after} after (n = {len(asked)})")
    return weights


def _mrr(known: Sequence[Example], weights: Weights) -> str:
    return f"{fmean(stage_weights.reciprocal_rank(example, weights) for example in known):.3f}"


def _others(given: str | None, context: SearchContext, folder: Path) -> list[Rules]:
    default = _NONE if context.settings.reranker_model == BUNDLED else _TRAINING
    chosen = given or default
    return [] if chosen == _NONE else extra_vaults.write(Path(chosen), folder)


def limit(outcome: Outcome, measured: Subject, top_k: int) -> float | None:
    """Return the highest threshold at which this question is still a hit; None if it is none."""
    if outcome.judgement is None or not outcome.judgement.hit:
        return None
    scores = {hit.chunk.id: hit.score for hit in outcome.found.hits}
    for value in sorted(scores.values(), reverse=True):
        hits = tuple(hit for hit in outcome.found.hits if scores[hit.chunk.id] >= value)
        found = replace(outcome.found, hits=hits)
        if judge(outcome.question, found, measured.files, measured.chunks_of, top_k).hit:
            return value
    raise AssertionError(f"{outcome.question.id} is a hit, but not with all of its passages")


def threshold(limits: Sequence[float | None]) -> float:
    """Return the lowest limit of a hit, rounded down to 0.01; DatasetError where nothing is one."""
    hits = [value for value in limits if value is not None]
    if not hits:
        raise DatasetError("search answers none of the questions, so no threshold can be fitted")
    return math.floor(100 * min(hits)) / 100


if __name__ == "__main__":
    sys.exit(main())
