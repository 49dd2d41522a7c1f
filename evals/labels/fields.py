"""Read files of JSON rows and their fields; what is wrong is said with file, line and field.

`where` is "questions.jsonl:17" in all of them, and every one raises DatasetError.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from retrieval.errors import DatasetError


def content(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error


def rows(path: Path, source: str) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yield where each JSON line of `source` stands, its number from 1, and the object it is."""
    for number, line in enumerate(source.split("\n"), start=1):
        if line.strip():
            where = f"{path}:{number}"
            yield where, number, an_object(where, parsed(where, line))


def parsed(where: str, source: str) -> Any:
    """Return what a JSON text says."""
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where}: is not JSON: {error}") from error


def an_object(where: str, row: object) -> Mapping[str, Any]:
    """Return a row that is an object."""
    if not isinstance(row, dict):
        raise DatasetError(f"{where}: is {row!r}, not an object")
    return row


def text(where: str, row: Mapping[str, Any], name: str) -> str:
    """Return a field that must be a text."""
    value = row.get(name)
    if not isinstance(value, str):
        raise DatasetError(f"{where}: {name} is {value!r}, not a text")
    return value


def optional(where: str, row: Mapping[str, Any], name: str) -> str:
    """Return a field that may be a text; "" where it is null or absent."""
    return "" if row.get(name) is None else text(where, row, name)


def flag(where: str, row: Mapping[str, Any], name: str) -> bool:
    """Return a field that may be true or false; False where it is absent."""
    value = row.get(name, False)
    if not isinstance(value, bool):
        raise DatasetError(f"{where}: {name} is {value!r}, not true or false")
    return value


def array(where: str, row: Mapping[str, Any], name: str) -> list[object]:
    """Return a field that may be a list; empty where it is null or absent."""
    value = row.get(name)
    if value is not None and not isinstance(value, list | tuple):
        raise DatasetError(f"{where}: {name} is {value!r}, not a list")
    return list(value or ())


def texts(where: str, row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a field that may be a list of texts; empty where it is null or absent."""
    values = array(where, row, name)
    if not all(isinstance(value, str) for value in values):
        raise DatasetError(f"{where}: {name} is {values!r}, not a list of texts")
    return tuple(str(value) for value in values)
