"""A scope of many chunks: more is asked for without it, and what it lacks is dropped here.

To send its row ids to the database costs more than all the rest of a search (docs/scale.md). The
result is the same: the best chunks of a scope are those of the whole list that are in it.
"""

from collections.abc import Callable
from math import ceil

from retrieval.index.store import ScoredChunk
from retrieval.models import Scope

_LEAST_SHARE = 0.2  # of the chunks; a smaller scope is sent
_MORE = 1.3  # times as many as would do if the scope's chunks stood evenly in the list


def best_of(
    scope: Scope, limit: int, ranked: Callable[[int], list[ScoredChunk]]
) -> list[ScoredChunk] | None:
    """Return the `limit` best chunks of a wide scope, or all where it has fewer in the list.

    `ranked` returns as many of the best chunks of the whole generation as it is asked for, fewer
    only where there are no more. None where the scope is not wide, or has too few among them: then
    it is to be sent.
    """
    if scope.share < _LEAST_SHARE:
        return None
    size = ceil(limit * _MORE / scope.share)
    found = ranked(size)
    kept = [one for one in found if one.row_id in scope.rows]
    return kept[:limit] if len(kept) >= limit or len(found) < size else None
