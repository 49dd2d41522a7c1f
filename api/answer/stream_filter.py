"""Pass a draft on while it is written: whole sentences, each as a check lets it through."""

import re
from collections.abc import Callable, Iterable, Iterator

from api.http.events import Delta
from api.llm.completion import Reply

# The end of a sentence or line with the space after it; no address goes across one.
_END = re.compile(r"[.!?:;]\s+|\n")


def deltas(
    parts: Iterable[str | Reply], shown: Callable[[str], str], *, attempt: int = 1
) -> Iterator[Delta | Reply]:
    """Yield a model's draft by whole sentences and in the end the reply.

    `shown` gets each sentence with the space after it and returns what may be seen of it, "" for
    nothing: a link or a number is whole there, as it is not in the pieces that a model sends.
    Without a Reply at the end there is no answer: raises what `parts` raises.
    """
    waiting = ""
    for part in parts:
        if isinstance(part, Reply):
            if text := shown(waiting):
                yield Delta(text=text, attempt=attempt)
            yield part
            return
        waiting += part
        ends = [match.end() for match in _END.finditer(waiting)]
        if ends and (text := shown(waiting[: ends[-1]])):
            yield Delta(text=text, attempt=attempt)
        waiting = waiting[ends[-1] :] if ends else waiting
    raise AssertionError("a stream ended with neither a reply nor an error")
