"""The schema of a vault's metadata: which fields its files state, and of which type they are.

A value is kept as it is written. A field has the type that most of its files write; a value that is
of another type counts as not stated.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Literal

Metadata = Mapping[str, str | tuple[str, ...]]  # of a file: what its front matter says, by field
FieldType = Literal["string", "number", "date", "boolean", "list of strings", "path"]
Schema = Mapping[str, FieldType]
Value = str | Decimal | date | bool | tuple[str, ...]

PATH = "path"  # the field that every file has: below the vault, with "/"
RESERVED = frozenset({PATH, "and", "or", "not"})  # names that a filter has for something else
_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_WIDTH = {"list of strings": 2, "string": 1}  # a string is a list of one
_BOOLEANS = {"true": True, "false": False}


def as_stored(metadata: Mapping[str, str | list[str]]) -> Metadata:
    """Return metadata as it stands in the index: JSON has lists for tuples."""
    return {name: tuple(one) if isinstance(one, list) else one for name, one in metadata.items()}


def infer(files: Iterable[Metadata]) -> Schema:
    """Return the type that most files write for each field; of two as common the wider one."""
    written: defaultdict[str, Counter[FieldType]] = defaultdict(Counter)
    for metadata in files:
        for name, given in metadata.items():
            written[name][_type_of(given)] += 1
    types: dict[str, FieldType] = {
        name: max(counts, key=lambda one: (counts[one], _WIDTH.get(one, 0), one))
        for name, counts in sorted(written.items())
    }
    return {PATH: "path", **types}


def typed(path: str, metadata: Metadata, schema: Schema) -> dict[str, Value]:
    """Return a file's values by field, as `value` reads them, without those of a wrong type."""
    values: dict[str, Value] = {PATH: path}
    for name, given in metadata.items():
        read = value(schema[name], given)
        if read is not None:
            values[name] = read
    return values


def value(kind: FieldType, given: str | tuple[str, ...]) -> Value | None:
    """Return what is compared of a written value; None where it is of another type.

    Strings are compared in any letter case, paths as they are. One string is a list of one.
    """
    if isinstance(given, tuple):
        return tuple(map(_folded, given)) if kind == "list of strings" else None
    if kind == "list of strings":
        return (_folded(given),)
    if kind == "number":
        return Decimal(given) if _NUMBER.fullmatch(given) else None
    if kind == "date":
        return _date(given)
    if kind == "boolean":
        return _BOOLEANS.get(given.lower())
    return unicodedata.normalize("NFC", given) if kind == "path" else _folded(given)


def _type_of(given: str | tuple[str, ...]) -> FieldType:
    if isinstance(given, tuple):
        return "list of strings"
    if _NUMBER.fullmatch(given):
        return "number"
    if given.lower() in _BOOLEANS:
        return "boolean"
    return "string" if _date(given) is None else "date"


def _date(given: str) -> date | None:
    try:
        return date.fromisoformat(given) if _DATE.fullmatch(given) else None
    except ValueError:  # the 30th of February
        return None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
