"""Write a run as one HTML page that needs nothing else: figures, tables, every missed question.

The template escapes every text: questions and vaults may hold HTML.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from evals import summary, svg, threshold
from evals.buckets import BUCKETS, OF_ANSWERS
from evals.dataset import Gold
from evals.judge import losses
from evals.metrics import Scored
from evals.run import Run, lost_gold, place
from evals.spans import lines
from evals.svg import Line, Mark

_AROUND = 2  # lines of the file shown before and after a gold
_LONGEST = 40  # lines of a gold that are shown


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a file; `gold` where the answer stands in it."""

    number: int
    text: str
    gold: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of a file under the words that say where they stand."""

    title: str
    note: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """A missed question with its gold lines and with what was returned in their stead."""

    id: str
    question: str
    answer: str
    kind: str
    critical: bool
    stage: str
    detail: str
    look_at: str
    golds: tuple[Shown, ...]
    passages: tuple[Shown, ...]


def write(run: Run, path: Path) -> None:
    """Write the report. Raises OSError where it cannot be written."""
    path.write_text(page(run), "utf-8")


def page(run: Run) -> str:
    """Return the report as HTML."""
    template = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("report.html")
    outcomes = run.outcomes
    return template.render(
        run=run,
        lost=_lost(run),
        buckets=BUCKETS,
        refused=summary.refused(outcomes),
        latency=summary.latency(outcomes),
        groups=[*run.tables["all"].items(), *run.tables["kind"].items()],
        folders=run.tables["folder"].items(),
        names=list(run.tables["all"]["all"]),
        misses=[_miss(run, item) for item in run.missed],
        figures=_figures(run),
    )


def _figures(run: Run) -> dict[str, Markup]:
    outcomes = run.outcomes
    gate = float(str(run.config["min_recall"]))
    latency = summary.latency(outcomes)
    found = {
        "kinds": svg.intervals([*_marks(run, "all"), *_marks(run, "kind")], gate),
        "folders": svg.intervals(list(_marks(run, "folder")), gate),
        "waterfall": svg.waterfall(len(run.answerable), _lost(run), "hits"),
        "latency": svg.bars([(stage, list(p.values())) for stage, p in latency.items()], "ms"),
    }
    scores, curve = _scores(run), _curve(run)
    now = outcomes[0].found.threshold
    if scores:
        found["scores"] = svg.plot(scores, x_label="best score of a question", limit=now)
    if curve:
        found["curve"] = svg.plot(curve, x_label="threshold", limit=now)
    return found


def _lost(run: Run) -> dict[str, int]:
    found = losses(o.lost_at for o in run.outcomes)
    return {stage: count for stage, count in found.items() if count or stage not in OF_ANSWERS}


def _marks(run: Run, by: str) -> Iterator[Mark]:
    for name, metrics in run.tables[by].items():
        hit = metrics[f"hit@{run.top_k}"]
        yield Mark(name, f"{hit.mean:.3f} of {hit.n}", hit.mean, hit.low, hit.high)


def _scores(run: Run) -> list[Line]:
    best = [(o.question.answerable, threshold.best_score(o)) for o in run.outcomes]
    answerable = [score for is_so, score in best if is_so and score is not None]
    unanswerable = [score for is_so, score in best if not is_so and score is not None]
    return svg.histogram(
        [
            (f"answerable ({len(answerable)} questions), share", "a", answerable),
            (f"unanswerable ({len(unanswerable)}), share", "b", unanswerable),
        ]
    )


def _curve(run: Run) -> list[Line]:
    points = threshold.curve(run.scored, run.top_k)
    found = [
        Line("hits, of the answerable", "a", [(p.threshold, p.hits) for p in points]),
        Line(
            "refused, of the answerable", "c", [(p.threshold, p.answerable_refused) for p in points]
        ),
        Line(
            "refused, of the unanswerable", "b",
            [(p.threshold, p.unanswerable_refused) for p in points
             if p.unanswerable_refused is not None],
        ),
    ]  # fmt: skip
    return [line for line in found if line.points]


def _miss(run: Run, item: Scored) -> Miss:
    question, judgement = item.outcome.question, item.outcome.judgement
    assert judgement
    stage = item.outcome.lost_at
    assert stage
    file, line = place(run, item)
    gold = lost_gold(item)
    golds = [gold, *(need.gold for need in item.needed if need.gold != gold)]
    return Miss(
        question.id, " / ".join([*question.history, question.question]), question.answer,
        question.kind, question.critical, stage, judgement.detail, f"{file}:{line}",
        tuple(_gold(run, gold) for gold in golds), tuple(_passages(run, item)),
    )  # fmt: skip


def _gold(run: Run, gold: Gold) -> Shown:
    source = run.page_of(gold.path)
    span = lines(gold, run.page_of)
    if source is None or span is None:
        note = "the whole file" if source and not gold.quote else "stands nowhere in this file"
        return Shown(gold.path, note, (ShownLine(0, gold.quote, True),) if gold.quote else ())
    first, last = span
    text = run.files[gold.path].split("\n")
    stop = min(last, first + _LONGEST)
    shown = range(max(first - _AROUND, 1), min(stop + _AROUND, len(text)) + 1)
    rows = (ShownLine(number, text[number - 1], first <= number <= last) for number in shown)
    return Shown(f"{gold.path}:{first}", "", tuple(rows))


def _passages(run: Run, item: Scored) -> Iterator[Shown]:
    golds = [gold for golds in item.outcome.question.places for gold in golds]
    spans = [(gold.path, span) for gold in golds if (span := lines(gold, run.page_of))]
    for rank, hit in enumerate(item.outcome.found.hits, start=1):
        chunk = hit.chunk
        rows = [
            ShownLine(number, text, any(
                path == chunk.path and first <= number <= last for path, (first, last) in spans))
            for number, text in enumerate(chunk.text.split("\n"), start=chunk.first_line)
        ]  # fmt: skip
        yield Shown(f"{rank}. {chunk.id}", f"{chunk.heading} · {hit.score:.3f}", tuple(rows))
