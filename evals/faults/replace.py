"""Break the product on purpose: a fault replaces public functions of it, for a while.

This is the one seam: what a fault touches is named by a dotted path, looked up and put back by
`unittest.mock.patch`, so the product knows nothing of it; a name that is gone is an error.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, Literal
from unittest.mock import patch

from retrieval.context import SearchContext
from retrieval.errors import ConfigurationError

Wrap = Callable[[Any], Any]  # from what stands there to what shall stand there
Ground = Literal["handbook", "rules", "answers"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """One thing to replace: its dotted path, as "retrieval.search.fuse", and by what."""

    target: str
    wrap: Wrap


@dataclass(frozen=True, slots=True)
class Fault:
    """A plausible way to break what people get: `swaps`, and `opened` of the context they ask.

    `must_turn_red` is the gate that has to see it. `index` tells that the vault has to be indexed
    with it. `ground` is where it is tried: search over the handbook, search over the rules (too
    slow for every push), or answers over the handbook; `model` is who answers there.
    """

    name: str
    must_turn_red: str
    swaps: tuple[Replacement, ...] = ()
    opened: Callable[[SearchContext], SearchContext] = lambda context: context
    index: bool = False
    ground: Ground = "handbook"
    model: str = "quotes"


def changed(target: str, change: Callable[[Any], Any]) -> Replacement:
    """Change what the function at `target` returns."""

    def wrap(function: Any) -> Any:
        return lambda *args, **options: change(function(*args, **options))

    return Replacement(target, wrap)


def always(target: str, value: object) -> Replacement:
    """Have the function at `target` return `value`, whatever it is given."""
    return Replacement(target, lambda _: lambda *args, **options: value)


@contextmanager
def applied(*swaps: Replacement) -> Iterator[None]:
    """Have these swaps in place, later ones around earlier ones, and put all back.

    Raises ConfigurationError naming a target that the product does not have (any more).
    """
    with ExitStack() as stack:
        for swap in swaps:
            try:
                original = resolve_name(swap.target)
            except (ImportError, AttributeError) as error:
                raise ConfigurationError(
                    f"sabotage has nothing to break at {swap.target}: {error}; mend evals/faults"
                ) from error
            stack.enter_context(patch(swap.target, swap.wrap(original)))
        yield
