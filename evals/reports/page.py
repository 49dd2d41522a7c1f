"""Write a run as one HTML page that needs nothing else, online or not.

The templates escape every text: questions and vaults may hold HTML. Style and script stand in the
page, and its policy lets no others in.
"""

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from api.page import assets
from evals.reports import charts, numbers, plot
from evals.reports.numbers import CERTAINTIES
from evals.reports.plot import Curve
from evals.reports.questions import RESULTS, SIGNS, questions
from evals.reports.stored import Json, Stored

_FLIPS = 12  # shown at once
_FOLDER = Path(__file__).with_name("templates")


def write(run: Stored, path: Path) -> None:
    """Write the page of a run. Raises OSError where it cannot be written."""
    path.write_text(page(run), "utf-8")


def page(run: Stored) -> str:
    """Return the page of a run as HTML."""
    asked = questions(run.rows, run.sums["baseline"])
    return render(
        "report.html",
        run=run,
        sums=run.sums,
        baseline=run.sums["baseline"],
        moved=_moved(run.sums["baseline"]),
        in_both=_in_both(run),
        shown_flips=_FLIPS,
        headline=numbers.headline(run),
        kinds=numbers.kinds(run),
        losses=numbers.losses(run),
        unanswerable=numbers.unanswerable(run),
        questions=asked,
        choices=_choices(run),
        figures=_figures(run),
        by_id={one.row["id"]: one for one in asked},
    )


def render(template: str, **values: Any) -> str:
    """Return a template with its values, and with what every page has."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(charts=charts, signs=SIGNS, results=RESULTS)
    environment.filters["sentence"] = _sentence
    style_text, script = style(), (_FOLDER / "report.js").read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_digest(style_text)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    own = {"style": Markup(style_text), "script": Markup(script)}  # noqa: S704  # files of ours
    return environment.get_template(template).render(**values, **own, policy=policy)


def style() -> str:
    """Return the style sheet: what is shared with the page of the API, then the reports' own."""
    shared, own = assets.FOLDER / "base.css", _FOLDER / "report.css"
    return shared.read_text("utf-8") + own.read_text("utf-8")


def _sentence(text: str) -> str:
    """Text with a capital at its start and the rest as it is: RAG_TOP_K stays so."""
    return text[:1].upper() + text[1:]


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _choices(run: Stored) -> dict[str, list[str]]:
    """What the questions can be filtered by, as far as the run has it."""
    kinds = sorted({row["kind"] for row in run.rows})
    replies = [name for name in CERTAINTIES if any(_of(row, name) for row in run.rows)]
    return {
        "kind": kinds,
        "reply": replies,
        "lost": [loss.stage for loss in numbers.losses(run)],
        "flip": ["broken", "fixed"] if run.sums["baseline"] else [],
    }


def _moved(baseline: Json | None) -> bool:
    return any(one["before"] != one["after"] for one in (baseline or {}).get("metrics", ()))


def _in_both(run: Stored) -> int:
    """How many questions are in the baseline as well."""
    baseline = run.sums["baseline"]
    return len(run.rows) - len(baseline["new"]) - len(baseline["changed"]) if baseline else 0


def _of(row: Json, certainty: str) -> bool:
    return bool(row.get("certainty") == certainty)


def _figures(run: Stored) -> dict[str, Markup]:
    now = run.sums["threshold"]
    scores, curve = _scores(run), _curve(run)
    found = {}
    if scores:
        found["scores"] = plot.plot(scores, x_label="best score of a question", limit=now)
    if curve:
        found["curve"] = plot.plot(curve, x_label="threshold", limit=now)
    return found


def _scores(run: Stored) -> list[Curve]:
    groups = []
    for answerable, label, style_class in (
        (True, "with an answer", "a"),
        (False, "without an answer", "b"),
    ):
        scores = [
            row["best_score"]
            for row in run.rows
            if row["answerable"] == answerable and row["best_score"] is not None
        ]
        groups.append((f"{label} ({len(scores)} questions), share", style_class, scores))
    return plot.histogram(groups)


def _curve(run: Stored) -> list[Curve]:
    names = {
        "hits": ("returned, of those with an answer", "a"),
        "unanswerable_refused": ("refused, of those without an answer", "b"),
        "answerable_refused": ("refused, of those with an answer", "c"),
    }
    found = []
    for name, (label, style_class) in names.items():
        points = [(p["threshold"], p[name]) for p in run.sums["threshold_curve"]]
        found.append(Curve(label, style_class, [(x, y) for x, y in points if y is not None]))
    return [line for line in found if line.points]
