"""Draw the report's figures as SVG: small functions from numbers to markup, every text escaped.

Colours are classes that the report's style sheet defines, for light and for dark.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 760  # of every figure, in pixels
_LABELS = 120  # left of the bars
_NUMBERS = 150  # right of them
_ROW = 24
_SHADES = ("pale", "middling", "all")
_PLOT = (50, 12, 640, 220)  # left, top, width and height of a plot with axes


@dataclass(frozen=True, slots=True)
class Mark:
    """A value with its interval, 0 to 1, and what stands beside it."""

    label: str
    note: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """A series over a plot's x axis. `style` is its class: "a", "b" or "c"."""

    label: str
    style: str
    points: Sequence[tuple[float, float]]


def intervals(marks: Sequence[Mark], gate: float) -> Markup:
    """Draw each value as a dot with its interval, on 0 to 1, with a line where the gate is."""
    shapes = []
    for value in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _x(value)
        shapes.append(_line(x, 0, x, _ROW * len(marks), "grid"))
        shapes.append(_text(x, _ROW * len(marks) + 16, f"{value:g}", "tick middle"))
    shapes.append(_line(_x(gate), 0, _x(gate), _ROW * len(marks), "limit"))
    for row, mark in enumerate(marks):
        y = _ROW * row + _ROW / 2
        shapes.append(_text(0, y + 4, mark.label, ""))
        shapes.append(_text(WIDTH, y + 4, mark.note, "end"))
        if mark.low is not None and mark.high is not None:
            shapes.append(_line(_x(mark.low), y, _x(mark.high), y, "whisker"))
        shapes.append(_circle(_x(mark.value), y))
    return _svg(_ROW * len(marks) + 24, shapes)


def waterfall(total: int, losses: Mapping[str, int], rest: str) -> Markup:
    """Draw how `total` questions go down by what each stage lost, to those that are left."""
    steps = [("questions", 0, total, "all")]
    left = total
    for stage, count in losses.items():
        steps.append((stage, left - count, left, "lost"))
        left -= count
    steps.append((rest, 0, left, "kept"))
    shapes = []
    for row, (label, low, high, style) in enumerate(steps):
        y = _ROW * row
        note = f"-{high - low}" if style == "lost" and high > low else str(high - low)
        if row + 1 < len(steps):  # from where one bar ends to where the next one begins
            x = _x((low if style == "lost" else high) / max(total, 1))
            shapes.append(_line(x, y + 4, x, y + _ROW + 4, "grid"))
        shapes.append(_text(0, y + 16, label, "" if high > low else "faint"))
        left_edge, right_edge = _x(low / max(total, 1)), _x(high / max(total, 1))
        shapes.append(_rectangle(left_edge, y + 4, right_edge - left_edge, _ROW - 8, style))
        shapes.append(_text(WIDTH, y + 16, note, "end" if high > low else "end faint"))
    return _svg(_ROW * len(steps), shapes)


def bars(rows: Sequence[tuple[str, Sequence[float]]], unit: str) -> Markup:
    """Draw for each label its values as bars over each other, the largest one the palest."""
    most = max((max(values) for _, values in rows), default=0.0) or 1.0
    shapes = []
    for row, (label, values) in enumerate(rows):
        y = _ROW * row
        shapes.append(_text(0, y + 16, label, ""))
        for value, style in zip(sorted(values, reverse=True), _SHADES, strict=True):
            shapes.append(_rectangle(_x(0), y + 4, _x(value / most) - _x(0), _ROW - 8, style))
        note = " / ".join(f"{value:.0f}" for value in values)
        shapes.append(_text(WIDTH, y + 16, f"{note} {unit}", "end"))
    return _svg(_ROW * len(rows), shapes)


def plot(lines: Sequence[Line], *, x_label: str, limit: float | None = None) -> Markup:
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
        shapes.append(_text(place(limit, 0)[0] + 4, top + 10, f"now {limit:.2f}", "tick"))
    for row, line in enumerate(lines):
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in line.points)
        shapes.append(Markup('<polyline class="line {}" points="{}"/>').format(line.style, path))
        key = top + height + 52 + 18 * row
        shapes.append(_line(left, key - 4, left + 24, key - 4, f"line {line.style}"))
        shapes.append(_text(left + 32, key, line.label, ""))
    return _svg(top + height + 44 + 18 * len(lines), shapes)


def histogram(groups: Sequence[tuple[str, str, Sequence[float]]], *, bins: int = 30) -> list[Line]:
    """Return each group (label, class, values) as the outline of its shares in equal bins.

    Shares, 0 to 1, not counts: the groups differ in size. Empty groups are left out.
    """
    every = [value for _, _, values in groups for value in values]
    if not every:
        return []
    low, high = min(every), max(every)
    width = (high - low) / bins or 1.0
    lines = []
    for label, style, values in groups:
        if values:
            counts = [0] * bins
            for value in values:
                counts[min(int((value - low) / width), bins - 1)] += 1
            points = [(low, 0.0)]
            for index, count in enumerate(counts):
                share = count / len(values)
                points += [(low + index * width, share), (low + (index + 1) * width, share)]
            lines.append(Line(label, style, [*points, (low + bins * width, 0.0)]))
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


def _x(share: float) -> float:
    return _LABELS + (WIDTH - _LABELS - _NUMBERS) * share


def _svg(height: float, shapes: Sequence[Markup]) -> Markup:
    # The view box is wider than the drawing, so that dots and letters at its edge stay whole.
    start = Markup('<svg viewBox="-4 -4 {} {}" role="img">').format(WIDTH + 8, round(height + 8))
    return start + Markup("").join(shapes) + Markup("</svg>")


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> Markup:
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
        style, x1, y1, x2, y2
    )


def _rectangle(x: float, y: float, width: float, height: float, style: str) -> Markup:
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        style, x, y, width, height
    )


def _circle(x: float, y: float) -> Markup:
    return Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4.5"/>').format(x, y)


def _text(x: float, y: float, text: str, style: str) -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>').format(style, x, y, text)
