"""Draw series over one axis as SVG, every text escaped.

Colours are classes that the page's style sheet defines, for light and for dark.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

WIDTH = 760  # in pixels
_PLOT = (50, 12, 640, 220)  # left, top, width and height of a plot with axes
_BINS = 30  # of a histogram


@dataclass(frozen=True, slots=True)
class Curve:
    """A series over a plot's x axis. `style` is its class: "a", "b" or "c"."""

    label: str
    style: str
    points: Sequence[tuple[float, float]]


def plot(lines: Sequence[Curve], *, x_label: str, limit: float | None = None) -> Markup:
    """Draw series over one x axis, y from 0 to the highest value, with a mark at x = `limit`."""
    points = [point for line in lines for point in line.points]
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    most = max(y for _, y in points) or 1.0
    left, top, width, height = _PLOT

    def place(x: float, y: float) -> tuple[float, float]:
        across = (x - low) / (high - low) if high > low else 0.5
        return left + width * across, top + height * (1 - y / most)

    shapes = [*_axes(low, high, most, x_label)]
    if limit is not None and low <= limit <= high:
        shapes.append(_line(place(limit, 0)[0], top, place(limit, 0)[0], top + height, "limit"))
    for row, line in enumerate(lines):
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line.points)
        shapes.append(Markup('<polyline class="line {}" points="{}"/>').format(line.style, path))
        key = top + height + 52 + 18 * row
        shapes.append(_line(left, key - 4, left + 24, key - 4, f"line {line.style}"))
        shapes.append(_text(left + 32, key, line.label, ""))
    if limit is not None and low <= limit <= high:  # last, so that no line crosses it
        shapes.append(_text(place(limit, 0)[0] + 6, top + 12, f"now {limit:.2f}", "tick"))
    name = f"{'; '.join(line.label for line in lines)}, over the {x_label}"
    return _svg(top + height + 44 + 18 * len(lines), shapes, name)


def histogram(groups: Mapping[str, Sequence[float]]) -> list[Curve]:
    """Return each group of values as the outline of its shares in equal bins, by its label.

    Shares, 0 to 1, not counts: the groups differ in size. Empty groups are left out.
    """
    every = [value for values in groups.values() for value in values]
    if not every:
        return []
    edges = np.histogram_bin_edges(every, _BINS)
    lines = []
    for (label, values), style in zip(groups.items(), "abc", strict=False):
        if values:
            shares = np.histogram(values, edges)[0] / len(values)
            xs, ys = np.repeat(edges, 2), [0.0, *np.repeat(shares, 2), 0.0]
            points = [(float(x), float(y)) for x, y in zip(xs, ys, strict=True)]
            lines.append(Curve(label, style, points))
    return lines


def _axes(low: float, high: float, most: float, x_label: str) -> Iterator[Markup]:
    left, top, width, height = _PLOT
    for quarter in range(5):
        y = top + height * (1 - quarter / 4)
        yield _line(left, y, left + width, y, "grid")
        yield _text(left - 8, y + 4, f"{most * quarter / 4:.2f}", "tick end")
        x = left + width * quarter / 4
        yield _text(x, top + height + 16, f"{low + (high - low) * quarter / 4:.2f}", "tick middle")
    yield _text(left + width / 2, top + height + 32, x_label, "tick middle")


def _svg(height: float, shapes: Sequence[Markup], name: str) -> Markup:
    # The view box is wider than the drawing, so that dots and letters at its edge stay whole.
    start = Markup('<svg class="plot" viewBox="-4 -4 {} {}" role="img" aria-label="{}">').format(
        WIDTH + 8, round(height + 8), name
    )
    return start + Markup("").join(shapes) + Markup("</svg>")


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> Markup:
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
        style, x1, y1, x2, y2
    )


def _text(x: float, y: float, text: str, style: str) -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>').format(style, x, y, text)
