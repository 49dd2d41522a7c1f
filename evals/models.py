"""Compare encoders and rerankers on your questions, and print the settings of the best.

Each encoder indexes the vault for the measurement only, and each reranker reads what it found. The
weights of the stages are fitted for each of them, on other questions than those that are scored
(five folds), so that no model is judged by weights of another. A difference from the present
settings counts where its p-value, corrected for how many models were tried (Holm), is under 0.05.
Texts that the index holds already are not embedded again, so the seconds of the present encoder's
index are few. Nothing is a gate. Exit status: 0 measured; 2 nothing could be measured.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

from evals.answers import program
from evals.answers.program import EvalReport, ReportRow
from evals.fitting import stage_weights
from evals.labels.dataset import Question
from evals.labels.options import RULES, chosen, vault_of
from evals.measure import stats
from evals.measure.evaluation import ask_all
from evals.measure.outcome import Subject
from evals.measure.subject import subject
from evals.reports import results
from retrieval.context import SearchContext, open_context, with_reranker
from retrieval.errors import ConfigurationError, DatasetError
from retrieval.ranking import calibration
from retrieval.ranking.calibration import Weights
from retrieval.settings import LLM, load

_HEAD = ("encoder", "reranker", "hit@4", "MRR", "difference", "p (Holm)", "ms a question",
         "index s", "weights")  # fmt: skip
_LEAST = 10  # questions that every fold fits and scores some of


@dataclass(frozen=True, slots=True)
class MeasuredModels:
    """What an encoder with a reranker did: a reciprocal rank a question, weights of the others."""

    encoder: str
    reranker: str
    ranks: tuple[float, ...]  # 0 where no candidate holds the answer
    weights: Weights  # fitted on all questions
    milliseconds: float  # of a search, median
    index_seconds: float

    @property
    def name(self) -> str:
        """Both models as a .env names them."""
        return f"EMBEDDING_MODEL={self.encoder} RERANKER_MODEL={self.reranker}"

    @property
    def mrr(self) -> float:
        """The mean reciprocal rank."""
        return fmean(self.ranks)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status."""
    made = program.parser("evals.models", __doc__)
    made.add_argument("encoders", nargs="*", metavar="ENCODER", help="as EMBEDDING_MODEL names it")
    made.add_argument("--rerankers", nargs="+", default=[], help="as RERANKER_MODEL names them")
    made.add_argument("--vault", type=Path, help="the folder to index; default: the dataset's")
    return program.run(made, argv, _measured)


def _measured(args: argparse.Namespace) -> EvalReport:
    settings = load()
    encoders = list(dict.fromkeys([settings.embedding_model, *args.encoders]))
    rerankers = list(dict.fromkeys(["off", settings.reranker_model, *args.rerankers]))
    if LLM in rerankers:
        raise ConfigurationError("an order of OPENAI_MODEL has no weight; use evals.retrieval")
    if len(encoders) * len(rerankers) == 1:
        raise ConfigurationError("name an ENCODER, or --rerankers, to compare the present with")
    # Models are chosen by these, so of our own questions those of the gate are left out.
    is_ours = args.dataset.resolve() == RULES.resolve()
    split = args.split or ("calibration" if is_ours else None)
    questions = [one for one in chosen(args.dataset, split) if one.answerable]
    if len(questions) < _LEAST:
        raise DatasetError(f"{args.dataset}: {len(questions)} questions; it takes {_LEAST}")
    models: list[MeasuredModels] = []
    for encoder in encoders:
        given = {"embedding_model": encoder, "reranker_model": "off"}
        with open_context(settings.model_copy(update=given)) as context:
            folder = args.vault or vault_of(context, args.dataset) or settings.vault
            started = perf_counter()
            with subject(context, folder) as measured:
                seconds = perf_counter() - started
                models += compared(context, measured, questions, rerankers, seconds)
    about = {"split": split or "all", "encoders": encoders, "rerankers": rerankers}
    config = results.dated(results.origin(args.dataset, measured.files), about)
    present = (settings.embedding_model, settings.reranker_model)
    return _report(models, present, [one.id for one in questions], config)


def compared(
    opened: SearchContext,
    measured: Subject,
    questions: Sequence[Question],
    rerankers: Sequence[str],
    index_seconds: float,
) -> Iterator[MeasuredModels]:
    """Yield what the encoder of `opened` does with each of `rerankers` over one index.

    Raises ModelUnavailableError for a reranker that cannot be loaded, DatasetError where no
    candidate of any question holds its answer.
    """  # fmt: skip
    first = replace(opened, weights=calibration.UNFITTED.weights, threshold=-math.inf)
    outcomes = ask_all(first, measured, questions, None)
    known = stage_weights.examples(outcomes, measured)
    fitted = stage_weights.fit(known)
    for name in rerankers:
        if name != "off":  # it reads what the other stages put first, so under their fit
            used = replace(with_reranker(first, name), weights=fitted, threshold=-math.inf)
            outcomes = ask_all(used, measured, questions, None)
            known = stage_weights.examples(outcomes, measured)
        ranks = stage_weights.held_out(known)
        yield MeasuredModels(
            opened.settings.embedding_model, name,
            tuple(ranks.get(one.id, 0.0) for one in questions),
            stage_weights.fit(known),
            median(sum(astuple(one.found.timings)) for one in outcomes),
            index_seconds,
        )  # fmt: skip


def _report(
    models: Sequence[MeasuredModels], present: tuple[str, str], ids: Sequence[str],
    config: Mapping[str, object],
) -> EvalReport:  # fmt: skip
    now = next(one for one in models if (one.encoder, one.reranker) == present)
    others = [one for one in models if one is not now]
    p_values = stats.holm(
        {one.name: stats.paired_permutation(now.ranks, one.ranks) for one in others}
    )
    rows = [
        ReportRow(question, "models", "", "", {one.name: one.ranks[at] for one in models})
        for at, question in enumerate(ids)
    ]
    table = [_HEAD, *(_row(one, now, p_values.get(one.name)) for one in models)]
    best = max(models, key=lambda one: one.mrr)
    if p_values.get(best.name, 1.0) < stats.ALPHA:
        advice = (
            f"The best: {best.name}\nSet both; then: python -m ingest && python -m evals.calibrate"
        )
    else:
        advice = "None is better than the present models beyond chance: keep these."
    sums = {"mrr": {one.name: one.mrr for one in models}, "p": p_values, "best": best.name}
    title = f"{len(ids)} questions, each scored under weights fitted on others"
    return EvalReport(rows, {title: table}, sums, config, notes=[advice])


def _row(one: MeasuredModels, now: MeasuredModels, p: float | None) -> tuple[str, ...]:
    low, high = stats.difference_interval(now.ranks, one.ranks)
    difference = f"{one.mrr - now.mrr:+.3f} ({low:+.3f} to {high:+.3f})"
    weights = {name: value for name, value in asdict(one.weights).items() if value is not None}
    return (
        one.encoder, one.reranker, f"{fmean(rank >= 1 / 4 for rank in one.ranks):.3f}",
        f"{one.mrr:.3f}", "present" if one is now else difference, "" if p is None else f"{p:.3f}",
        f"{one.milliseconds:.0f}", f"{one.index_seconds:.0f}",
        ", ".join(f"{name} {value:g}" for name, value in weights.items()),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
