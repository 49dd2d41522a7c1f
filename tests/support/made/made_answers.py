"""Replies made by hand, over the small vault that the tests share."""

from typing import Any

from api.schema.answer import Answer
from api.schema.passages import Citation, Passage
from api.schema.usage import AnswerTimings, Usage
from evals.answers.collect import Answered
from evals.labels.dataset import Gold, Question
from tests.conftest import RULES

TORCH = ("1. Light/Torches.md", 3, "A torch burns for one hour.")
AXE = ("2. Arms/Weapons.md", 5, "| Battle axe | 7 | 1d8 |")
FALL = ("2. Arms/Hazards.md", 5, "A fall deals 1d6 for each 10' fallen.")
Place = tuple[str, int, str]


def asked(kind: str, *golds: Place, name: str = "q", **values: Any) -> Question:
    """A question with these golds as its one place."""
    place = tuple(Gold(path, quote) for path, _, quote in golds)
    row: dict[str, Any] = {
        "line": 1, "id": name, "question": f"What of {name}?", "kind": kind, "answer": "",
        "places": (place,) if place else (), "split": "calibration", "critical": False,
        "must_include": (), "must_not_include": (), "why_unanswerable": "", "absent": (),
        "history": (), "forbidden": (),
    }  # fmt: skip
    return Question(**{**row, **values})


def cited(place: Place, marker: int = 1) -> Citation:
    """A citation of one line."""
    path, line, quote = place
    return Citation(marker=marker, path=path, heading="", first_line=line, last_line=line,
                    quote=quote, score=1.0)  # fmt: skip


def reply(text: str, *places: Place, mode: Any = "model", **values: Any) -> Answer:
    """An answer that cites these lines, each out of a passage that is its whole file."""
    citations = [cited(place, marker) for marker, place in enumerate(places, start=1)]
    passages = [
        Passage(path=path, heading="", first_line=1, last_line=RULES[path].count("\n") + 1,
                text=RULES[path], context="", score=1.0)
        for path, _, _ in places
    ]  # fmt: skip
    row: dict[str, Any] = {
        "answer": text, "refused": False, "refusal_reason": None, "mode": mode,
        "citations": citations, "passages": passages, "usage": Usage(), "generation": "1.1",
        "timings": AnswerTimings(embed_ms=1, search_ms=1, rerank_ms=0, generate_ms=0, total_ms=2),
        "request_id": "",
    }  # fmt: skip
    return Answer.model_construct(**{**row, **values})


def refusal(reason: str = "no_passage") -> Answer:
    """A refusal."""
    return reply("No.", refused=True, refusal_reason=reason)


def answered(question: Question, given: Answer | None, **values: Any) -> Answered:
    """A question with its reply; without one it is an error."""
    error = "" if given else "no language model at http://127.0.0.1:1"
    return Answered(question, given, error, **values)
