"""What `evals.ablation` shows: the whole table, the few rows of it, the drawing, the lines."""

from collections.abc import Sequence
from html import escape
from statistics import fmean

from evals.stages.configurations import SHIPPED, ConfiguredSearch
from evals.stages.rows import AblationRow, Comparison, adjusted, compare
from retrieval.errors import ConfigurationError

_HEAD = (
    "configuration", "k", "hit@k", "MRR", "MRR against shipped (95 %)", "hits lost / won", "p",
    "against shipped", "refused: no answer / answer", "pieces returned", "p50 ms",
    "texts embedded", "token KB a chunk",
)  # fmt: skip
_RECORDED = ("hit", "rank", "lost_at", "refused", "late", "pieces", "milliseconds")
_NOTES = (
    "Hits are counted among the k passages returned, MRR over the whole order, so k and the "
    "threshold leave it as it is. p: exact McNemar of the hits, adjusted by Holm for all rows; the "
    "intervals are each row's own. Rows that change a stage or the chunks have no threshold, which "
    "belongs to the scores of the whole. Longer passages hold more: read a hit beside the word "
    "pieces returned. Milliseconds are this machine's."
)
# The rows that docs/evals.md shows, as who has not read the code would call them.
FEW_ROWS = {
    SHIPPED: "as shipped",
    "no-names": "without names and fields",
    "dense-text": "without these and late interaction",
    "dense-entries": "vectors of entries alone",
    "dense-chunks": "vectors of whole chunks alone",
    "fixed": "all stages over fixed 512-token chunks",
    "fixed-dense": "vectors of fixed 512-token chunks alone",
}


def table(rows: Sequence[AblationRow]) -> str:
    """Return the table in Markdown, the first row being the shipped one, with how to read it."""
    p_values = adjusted(rows)
    cells = [_cells(row, compare(rows[0], row), p_values[row.arm.name]) for row in rows]
    better = [line[0] for line in cells if line[_HEAD.index("against shipped")] == "better"]
    lines = [
        *_markdown(_HEAD, cells),
        "",
        f"Better than as shipped: {'; '.join(better) or 'none'}.",
    ]
    lines += ["", _NOTES]
    encoded = sorted({r.arm.title for r in rows for a in r.asked if a.late == "encoded"})
    if encoded:
        lines += ["", f"Token vectors did not fit RAG_TOKEN_STORAGE_MB: {'; '.join(encoded)}."]
    return "\n".join([*lines, ""])


def few_rows(rows: Sequence[AblationRow], dataset: str, split: str, measured: str) -> str:
    """Return the rows of FEW_ROWS in Markdown, with what they were measured on.

    `measured` is the day and the commit. Raises ConfigurationError where one of the rows is not
    among `rows`: a stage is off, and the document is about the whole. The
    links are for a document beside ablation.md.
    """
    by_name = {row.arm.name: row for row in rows}
    if missing := FEW_ROWS.keys() - by_name.keys():
        raise ConfigurationError(f"no rows {sorted(missing)} for the document; measure all of them")
    shipped = rows[0]
    head = (
        "configuration", f"hit@{shipped.arm.setup.top_k}", "MRR", "MRR against shipped (95 %)",
        "p50 of search", "texts embedded", "vectors of words",
    )  # fmt: skip
    cells = [
        [
            title,
            f"{fmean(asked.hit for asked in row.answerable):.3f}",
            f"{row.mrr:.3f}",
            "" if row is shipped else str(compare(shipped, row)),
            f"{row.p50:.0f} ms",
            f"{row.index.texts:,}",
            f"{row.token_bytes / 1000:.0f} KB a chunk" if row.token_bytes else "none",
        ]
        for row, title in ((by_name[name], title) for name, title in FEW_ROWS.items())
    ]
    about = (
        f"What each part is worth on {dataset}, split {split}, {len(shipped.answerable)} "
        f"answerable questions, from `make ablation` on {measured}; [all rows](ablation.md), "
        "[drawn](ablation.svg):"
    )
    return "\n".join([about, "", *_markdown(head, cells)])


def lines(rows: Sequence[AblationRow]) -> list[dict[str, object]]:
    """Return every question, as JSON writes it, with what every row did with it."""
    return [
        {
            "id": asked.question.id,
            "question": asked.question.question,
            "rows": {row.arm.name: _recorded(row.asked[number]) for row in rows},
        }
        for number, asked in enumerate(rows[0].asked)
    ]


def svg(rows: Sequence[AblationRow]) -> str:
    """Draw each row's difference of MRR with its interval: text, so that no library is needed."""
    compared = [compare(rows[0], row) for row in rows]
    reach = max(0.05, *(abs(end) for one in compared for end in one.interval))
    height, middle, scale = 26 * len(rows) + 60, 480, 200 / reach
    shapes = [f'<path d="M{middle} 34V{height - 22}" stroke="#999"/>']
    for number, (row, one) in enumerate(zip(rows, compared, strict=True)):
        y, x = 26 * number + 48, middle + scale * one.difference
        low, high = (middle + scale * end for end in one.interval)
        hits = fmean(asked.hit for asked in row.answerable)
        shapes += [
            _text(12, y + 5, row.arm.title),
            f'<path d="M{low:.1f} {y}H{high:.1f}" stroke="#357" stroke-width="2"/>',
            f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="#357"/>',
            _text(710, y + 5, f"{one.difference:+.3f}   hit@{row.arm.setup.top_k} {hits:.3f}"),
        ]
    shapes += [_text(12, 20, "Difference of MRR to the shipped configuration, 95 % interval")]
    shapes += [_text(middle + scale * v - 18, height - 6, f"{v:+.2f}") for v in (-reach, 0, reach)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" '
        f'font-family="sans-serif" font-size="14"><rect width="100%" height="100%" fill="#fff"/>'
        + "".join(shapes) + "</svg>\n"
    )  # fmt: skip


def _markdown(head: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *cells)]


def _cells(row: AblationRow, compared: Comparison, p_value: float) -> list[str]:
    answerable = row.answerable
    other = [asked for asked in row.asked if not asked.question.answerable]
    hits = sum(asked.hit for asked in answerable)
    return [
        row.arm.title,
        str(row.arm.setup.top_k),
        f"{hits}/{len(answerable)} = {hits / len(answerable):.3f}",
        f"{row.mrr:.3f}",
        str(compared),
        f"{compared.lost} / {compared.won}",
        f"{p_value:.3f}",
        "itself" if row.arm.name == SHIPPED else compared.verdict(p_value),
        f"{_refused(other)} / {_refused(answerable)}",
        f"{fmean(asked.pieces for asked in row.asked):.0f}",
        f"{row.p50:.0f}",
        f"{row.index.texts:,}",
        f"{row.token_bytes / 1000:.1f}",
    ]


def _refused(asked: Sequence[ConfiguredSearch]) -> str:
    return f"{sum(one.refused for one in asked)} of {len(asked)}"


def _recorded(asked: ConfiguredSearch) -> dict[str, object]:
    return {name: getattr(asked, name) for name in _RECORDED}


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#222">{escape(text)}</text>'
