"""Read files of JSON rows; what is wrong is said with file, line and field, as a DatasetError."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from retrieval.errors import DatasetError


class JsonRow(BaseModel):
    """The fields that a row may have; null is as if the field were absent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, row: Any) -> Any:
        return {k: v for k, v in row.items() if v is not None} if isinstance(row, dict) else row


Row = TypeVar("Row", bound=JsonRow)


def content(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error


def parsed(where: str, source: str) -> Any:
    """Return what a JSON text says; `where` is "questions.jsonl:17"."""
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where}: is not JSON: {error}") from error


def row(where: str, fields: type[Row], data: object) -> Row:
    """Return `data` as a row with these fields."""
    try:
        return fields.model_validate(data)
    except ValidationError as error:
        wrong = error.errors()
        unknown = sorted(str(e["loc"][0]) for e in wrong if e["type"] == "extra_forbidden")
        if unknown:
            known = sorted(fields.model_fields)
            what = f"unknown fields {unknown}; known are {known}"
        else:
            field = ".".join(map(str, wrong[0]["loc"])) or "the row"
            given = "" if wrong[0]["type"] == "missing" else f", not {wrong[0]['input']!r}"
            what = f"{field}: {wrong[0]['msg']}{given}"
        raise DatasetError(f"{where}: {what}") from error


def rows(path: Path, fields: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the row of each JSON line of a file with its number, from 1; blank lines are none."""
    for number, line in enumerate(content(path).split("\n"), start=1):
        if line.strip():
            where = f"{path}:{number}"
            yield number, row(where, fields, parsed(where, line))
