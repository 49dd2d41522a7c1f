"""A question as a page shows it: what came of it, its gold lines, and what came instead."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Json = Mapping[str, Any]  # a row of a run, as eval_results.jsonl holds it
# What may come of a question, in the order of the page: those to look at first.
RESULTS: Mapping[str, str] = {
    "missed": "missed",
    "replied": "no answer exists, not refused",
    "found": "found and shown",
    "refused": "no answer exists, refused",
}
FOREIGN: Mapping[str, str] = {"missed": "missed", "found": "found"}  # shows and refuses nothing
SIGNS: Mapping[str, str] = {"missed": "✕", "replied": "!", "found": "✓", "refused": "✓"}


class ReportLine(NamedTuple):
    """A line of a file; `number` is 0 where it has none, `gold` where the answer stands in it."""

    number: int
    text: str
    gold: bool


class Excerpt(NamedTuple):
    """Lines under the words that say where they stand."""

    title: str
    note: str
    lines: tuple[ReportLine, ...]

    @property
    def gold(self) -> bool:
        """Whether the answer stands in any of them."""
        return any(line.gold for line in self.lines)


class Question(NamedTuple):
    """A row of a run with what is opened under it."""

    row: Json
    result: str  # a key of RESULTS
    word: str
    flip: str  # "fixed", "broken" or "": against what it is compared with
    golds: tuple[Excerpt, ...]
    passages: tuple[Excerpt, ...]
    needed: frozenset[str]  # passages that hold a gold that is needed


def questions(rows: Iterable[Json], comparison: Json | None) -> list[Question]:
    """Return the questions, those to look at first, and of them the critical ones.

    `comparison` names those that were broken and fixed since a baseline.
    """
    found = [_question(row, comparison or {"broken": (), "fixed": ()}) for row in rows]
    order = list(RESULTS)
    return sorted(found, key=lambda one: (order.index(one.result), not one.row["critical"]))


def _question(row: Json, comparison: Json) -> Question:
    result, words = _result(row), FOREIGN if row.get("foreign") else RESULTS
    return Question(
        row=row,
        result=result,
        word=f"lost at {row['lost_at']}" if row["lost_at"] else words[result],
        flip=next((word for word in ("fixed", "broken") if row["id"] in comparison[word]), ""),
        golds=tuple(_gold(need) for need in row["needed"]),
        passages=tuple(_passages(row)),
        needed=frozenset(need["passage"] for need in row["needed"]),
    )


def _result(row: Json) -> str:
    """What came of a question, a key of RESULTS."""
    if row["answerable"]:
        return "found" if row["hit"] else "missed"
    return "refused" if row["hit"] else "replied"


def _gold(need: Json) -> Excerpt:
    if need["lines"] is None:
        note = "this quote stands nowhere in the file" if need["quote"] else "the whole file"
        quoted = [ReportLine(0, text, True) for text in need["quote"].split("\n") if text]
        return Excerpt(need["path"], note, tuple(quoted))
    first, last = need["lines"]
    shown = enumerate(need["excerpt"]["lines"], start=need["excerpt"]["first_line"])
    lines = tuple(ReportLine(number, text, first <= number <= last) for number, text in shown)
    note = "" if need["rank"] is None else f"at rank {need['rank']}"
    return Excerpt(f"{need['path']}:{first}", note or "in no ranking", lines)


def _passages(row: Json) -> Iterator[Excerpt]:
    spans = [(need["path"], *need["lines"]) for need in row["needed"] if need["lines"]]
    for hit in row["retrieved"]:
        shown = enumerate(hit["text"].split("\n"), start=hit["first_line"])
        yield Excerpt(
            f"{hit['path']}:{hit['first_line']}",
            f"{hit['heading']} · {hit['score']:.3f}",
            tuple(ReportLine(n, text, _in(spans, hit["path"], n)) for n, text in shown),
        )


def _in(spans: Sequence[tuple[Any, ...]], path: str, number: int) -> bool:
    return any(path == file and first <= number <= last for file, first, last in spans)
