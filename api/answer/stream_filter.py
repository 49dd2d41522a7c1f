"""Pass a draft on while it is written: whole sentences, each as a check lets it through."""

import re
from collections.abc import Callable, Generator, Iterable

from api.http.events import Delta
from api.llm.completion import Reply

# The end of a sentence or line with the space after it; no address goes across one.
_END = re.compile(r"[.!?:;]\s+|\n")


def deltas(
    parts: Iterable[str | Reply], shown: Callable[[str], str], *, attempt: int = 1
) -> Generator[Delta, None, Reply]:
    """Yield a model's draft by whole sentences and return the reply that ends it.

    `shown` gets each sentence with the space after it and returns what may be seen of it, "" for
    nothing: a link or a number is whole there, as it is not in the pieces that a model sends.
    Without a Reply at the end there is no answer: raises what `parts` raises.
    """
    waiting = ""
    for part in parts:
        if isinstance(part, Reply):
            yield from _delta(shown(waiting), attempt)
            return part
        waiting += part
        ends = [match.end() for match in _END.finditer(waiting)]
        if ends:
            yield from _delta(shown(waiting[: ends[-1]]), attempt)
            waiting = waiting[ends[-1] :]
    raise AssertionError("a stream ended with neither a reply nor an error")


def _delta(text: str, attempt: int) -> Generator[Delta]:
    if text:
        yield Delta(text=text, attempt=attempt)
