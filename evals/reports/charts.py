"""Draw the bars of a page as SVG, placed in per cent, so that they fit a wall and a phone.

No figure carries words that the page does not say beside it, so all are hidden from readers of the
screen. What a colour says a pattern says as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from evals.measure.summary import Estimate

PATTERNS = 6  # of the page's <defs>: the first is plain
FURTHEST = 0.2  # of a difference that is drawn
_BAR, _THIN, _STACK = 22, 8, 40  # heights in pixels
_WIDE_ENOUGH = 5.0  # per cent of the width, for a number within


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a stacked bar."""

    name: str
    count: int


def share(found: Estimate, gate: float | None = None, *, thin: bool = False) -> Markup:
    """Draw a value of 0 to 1 as a bar with its interval, and a line where the gate is."""
    height = _THIN if thin else _BAR
    shapes = [_rect(0, 1, "track"), _rect(0, found.mean, "value")]
    shapes += _interval(found.low, found.high)
    if gate is not None:
        shapes.append(_line(gate, gate, "0%", "100%", "gate"))
    return _svg(shapes, height, "bar thin" if thin else "bar")


def stacked(parts: Sequence[Part]) -> Markup:
    """Draw counts as one bar, each part with its pattern and, where it fits, its count."""
    total = sum(part.count for part in parts)
    shapes, at = [], 0.0
    for index, part in enumerate(parts):
        width = part.count / total if total else 0.0
        shapes.append(_segment(index, at, width, f"{part.name}: {part.count}"))
        if 100 * width >= _WIDE_ENOUGH:
            middle = Markup('<text x="{:.2f}%" y="50%">{}</text>')
            shapes.append(middle.format(100 * (at + width / 2), part.count))
        at += width
    return _svg(shapes, _STACK, "stack")


def swatch(index: int) -> Markup:
    """Draw the key of a stacked bar's part."""
    return Markup('<svg class="swatch" width="18" height="18" aria-hidden="true">{}</svg>').format(
        _segment(index, 0, 1, "")
    )


def difference(low: float, high: float, value: float) -> Markup:
    """Draw a difference with its interval around nothing; what is beyond FURTHEST ends there."""
    shapes = [
        _rect(0, 1, "track"),
        _line(0.5, 0.5, "0%", "100%", "zero"),
        *_interval(_around(low), _around(high)),
        Markup('<circle class="dot" cx="{:.2f}%" cy="50%" r="4"/>').format(100 * _around(value)),
    ]
    return _svg(shapes, _BAR, "bar difference")


def lengths(values: Sequence[float], most: float) -> Markup:
    """Draw up to three lengths over each other, the longest one the palest."""
    shapes = [_rect(0, 1, "track")]
    for value, style in zip(
        sorted(values, reverse=True), ("pale", "middling", "value"), strict=True
    ):
        shapes.append(_rect(0, value / most if most else 0.0, style))
    return _svg(shapes, _BAR, "bar")


def _interval(low: float | None, high: float | None) -> list[Markup]:
    if low is None or high is None:
        return []
    lines = [
        (low, high, "50%", "50%"),
        (low, low, "22%", "78%"),
        (high, high, "22%", "78%"),
    ]
    # The halo first: the interval is seen on the bar and beside it.
    return [_line(*line, style) for style in ("halo", "whisker") for line in lines]


def _around(value: float) -> float:
    return 0.5 + 0.5 * max(-1.0, min(1.0, value / FURTHEST))


def _segment(index: int, at: float, width: float, title: str) -> Markup:
    shape = Markup('<rect class="segment s{}" x="{:.2f}%" width="{:.2f}%" height="100%"{}</rect>')
    named = Markup("><title>{}</title>").format(title) if title else Markup(">")
    place = 100 * at, 100 * width
    tint = shape.format(index % PATTERNS, *place, named)
    pattern = Markup('<rect fill="url(#p{})" x="{:.2f}%" width="{:.2f}%" height="100%" {}/>')
    return tint + pattern.format(index % PATTERNS, *place, Markup('pointer-events="none"'))


def _svg(shapes: Sequence[Markup], height: int, style: str) -> Markup:
    start = Markup('<svg class="{}" width="100%" height="{}" aria-hidden="true">')
    return start.format(style, height) + Markup("").join(shapes) + Markup("</svg>")


def _rect(start: float, stop: float, style: str) -> Markup:
    return Markup('<rect class="{}" x="{:.2f}%" width="{:.2f}%" height="100%"/>').format(
        style, 100 * start, 100 * max(0.0, stop - start)
    )


def _line(x1: float, x2: float, y1: str, y2: str, style: str) -> Markup:
    return Markup('<line class="{}" x1="{:.2f}%" x2="{:.2f}%" y1="{}" y2="{}"/>').format(
        style, 100 * x1, 100 * x2, y1, y2
    )
