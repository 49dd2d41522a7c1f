"""One question of a run as eval_results.jsonl holds it, and as its page shows it."""

from dataclasses import asdict

from api.answer.cards.render import text
from evals.labels.dataset import Question
from evals.measure import span_overlap
from evals.measure.metrics import Needed, needed
from evals.measure.outcome import Outcome
from evals.measure.run import Run
from evals.measure.summary import best_score
from retrieval.models import SearchResult

_PLACE = ("path", "heading", "first_line", "last_line")
_AROUND = 2  # lines of the file before and after a gold
_LONGEST = 40  # lines of a gold that are kept
_TRACED = 10  # rows of the trace; those of the passages needed are kept wherever they stand


def lines(run: Run) -> list[dict[str, object]]:
    """Return every question of a run as JSON writes it."""
    return [_record(run, outcome) for outcome in run.outcomes]


def _record(run: Run, outcome: Outcome) -> dict[str, object]:
    """One question with what was returned, replied and measured."""
    question, found, judgement = outcome.question, outcome.found, outcome.judgement
    wanted = needed(outcome, run.top_k)
    return {
        **_asked(question),
        "hit": outcome.right,
        **({"foreign": True} if run.foreign else {"refused": outcome.refused}),
        "returned": judgement.hit if judgement else None,
        "rank": judgement.rank if judgement else None,
        "lost_at": outcome.lost_at,
        "detail": judgement.detail if judgement else "",
        **_reply(outcome),
        "forbidden": judgement.forbidden if judgement else (),
        "needed": [_needed(run, found, need) for need in wanted],
        "metrics": dict(run.values.get(question.id, {})),
        "best_score": best_score(outcome),
        "retrieved": [
            {**_fields(hit.chunk, *_PLACE, "text"), "score": hit.score} for hit in found.hits
        ],
        "trace": _trace(found, {need.passage for need in wanted}),
        "timings": asdict(found.timings),
    }


def _asked(question: Question) -> dict[str, object]:
    return {
        **_fields(question, "id", "question", "history", "kind", "answerable", "critical"),
        "expected": question.answer or question.why_unanswerable,
    }


def _fields(item: object, *names: str) -> dict[str, object]:
    return {name: getattr(item, name) for name in names}


def _reply(outcome: Outcome) -> dict[str, object]:
    """What a person is shown; nothing where search alone was measured."""
    reply, shown = outcome.reply, outcome.shown
    if reply is None:
        return {}
    return {
        "certainty": reply.certainty,
        "confidence": reply.confidence,
        "first_card": shown.first if shown else None,
        "shown": shown.anywhere if shown else None,
        "words": shown.words if shown else None,
        "cards": [
            {**_fields(card, *_PLACE, "folded", "badges"), "text": text(card)}
            for card in reply.cards
        ],
    }


def _needed(run: Run, found: SearchResult, need: Needed) -> dict[str, object]:
    lines = span_overlap.lines(need.gold, run.page_of)
    first, excerpt = _excerpt(run, need.gold.path, lines)
    return {
        "path": need.gold.path,
        "quote": need.gold.quote,
        "lines": lines,
        "excerpt": {"first_line": first, "lines": excerpt},
        "passage": need.passage,
        "rank": need.rank,
        "trace": next((asdict(row) for row in found.trace if row.chunk_id == need.passage), None),
    }


def _excerpt(run: Run, path: str, lines: tuple[int, int] | None) -> tuple[int, list[str]]:
    """The gold's lines with some around them, and the number of the first; none where it is not."""
    if lines is None:
        return 1, []
    first, last = lines
    text_of_file = run.measured.files[path].split("\n")
    start = max(first - _AROUND, 1)
    stop = min(min(last, first + _LONGEST) + _AROUND, len(text_of_file))
    return start, text_of_file[start - 1 : stop]


def _trace(found: SearchResult, needed: set[str]) -> list[dict[str, object]]:
    rows = enumerate(found.trace, start=1)
    return [
        {"rank": rank, **asdict(row)}
        for rank, row in rows
        if rank <= _TRACED or row.chunk_id in needed
    ]
