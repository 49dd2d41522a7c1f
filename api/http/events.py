"""A streamed answer as events: what was found, the draft as it grows, the checked answer."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from pydantic import BaseModel

from api.schema.steps import Delta, SearchResults, Step
from retrieval.errors import RulesError

Event = tuple[str, BaseModel]


def events(
    steps: Generator[Step],
    told: Callable[[Step], Iterator[Event]],
    problem: Callable[[RulesError], BaseModel],
) -> Generator[Event]:
    """Yield what `told` makes of the steps of an answer: SearchResults, any Deltas, one Answer.

    A RulesError ends them with `error` and what `problem` makes of it: never both an error and an
    answer. One of the first step is raised instead, since a status can still be sent then.
    Closing the events closes `steps`.
    """
    first = next(steps)
    with closing(steps):
        try:
            yield from told(first)
            for step in steps:
                yield from told(step)
        except RulesError as error:
            yield "error", problem(error)


def of_step(step: Step) -> Iterator[Event]:
    """Yield `search_results`, `message`, or a `citation` for each one and `final_answer`."""
    if isinstance(step, SearchResults):
        yield "search_results", step
    elif isinstance(step, Delta):
        yield "message", step
    else:
        for citation in step.citations:
            yield "citation", citation
        yield "final_answer", step
