"""Faults of answers: what happens to a reply behind search, and to the prompt before it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from api.answer import prompt
from api.schema.answer import Answer
from api.schema.passages import Citation
from evals.answers.collect import QUOTES
from evals.faults.replace import Replacement
from retrieval.context import SearchContext

_ASK = "evals.answers.collect.ask"
_GUARD = "api.checks.guard.findings.check"
_REFUSING = ("do not hold the answer", prompt.REFUSAL)  # lines of the prompt that say how


@dataclass(frozen=True, slots=True)
class AnswerFault:
    """A plausible way to break answers. `model` is who answers while it is in place."""

    name: str
    swaps: tuple[Replacement, ...]
    model: str = QUOTES


def _changed(change: Callable[[Answer], Answer]) -> Replacement:
    """Change every reply behind all checks, as a fault of the last step would."""

    def wrap(ask: Any) -> Any:
        def wrong(*args: Any, **options: Any) -> Answer:
            return change(ask(*args, **options))

        return wrong

    return Replacement(_ASK, wrap)


def _always_answered(ask: Any) -> Any:
    """No threshold, and what would be refused is answered with the first passage."""

    def wrong(context: SearchContext, *args: Any, **options: Any) -> Answer:
        reply: Answer = ask(replace(context, threshold=-math.inf), *args, **options)
        if not reply.refused:
            return reply
        text = reply.passages[0].text if reply.passages else "Yes."
        return reply.model_copy(update={"refused": False, "refusal_reason": None, "answer": text})

    return wrong


def _always_refused(reply: Answer) -> Answer:
    refusal = {"refused": True, "refusal_reason": "no_passage", "answer": prompt.REFUSAL}
    return reply.model_copy(update={**refusal, "citations": []})


def _one_line_off(reply: Answer) -> Answer:
    """Every citation one line too low."""
    moved = [
        one.model_copy(update={"first_line": one.first_line + 1, "last_line": one.last_line + 1})
        for one in reply.citations
    ]
    return reply.model_copy(update={"citations": moved})


def _shifted(reply: Answer) -> Answer:
    """Every marker with the next passage's first line behind it."""
    if not reply.passages:
        return reply
    return reply.model_copy(update={"citations": [_next(one, reply) for one in reply.citations]})


def _next(cited: Citation, reply: Answer) -> Citation:
    at = next((n for n, one in enumerate(reply.passages) if one.path == cited.path
               and one.first_line <= cited.first_line <= one.last_line), 0)  # fmt: skip
    other = reply.passages[(at + 1) % len(reply.passages)]
    quote = other.text.split("\n")[0]
    place = {"path": other.path, "first_line": other.first_line, "last_line": other.first_line}
    return cited.model_copy(update={**place, "quote": quote})


def _numbers_altered(reply: Answer) -> Answer:
    """Every digit of the text one higher, but those of its markers."""
    text, inside = "", False
    for character in reply.answer:
        inside = character == "[" or (inside and character != "]")
        altered = str((int(character) + 1) % 10) if character in "0123456789" else character
        text += character if inside else altered
    return reply.model_copy(update={"answer": text})


def _unguarded(check: Any) -> Any:
    return lambda *args, **options: ()


def _without_refusal(messages: Any) -> Any:
    """The prompt without the lines that say when and how to refuse."""

    def wrong(*args: Any, **options: Any) -> list[dict[str, str]]:
        made: list[dict[str, str]] = messages(*args, **options)
        return [{**one, "content": _without(one["content"])} for one in made]

    return wrong


def _without(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not any(part in line for part in _REFUSING))


ANSWER_FAULTS = (
    AnswerFault("always answer", (Replacement(_ASK, _always_answered),)),
    AnswerFault("always refuse", (_changed(_always_refused),)),
    AnswerFault("citations one line off", (_changed(_one_line_off),)),
    AnswerFault("citations shifted by one", (_changed(_shifted),), model="right"),
    AnswerFault("numbers altered in quotes", (_changed(_numbers_altered),)),
    AnswerFault("numbers altered in answers", (_changed(_numbers_altered),), model="right"),
    AnswerFault("guard off", (Replacement(_GUARD, _unguarded),), model="welded"),
    AnswerFault(
        "prompt without refusal",
        (Replacement("api.answer.prompt.messages", _without_refusal),),
        model="right",
    ),
)
