"""What one run of the questions measured, question by question, as `baseline.json` keeps it."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evals.labels.dataset import Question
from evals.measure.outcome import Outcome, Subject
from retrieval import atomic_write
from retrieval.context import SearchContext
from retrieval.errors import DatasetError
from retrieval.index import store
from retrieval.refusal import off_topic

BASELINE = Path(__file__).parents[1] / "baseline.json"
REFUSED = "refused_"  # and the kind: a metric of questions that have no answer
FAR = "far_offtopic"  # how far an off-topic question is from the rules, whether refused or not
_OF_INDEX = (
    "chunker",
    "folding",
    "encoding",
    "language",
)  # what else an index is made with is a model

Fingerprint = Mapping[str, Mapping[str, str | int]]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question: `metrics` by name, higher is better; None where it does not define one.

    An answerable one has "hit" and more, one without an answer "refused_offtopic" or whatever its
    kind is, and an off-topic one `FAR`, so that a slow drift towards answers is seen. `digest`
    changes with the question's text and its gold: with another digest it is another question.
    """

    digest: str
    critical: bool
    lost_at: str | None
    metrics: Mapping[str, float | None]

    @property
    def answerable(self) -> bool:
        """Whether the rules hold an answer."""
        return "hit" in self.metrics

    @property
    def right(self) -> bool:
        """Whether it is a hit that is shown, or the refusal of a question that has no answer."""
        if self.answerable:
            return bool(self.metrics["hit"]) and bool(self.metrics.get("shown", 1.0))
        return any(value for name, value in self.metrics.items() if name.startswith(REFUSED))


@dataclass(frozen=True, slots=True)
class Measurement:
    """The questions of one run by their ids, and what they were measured with.

    Of a baseline `best` has the rows of the best one so far; None where `rows` are these.
    """

    why: str  # the models are those of the fingerprint; "" where nobody had to say
    fingerprint: Fingerprint
    rows: Mapping[str, QuestionRow]
    best: Mapping[str, QuestionRow] | None = None


def measurement(outcomes: Sequence[Outcome], made_with: Fingerprint) -> Measurement:
    """Return what was measured, a row a question.

    Of an answerable one a hit, the reciprocal rank of the last gold in the final order, 0 where one
    is missing, and whether a gold line is in the first card, and in any; of the others whether they
    were refused, by their kind. Raises DatasetError where no question is answerable.
    """
    rows = {one.question.id: _row_of(one) for one in outcomes}
    if not any(row.answerable for row in rows.values()):
        raise DatasetError("no answerable question was measured, so there is nothing to compare")
    return Measurement("", made_with, rows)


def _row_of(outcome: Outcome) -> QuestionRow:
    asked, judged, shown = outcome.question, outcome.judgement, outcome.shown
    metrics: dict[str, float | None] = {}
    if judged:
        metrics["hit"] = float(judged.hit)
        metrics["reciprocal_rank"] = round(1 / judged.rank, 6) if judged.rank else 0.0
        if shown:  # nothing where search alone was measured
            metrics |= {"first_card": float(shown.first), "shown": float(shown.anywhere)}
    else:
        metrics[f"{REFUSED}{asked.kind}"] = float(outcome.refused)
        if asked.kind == "offtopic":
            metrics[FAR] = _far(outcome)
    return QuestionRow(_digest(asked), asked.critical, outcome.lost_at, metrics)


def _far(outcome: Outcome) -> float:
    """By how much more a question is like other subjects than like the rules, -1 to 1.

    1 where search found nothing, -1 where the vault has what is asked about by name.
    """
    given = off_topic.signals(outcome.found)
    if given is None:
        return 1.0
    return -1.0 if given.named else round(max(-1.0, min(1.0, -off_topic.subject(given))), 4)


