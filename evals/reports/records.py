"""One question of a run as eval_results.jsonl holds it, and as its page shows it."""

from dataclasses import asdict

from api.answer.cards.card import Card
from api.answer.cards.render import text
from evals.labels.dataset import Question
from evals.measure.metrics import Needed, ScoredOutcome
from evals.measure.outcome import Outcome
from evals.measure.run import Run
from evals.measure.threshold import best_score
from retrieval.models import SearchResult

_AROUND = 2  # lines of the file before and after a gold
_LONGEST = 40  # lines of a gold that are kept
_TRACED = 10  # rows of the trace; those of the passages needed are kept wherever they stand


def lines(run: Run) -> list[dict[str, object]]:
    """Return every question of a run as JSON writes it."""
    return [record(run, item) for item in run.scored]


def record(run: Run, item: ScoredOutcome) -> dict[str, object]:
    """Return one question with what was returned, replied and measured."""
    outcome, judgement = item.outcome, item.outcome.judgement
    question, found = outcome.question, outcome.found
    return {
        **_asked(question),
        "hit": outcome.right,
        "refused": outcome.refused,
        "returned": judgement.hit if judgement else None,
        "rank": judgement.rank if judgement else None,
        "lost_at": outcome.lost_at,
        "detail": judgement.detail if judgement else "",
        **_reply(outcome),
        "forbidden": judgement.forbidden if judgement else (),
        "needed": [_needed(run, need) for need in item.needed],
        "metrics": dict(item.values),
        "best_score": best_score(outcome),
        "retrieved": _retrieved(found),
        "trace": _trace(item),
        "timings": asdict(found.timings),
    }


def _asked(question: Question) -> dict[str, object]:
    return {
        "id": question.id,
        "question": question.question,
        "history": list(question.history),
        "kind": question.kind,
        "answerable": question.answerable,
        "critical": question.critical,
        "expected": question.answer or question.why_unanswerable,
    }


def _retrieved(found: SearchResult) -> list[dict[str, object]]:
    return [
        {
            "path": hit.chunk.path,
            "heading": hit.chunk.heading,
            "first_line": hit.chunk.first_line,
            "last_line": hit.chunk.last_line,
            "score": hit.score,
            "text": hit.chunk.text,
        }
        for hit in found.hits
    ]


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
        "cards": [_card(card) for card in reply.cards],
    }


def _card(card: Card) -> dict[str, object]:
    return {
        "path": card.path,
        "heading": card.heading,
        "first_line": card.first_line,
        "last_line": card.last_line,
        "folded": card.folded,
        "badges": list(card.badges),
        "text": text(card),
    }


def _needed(run: Run, need: Needed) -> dict[str, object]:
    first, found = _excerpt(run, need)
    return {
        "path": need.gold.path,
        "quote": need.gold.quote,
        "lines": need.lines,
        "excerpt": {"first_line": first, "lines": found},
        "passage": need.passage,
        "rank": need.rank,
        "trace": asdict(need.candidate) if need.candidate else None,
    }


def _excerpt(run: Run, need: Needed) -> tuple[int, list[str]]:
    """The gold's lines with some around them, and the number of the first; none where it is not."""
    if need.lines is None:
        return 1, []
    first, last = need.lines
    text_of_file = run.files[need.gold.path].split("\n")
    start = max(first - _AROUND, 1)
    stop = min(min(last, first + _LONGEST) + _AROUND, len(text_of_file))
    return start, text_of_file[start - 1 : stop]


def _trace(item: ScoredOutcome) -> list[dict[str, object]]:
    needed = {need.passage for need in item.needed}
    rows = enumerate(item.outcome.found.trace, start=1)
    return [
        {"rank": rank, **asdict(row)}
        for rank, row in rows
        if rank <= _TRACED or row.chunk_id in needed
    ]
