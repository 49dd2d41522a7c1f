"""Read aliases.yaml: what people call a thing, and what the rules call it, checked line by line.

PC: player character
MFA: [two-factor sign-in, second factor]
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile

import yaml
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from retrieval.errors import FileRejectedError
from retrieval.models import Aliases
from retrieval.text.words import WORD, alias_key

_MOST = 1_000  # aliases of a file: a question is compared with all of them
_LONGEST = 60  # characters of an alias or a meaning: they stand in a question
_DEEPEST = 2  # the mapping, and a list of meanings in it
_AROUND = (StreamStartEvent, StreamEndEvent, DocumentStartEvent, DocumentEndEvent)
_FORM = "write `alias: meaning`, or `alias: [meaning, meaning]`"


def parse(path: str, text: str) -> Aliases:
    """Return the meanings of each alias of the file at `path`, by `alias_key`.

    Raises FileRejectedError naming the line where it is something else, where an alias stands there
    twice, has no letter or digit, is its own meaning or too long, and where there are too many.
    """
    found: dict[str, tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    for line, alias, meanings in _pairs(path, _events(path, text)):
        name = alias_key(alias)
        if name in found:
            raise _rejected(path, line, f"{alias!r} stands in line {lines[name]} already")
        if name in map(alias_key, meanings):
            raise _rejected(path, line, f"{alias!r} is given as its own meaning")
        if len(found) == _MOST:
            raise _rejected(path, line, f"a file has at most {_MOST:,} aliases")
        found[name], lines[name] = meanings, line
    return found


def merged(files: Sequence[Aliases]) -> Aliases:
    """Return the aliases of several folders: one that several have means all that it does there."""
    found: dict[str, tuple[str, ...]] = {}
    for aliases in files:
        for name, meanings in aliases.items():
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *meanings)))
    return found


def _events(path: str, text: str) -> Sequence[Event]:
    """The file flat, whatever is nested in it, without what stands around its one mapping."""
    try:
        events = list(_flat(path, text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or " ".join(str(error).split())
        raise _rejected(path, mark.line + 1 if mark else 1, f"not YAML: {reason}") from error
    if not events or (len(events) == 1 and isinstance(events[0], ScalarEvent)):
        if events and _value(events[0]):
            raise _rejected(path, _line(events[0]), _FORM)
        return []  # nothing but comments
    if not isinstance(events[0], MappingStartEvent):
        raise _rejected(path, _line(events[0]), _FORM)
    return events[1:-1] if isinstance(events[-1], MappingEndEvent) else events[1:]


def _flat(path: str, text: str) -> Iterator[Event]:
    """The events one by one, up to the first that is nested deeper than a list of meanings.

    The parser's time grows with the square of the depth: 50,000 brackets would take minutes.
    """
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > _DEEPEST:
            raise _rejected(path, _line(event), f"nested too deep; {_FORM}")
        if not isinstance(event, _AROUND):
            yield event


def _pairs(path: str, events: Sequence[Event]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    rest = iter(events)
    for event in rest:
        alias, value = _words(path, event), next(rest)
        listed = [value]
        if isinstance(value, SequenceStartEvent):
            listed = list(takewhile(lambda one: not isinstance(one, SequenceEndEvent), rest))
        if not listed:
            raise _rejected(path, _line(value), f"{alias!r} has no meaning; {_FORM}")
        yield _line(event), alias, tuple(_words(path, one) for one in listed)


def _words(path: str, event: Event) -> str:
    words = " ".join(_value(event).split())
    if not WORD.search(words):
        raise _rejected(path, _line(event), f"{words!r} holds no word; {_FORM}")
    if len(words) > _LONGEST:
        size = f"{len(words)} characters, over {_LONGEST}"
        raise _rejected(path, _line(event), f"{words[:_LONGEST]!r} … has {size}; shorten it")
    return words


def _value(event: Event) -> str:
    return event.value if isinstance(event, ScalarEvent) else ""


def _line(event: Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _rejected(path: str, line: int, reason: str) -> FileRejectedError:
    return FileRejectedError(path, f"line {line}: {reason}")
