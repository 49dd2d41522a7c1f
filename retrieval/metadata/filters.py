"""Filters: a JSON object that says of which files a question is answered.

    {"status": "current"}                          equal; of a list: it contains this
    {"edition": {"gte": 2, "not": 3}}              all of them hold
    {"tags": {"in": ["combat", "magic"]}}          one of them is equal
    {"path": {"prefix": "5. Adventures/"}}         a folder
    {"or": [{…}, {"and": [{…}, {"not": {…}}]}]}    filters of filters

A file that does not state a field meets no condition on it but "not".
"""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any

from retrieval.errors import FilterError
from retrieval.metadata.schema import PATH, RESERVED, FieldType, Schema, Value, value

Given = Mapping[str, Any]  # a filter as it is asked for, JSON
Predicate = Callable[[Mapping[str, Value]], bool]  # of a file's values by field

_DEEPEST = 20  # objects and lists within each other
_MOST = 1_000  # values, objects and lists of a filter
_MOST_NAMED = 20  # fields
_LONGEST = 300  # characters of a value
_LARGEST = 10**30  # a number
_RANGES: dict[str, Callable[[Any, Any], bool]] = {"gte": ge, "gt": gt, "lte": le, "lt": lt}
_OPERATORS = ("eq", "not", "in", *_RANGES, "prefix")


def parse(given: object, schema: Schema) -> Predicate:
    """Return what tells whether a file passes a filter.

    Raises FilterError for a field that the schema does not have, naming the nearest, for an
    operator or a value that does not fit the field's type, and for a filter that is too large.
    """
    _check_size(given)
    return _parsed(given, schema)


def in_words(given: Given) -> str:
    """Return a filter as "edition 2, status current"; "" where it asks for more than equality.

    A folder is said by its path. Raises nothing for a filter that `parse` takes.
    """
    said = []
    for name, wanted in given.items():
        demands = wanted if isinstance(wanted, Mapping) else {"eq": wanted}
        if (
            name in {"and", "or", "not"}
            or len(demands) != 1
            or not demands.keys() <= {"eq", "prefix"}
        ):
            return ""
        (operand,) = demands.values()
        shown = str(operand).lower() if isinstance(operand, bool) else str(operand)
        said.append(shown if name == PATH else f"{name} {shown}")
    return ", ".join(said)


def _check_size(given: object) -> None:
    level, size = [given], 0
    for _ in range(_DEEPEST):
        level = [
            inside
            for one in level
            if isinstance(one, Mapping | list | tuple)
            for inside in (one.values() if isinstance(one, Mapping) else one)
        ]
        size += len(level)
        if not level:
            return
        if size > _MOST:
            raise FilterError(f"the filter holds more than {_MOST:,} values; ask for less at once")
    raise FilterError(f"the filter is nested more than {_DEEPEST} deep; write it flatter")


def _parsed(given: object, schema: Schema) -> Predicate:
    if not isinstance(given, Mapping):
        raise FilterError(f'{_shown(given)} is no filter; write an object: {{"FIELD": VALUE}}')
    demands: list[Predicate] = []  # that all hold
    for name, wanted in given.items():
        if name == "not":
            demands.append(_negated(_parsed(wanted, schema)))
        elif name in {"and", "or"}:
            parts = [_parsed(one, schema) for one in _list(name, wanted)]
            demands.append(_all(parts) if name == "and" else _any(parts))
        else:
            demands += _of_field(name, wanted, schema)
    return _all(demands)


def _of_field(name: str, wanted: object, schema: Schema) -> Iterator[Predicate]:
    kind = schema.get(name)
    if kind is None:
        fields_alone = sorted({*schema, PATH})
        near = difflib.get_close_matches(str(name), RESERVED, n=1, cutoff=0.5)
        near += difflib.get_close_matches(str(name), fields_alone, n=1, cutoff=0.0)
        fields = ", ".join(list(schema)[:_MOST_NAMED]) + (
            ", …" if len(schema) > _MOST_NAMED else ""
        )
        raise FilterError(
            f"no file has a field {_shown(name)}; do you mean {near[0]!r}? The fields are {fields}"
        )
    operators = wanted if isinstance(wanted, Mapping) else {"eq": wanted}
    for operator, operand in operators.items():
        yield _stated(name, _compared(name, kind, operator, operand), negated=operator == "not")


def _compared(
    name: str, kind: FieldType, operator: object, operand: object
) -> Callable[[Any], bool]:
    """What compares a file's value with the operand; of "not" what it denies."""
    if operator in {"eq", "not"}:
        return _equal(_read(name, kind, operand))
    if operator == "in":
        return _among(frozenset(_read(name, kind, one) for one in _list(f"{name}: in", operand)))
    if operator == "prefix" and kind == "path":
        beginning = str(_read(name, kind, operand))
        return lambda stated: stated.startswith(beginning)
    if operator in _RANGES and kind in {"number", "date"}:
        compare, limit = _RANGES[str(operator)], _read(name, kind, operand)
        return lambda stated: compare(stated, limit)
    if operator not in _OPERATORS:
        raise FilterError(
            f"{name}: {_shown(operator)} is no operator; there are {', '.join(_OPERATORS)}"
        )
    fitting = PATH if operator == "prefix" else "numbers and dates"
    raise FilterError(f"{name}: {operator} is for {fitting}; {name} is a {kind}")


def _read(name: str, kind: FieldType, operand: object) -> Value:
    """The operand as a value of the field's type, read as one of the front matter is."""
    text = None
    if kind == "path" and not isinstance(operand, str):
        pass  # every file's is a string: a number is a slip
    elif isinstance(operand, bool):
        text = "true" if operand else "false"
    elif isinstance(operand, int | float) and abs(operand) < _LARGEST:  # NaN is not
        text = format(Decimal(repr(operand)), "f")
    elif isinstance(operand, str):
        text = operand
    if text is not None and len(text) <= _LONGEST:
        read = value("string" if kind == "list of strings" else kind, text)
        if read is not None:
            return read
    kind = "string" if kind == "list of strings" else kind
    hint = '; write {"in": [...]}' if isinstance(operand, list) else ""
    raise FilterError(
        f"{name}: {_shown(operand)} is no {kind} of up to {_LONGEST} characters{hint}"
    )


def _list(name: str, given: object) -> Sequence[object]:
    if not isinstance(given, list | tuple) or not given:
        raise FilterError(f"{name} takes a list of one or more, not {_shown(given)}")
    return given


def _equal(wanted: Value) -> Callable[[Any], bool]:
    return lambda stated: wanted in stated if isinstance(stated, tuple) else stated == wanted


def _among(wanted: frozenset[Value]) -> Callable[[Any], bool]:
    return lambda stated: not wanted.isdisjoint(stated if isinstance(stated, tuple) else (stated,))


def _stated(name: str, holds: Callable[[Any], bool], *, negated: bool) -> Predicate:
    def predicate(values: Mapping[str, Value]) -> bool:
        return (name in values and holds(values[name])) is not negated

    return predicate


def _all(parts: Sequence[Predicate]) -> Predicate:
    return lambda values: all(part(values) for part in parts)


def _any(parts: Sequence[Predicate]) -> Predicate:
    return lambda values: any(part(values) for part in parts)


def _negated(part: Predicate) -> Predicate:
    return lambda values: not part(values)


def _shown(given: object) -> str:
    if isinstance(given, Mapping | list | tuple):
        return "an object" if isinstance(given, Mapping) else f"a list of {len(given)}"
    if isinstance(given, int) and abs(given) >= _LARGEST:  # Python refuses to print very long ones
        return "a number of more than 30 digits"
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:80]}…"
