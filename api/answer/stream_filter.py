"""Pass a draft on while it is written: whole claims, each as a check lets it through."""

import re
from collections.abc import Callable, Iterable, Iterator

from api.answer import written
from api.checks import claims
from api.llm.completion import Reply
from api.schema.steps import Delta

# What may be the end of a sentence or line; no address goes across one.
_END = re.compile(r"[.!?:;\]]\s+|\n")


def deltas(
    parts: Iterable[str | Reply], shown: Callable[[str], str], *, attempt: int = 1
) -> Iterator[Delta | Reply]:
    """Yield a model's draft by whole claims, numbered from 1, and in the end the reply.

    `shown` gets each claim with the space before it and returns what may be seen of it, "" for
    nothing: a link or a number is whole there, as it is not in the pieces that a model sends.
    Without a Reply at the end there is no answer: raises what `parts` raises.
    """
    raw, sent, number = "", 0, 0
    for part in parts:
        ended = isinstance(part, Reply)
        if isinstance(part, Reply):
            text = written.as_text(raw)
        else:
            raw += part
            if "}" not in part and written.is_object(raw):
                continue  # no claim has come to its end
            text = written.so_far(raw)
            if not _END.search(text, sent):
                continue
            text = text[: text.rstrip().rfind(" ") + 1]  # a word may be half a marker
        places = claims.places(text)[number:]
        for _, end in places if ended else places[:-1]:
            number += 1
            if words := shown(text[sent:end]):
                yield Delta(text=words, attempt=attempt, claim=number)
            sent = end
        if isinstance(part, Reply):
            yield part
            return
    raise AssertionError("a stream ended with neither a reply nor an error")
