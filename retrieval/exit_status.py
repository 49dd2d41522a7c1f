"""The exit status of a program: what its work returns, or 2 with the reason on stderr."""

import sys
from collections.abc import Callable, Mapping

from retrieval.errors import RulesError


def of(
    failed: str,
    work: Callable[[], int | None],
    *,
    unwritten: str = "",
    statuses: Mapping[type[RulesError], int] | None = None,
) -> int:
    """Do a program's work and return its exit status, 0 where it returns none.

    `failed` is the program's name, with what did not happen where that is more than the error says;
    `unwritten` is said instead where the system fails it, such as a full disk. An error is 2, or
    what `statuses` has for its type.
    """
    try:
        return work() or 0
    except RulesError as error:
        print(f"{failed}: {error}", file=sys.stderr)
        return (statuses or {}).get(type(error), 2)
    except OSError as error:
        print(f"{unwritten or failed}: {error}", file=sys.stderr)
        return 2
