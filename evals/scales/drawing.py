"""A picture of what grows with a vault and what does not, as an SVG that stands alone."""

from collections.abc import Sequence
from math import log10
from pathlib import Path

from evals.reports.plot import Curve, plot
from evals.scales.results import Size

_STYLE = (
    "<style>.plot{font:12px sans-serif;background:#fff}.line{fill:none;stroke-width:2}"
    ".a{stroke:#1f5fa8}.b{stroke:#b3541e}.c{stroke:#3b7d3b}.grid{stroke:#ddd}"
    "text{fill:#333}.end{text-anchor:end}.middle{text-anchor:middle}</style>"
)


def draw(path: Path, sizes: Sequence[Size]) -> None:
    """Write the SVG: p95 of a search, that of the sample, and the way of an edit."""
    series = {
        "p95 of a search, s": [one.times["whole"].p95 / 1000 for one in sizes],
        "that of the sample in the same run, s": [one.times["sample"].p95 / 1000 for one in sizes],
        "from a file's save until a search shows it, s": [
            max(one.running.edit_seconds) for one in sizes
        ],
    }
    across = [log10(one.entries) for one in sizes]
    curves = [
        Curve(label, style, list(zip(across, heights, strict=True)))
        for (label, heights), style in zip(series.items(), "abc", strict=True)
    ]
    drawn = str(plot(curves, x_label="entries, as a power of ten"))
    head, rest = drawn.split(">", 1)
    namespace = head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    path.write_text(f"{namespace}>{_STYLE}{rest}\n", "utf-8")