def fingerprint(
    context: SearchContext, measured: Subject, questions: Iterable[Question], top_k: int
) -> Fingerprint:
    """Return what a measurement depends on: models, index, search, and the data by digest."""
    generation = context.store.read(lambda conn: store.generation(conn, measured.generation_id))
    made = generation.fingerprint
    weights = {name: one for name, one in asdict(context.weights).items() if one is not None}
    return {
        "models": {
            **{name: value for name, value in made.items() if name not in _OF_INDEX},
            "reranker": context.reranker.digest if context.reranker else context.reranked_by,
        },
        "index": {name: made[name] for name in _OF_INDEX if name in made},
        "search": {
            "top_k": top_k,
            "candidates": context.settings.rag_candidates,
            "threshold": f"{context.threshold:g}",
            "late_interaction": context.settings.rag_late_interaction,
            **{f"{name}_weight": f"{value:g}" for name, value in weights.items()},
        },
        "data": data_digests(questions, measured.files),
    }


def data_digests(questions: Iterable[Question], files: Mapping[str, str]) -> dict[str, str | int]:
    """Return the digests of what is asked and of the vault's texts by path."""
    return {
        "questions": _sha256(sorted(f"{q.id} {_digest(q)}" for q in questions)),
        "vault": _sha256(f"{p}\n{text}" for p, text in sorted(files.items())),
    }


def read(path: Path) -> Measurement:
    """Return a measurement that was written.

    Raises DatasetError, naming the file, where there is none or it is not one.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        rows = {name: _row(row) for name, row in data["questions"].items()}
        best = {name: _row(row) for name, row in data["best"].items()} if "best" in data else None
        stored = Measurement(str(data["why"]), dict(data["fingerprint"]), rows, best)
    except FileNotFoundError as error:
        raise DatasetError(
            f"there is no {path}; a run is written by python -m evals.retrieval, a baseline by "
            "python -m evals.baseline --update"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DatasetError(
            f"{path}: is no baseline: {type(error).__name__}: {error}; restore it"
        ) from error
    if len({frozenset(row.metrics) for row in rows.values() if row.answerable}) != 1:
        raise DatasetError(f"{path}: the questions do not all have the same metrics; restore it")
    return stored


def write(path: Path, taken: Measurement) -> None:
    """Write a measurement, one line a question, so that a diff shows which ones changed."""
    head = {"why": taken.why, "fingerprint": taken.fingerprint}
    text = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    text += _listed("questions", taken.rows)
    if taken.best is not None:
        text += _listed("best", taken.best)
    atomic_write.write(path, text + "\n}\n")


def best_of(
    stored: Measurement, rows: Mapping[str, QuestionRow]
) -> Mapping[str, QuestionRow] | None:
    """Return the rows to keep as the best beside `rows`; None where `rows` are as good or better.

    Better is what has the higher sum of all metrics over the questions that both ask alike. What is
    kept loses the questions that `rows` asks no more.
    """
    best = {
        name: row
        for name, row in (stored.best or stored.rows).items()
        if name in rows and rows[name].digest == row.digest
    }
    before = sum(_sum(row) for row in best.values())
    now = sum(_sum(rows[name]) for name in best)
    return best if before > now else None


def _sum(row: QuestionRow) -> float:
    return sum(value for value in row.metrics.values() if value is not None)


def _listed(key: str, rows: Mapping[str, QuestionRow]) -> str:
    lines = [
        f"    {json.dumps(name, ensure_ascii=False)}: {json.dumps(asdict(row))}"
        for name, row in sorted(rows.items())
    ]
    return f',\n  "{key}": {{\n' + ",\n".join(lines) + "\n  }"


def _row(row: Mapping[str, Any]) -> QuestionRow:
    metrics = {str(n): None if v is None else float(v) for n, v in row["metrics"].items()}
    refused = [value for name, value in metrics.items() if name.startswith(REFUSED)]
    decides = refused if len(refused) == len(metrics.keys() - {FAR}) == 1 else [metrics["hit"]]
    if None in decides or not all(v is None or math.isfinite(v) for v in metrics.values()):
        raise ValueError(f"metrics {metrics} are not numbers")
    return QuestionRow(str(row["digest"]), bool(row["critical"]), row["lost_at"], metrics)


def _digest(question: Question) -> str:
    places = [[(gold.path, gold.quote) for gold in place] for place in question.places]
    asked = [question.question, question.history, places, question.forbidden]
    return _sha256([json.dumps(asked)])[:12]


def _sha256(parts: Iterable[str]) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(f"{len(part)}:{part}".encode())
    return total.hexdigest()
