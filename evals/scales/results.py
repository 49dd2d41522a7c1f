"""What was measured of one size, as lines of a table and as JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.reports import markdown
from evals.scales.programs import Running
from evals.scales.searches import Times

TABLES = ("entry", "posting", "chunk", "word", "chunk_bits")


@dataclass(frozen=True, slots=True)
class Size:
    """One size of the vault."""

    entries: int
    files: int
    questions: int
    hnsw_seconds: float  # to build the index of vectors; 0 where none is needed
    megabytes: Mapping[str, float]  # on the disk, by table, and of the index of vectors
    times: Mapping[str, Times]  # of the searches, by the way
    first: Mapping[str, Times]  # of as many questions right after the start
    right: Mapping[str, float]
    recalls: Mapping[str, Mapping[int, float]]
    running: Running

    def ratio(self, quantile: str, way: str = "whole", to: str = "sample") -> float:
        """Return the time of one way over another's; `quantile` is "p50" or "p95"."""
        return float(getattr(self.times[way], quantile) / getattr(self.times[to], quantile))


def lines(sizes: Sequence[Size]) -> list[str]:
    """Return a Markdown table of all sizes: a row for each figure, a column for each size."""
    rows: list[tuple[str, list[str]]] = [
        ("entries", [f"{one.entries:,}" for one in sizes]),
        ("files", [f"{one.files:,}" for one in sizes]),
        ("search p50, p95 in ms", [_ms(one.times["whole"]) for one in sizes]),
        ("the sample's in the same run", [_ms(one.times["sample"]) for one in sizes]),
        ("ratio of p50, p95", [f"{one.ratio('p50'):.2f}, {one.ratio('p95'):.2f}" for one in sizes]),
        (
            "right after a start, and the sample's",
            [f"{_ms(one.first['whole'])}; {_ms(one.first['sample'])}" for one in sizes],
        ),
        ("a gold file in the first 4", [f"{one.right['whole']:.3f}" for one in sizes]),
        ("the same in the sample", [f"{one.right['sample']:.3f}" for one in sizes]),
        ("recall@10, @50", [_recall(one, "") for one in sizes]),
    ]
    for way in [way for way in sizes[0].recalls if way]:
        rows.append((f"{way}: p50 over that without", [
            f"{one.ratio('p50', way, 'unfiltered'):.2f}" for one in sizes
        ]))  # fmt: skip
        rows.append((f"{way}: recall@10, @50", [_recall(one, way) for one in sizes]))
    rows += [
        ("seconds to build HNSW", [f"{one.hnsw_seconds:.0f}" for one in sizes]),
        *((f"MB of {name}", [f"{one.megabytes.get(name, 0):,.0f}" for one in sizes])
          for name in (*TABLES, "HNSW")),
    ]  # fmt: skip
    rows += [
        ("seconds until the API is ready", [f"{one.running.start_seconds:.0f}" for one in sizes]),
        ("MB of the API", [f"{one.running.api_megabytes:,.0f}" for one in sizes]),
        ("seconds from save to served", [
            ", ".join(f"{took:.1f}" for took in one.running.edit_seconds) for one in sizes
        ]),
    ]  # fmt: skip
    return markdown.table([("", *rows[0][1]), *((name, *cells) for name, cells in rows[1:])])


def save(path: Path, sizes: Sequence[Size]) -> None:
    """Write all figures as JSON."""
    path.write_text(json.dumps([asdict(one) for one in sizes], indent=1) + "\n", "utf-8")


def _ms(times: Times) -> str:
    return f"{times.p50:.0f}, {times.p95:.0f}"


def _recall(size: Size, way: str) -> str:
    return ", ".join(f"{share:.3f}" for share in size.recalls[way].values())
