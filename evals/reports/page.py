"""Write a run as one HTML page that needs nothing else, online or not.

The templates escape every text: questions and vaults may hold HTML. Style and script stand in the
page, and its policy lets no others in.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from evals.measure.replies import CERTAINTIES
from evals.measure.run import Run
from evals.measure.summary import best_score
from evals.reports import numbers, plot
from evals.reports.plot import Curve
from evals.reports.questions import FOREIGN, RESULTS, SIGNS, Json, questions

_FLIPS = 12  # shown at once
_FOLDER = Path(__file__).with_name("templates")
_SHARED = Path(__file__).parents[2] / "api" / "page" / "static" / "base.css"
_CURVES = {
    "hits": ("returned, of those with an answer", "a"),
    "unanswerable_refused": ("refused, of those without an answer", "b"),
    "answerable_refused": ("refused, of those with an answer", "c"),
}


def page(name: str, run: Run, rows: Sequence[Json], sums: Json) -> str:
    """Return the page of a run as HTML; `name` is its folder's, `rows` and `sums` its records."""
    asked = questions(rows, sums["baseline"])
    baseline = sums["baseline"] or {"metrics": (), "new": (), "changed": ()}
    return _template().render(
        run={"name": name, "config": run.config, "foreign": run.foreign},
        sums=sums,
        baseline=sums["baseline"],
        moved=any(one["before"] != one["after"] for one in baseline["metrics"]),
        in_both=len(rows) - len(baseline["new"]) - len(baseline["changed"]),
        shown_flips=_FLIPS,
        headline=numbers.headline(run),
        kinds=numbers.kinds(run),
        losses=numbers.losses(run),
        unanswerable=numbers.unanswerable(run),
        questions=asked,
        choices=_choices(run),
        results=FOREIGN if run.foreign else RESULTS,
        figures={} if run.foreign else _figures(run, sums),
        by_id={one.row["id"]: one for one in asked},
    )


@cache
def _template() -> Template:
    """The page with what is the same in every one; it is compiled once."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style_text, script = style(), (_FOLDER / "report.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_digest(style_text)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    own = {"style": Markup(style_text), "script": Markup(script)}  # noqa: S704  # files of ours
    environment.globals |= {"signs": SIGNS, "policy": policy, **own}
    environment.filters["sentence"] = _sentence
    return environment.get_template("report.html")


def style() -> str:
    """Return the style sheet: what is shared with the page of the API, then the reports' own."""
    shared, own = _SHARED, _FOLDER / "report.css"
    return shared.read_text("utf-8") + own.read_text("utf-8")


def _sentence(text: str) -> str:
    """Text with a capital at its start and the rest as it is: RAG_TOP_K stays so."""
    return text[:1].upper() + text[1:]


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _choices(run: Run) -> dict[str, list[str]]:
    """What the questions can be filtered by, as far as the run has it."""
    said = {outcome.reply.certainty for outcome in run.outcomes if outcome.reply}
    return {
        "kind": sorted({outcome.question.kind for outcome in run.outcomes}),
        "reply": [name for name in CERTAINTIES if name in said],
        "lost": [loss.stage for loss in numbers.losses(run)],
        "flip": ["broken", "fixed"] if run.comparison else [],
    }


def _figures(run: Run, sums: Mapping[str, Any]) -> dict[str, Markup]:
    """The best scores of questions with an answer and without, and what thresholds would do."""
    groups: dict[str, list[float]] = {}
    for answerable, label in ((True, "with an answer"), (False, "without an answer")):
        outcomes = [o for o in run.outcomes if o.question.answerable is answerable]
        scores = [score for o in outcomes if (score := best_score(o)) is not None]
        groups[f"{label} ({len(scores)} questions), share"] = scores
    lines = [
        Curve(label, style, [(p["threshold"], p[name]) for p in points])
        for name, (label, style) in _CURVES.items()
        if (points := [p for p in sums["threshold_curve"] if p[name] is not None])
    ]
    drawn = {
        "scores": (plot.histogram(groups), "best score of a question"),
        "curve": (lines, "threshold"),
    }
    return {
        name: plot.plot(lines, x_label=label, limit=sums["threshold"])
        for name, (lines, label) in drawn.items()
        if lines
    }
