"""The answer for the page, step by step: what was found, the draft, and the answer as HTML."""

from collections.abc import Callable, Iterator

from pydantic import BaseModel, Field

from api.http.events import Event
from api.schema.answer import Answer
from api.schema.steps import Delta, SearchResults, Step


class Found(BaseModel):
    """What was found: the event `found`, the first one where something was searched."""

    question: str = Field(description="the question as it was searched")
    passages: int


class Rendered(BaseModel):
    """The answer as HTML that this server made: the event `answer`, the last one."""

    state: str = Field(description="answered, nearest or refused")
    html: str


def of_step(step: Step, rendered: Callable[[Answer], Rendered]) -> Iterator[Event]:
    """Yield `found`, `draft` for a piece that a model writes, or `answer`."""
    if isinstance(step, SearchResults):
        yield "found", Found(question=step.question, passages=len(step.passages))
    elif isinstance(step, Delta):
        yield "draft", step
    else:
        yield "answer", rendered(step)
