"""The answer for the page, step by step: what was found, the draft, and the answer as HTML."""

from collections.abc import Callable, Generator, Iterator

from pydantic import BaseModel, Field

from api.schema.answer import Answer
from api.schema.steps import Delta, SearchResults, Step
from retrieval.errors import RulesError


class Found(BaseModel):
    """What was found: the event `found`, the first one where something was searched."""

    question: str = Field(description="the question as it was searched")
    passages: int


class Rendered(BaseModel):
    """The answer as HTML that this server made: the event `answer`, the last one."""

    state: str = Field(description="answered, nearest or refused")
    html: str


Event = tuple[str, BaseModel]


def events(
    steps: Iterator[Step],
    rendered: Callable[[Answer], Rendered],
    problem: Callable[[RulesError], BaseModel],
) -> Generator[Event]:
    """Yield `found`, `draft` for each piece that a model writes, and `answer` or `error`.

    A RulesError of the first step is raised instead, since a status can still be sent then.
    Closing the events closes `steps`.
    """
    first = next(steps)
    try:
        yield _event(first, rendered)
        for step in steps:
            yield _event(step, rendered)
    except RulesError as error:
        yield "error", problem(error)
    finally:
        if isinstance(steps, Generator):
            steps.close()


def _event(step: Step, rendered: Callable[[Answer], Rendered]) -> Event:
    if isinstance(step, SearchResults):
        return "found", Found(question=step.question, passages=len(step.passages))
    return ("draft", step) if isinstance(step, Delta) else ("answer", rendered(step))
