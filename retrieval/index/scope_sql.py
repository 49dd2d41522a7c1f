"""How a query is told which chunks of a generation it may look at."""

from typing import LiteralString

from retrieval.models import Scope


def condition(scope: Scope, column: LiteralString) -> LiteralString:
    """Return SQL that tells whether `scope` has a chunk of its generation.

    `column` is the chunk's row id. The parameter `rows` is to be what `rows` returns; the query
    keeps to the generation itself.
    """
    if scope.left_out is None:
        return f"{column} = ANY(%(rows)s::bigint[])"
    return f"{column} <> ALL(%(rows)s::bigint[])"


def rows(scope: Scope) -> str:
    """Return the array that `condition` compares with: the shorter one of the two."""
    return scope.chunks if scope.left_out is None else scope.left_out
