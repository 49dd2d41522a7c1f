"""A streamed answer as events: what was found, the draft as it grows, the checked answer."""

from collections.abc import Callable, Generator, Iterator
from typing import Literal

from pydantic import BaseModel

from api.schema.steps import Delta, SearchResults, Step
from retrieval.errors import RulesError

EventName = Literal["search_results", "message", "citation", "final_answer", "error"]
Event = tuple[EventName, BaseModel]


def events(steps: Iterator[Step], problem: Callable[[RulesError], BaseModel]) -> Generator[Event]:
    """Yield the events of an answer whose steps are SearchResults, any Deltas, and one Answer.

    The last event is `final_answer`, after a `citation` for each citation of it, or `error`,
    with what `problem` makes of the RulesError: never both, and no answer after an error. A
    RulesError of the first step is raised instead, since a status can still be sent then.
    Closing the events closes `steps`.
    """
    first = next(steps)
    try:
        yield from _of_step(first)
        for step in steps:
            yield from _of_step(step)
    except RulesError as error:
        yield "error", problem(error)
    finally:
        _close(steps)


def _of_step(step: Step) -> Iterator[Event]:
    if isinstance(step, SearchResults):
        yield "search_results", step
    elif isinstance(step, Delta):
        yield "message", step
    else:
        for citation in step.citations:
            yield "citation", citation
        yield "final_answer", step


def _close(steps: Iterator[Step]) -> None:
    if isinstance(steps, Generator):
        steps.close()
