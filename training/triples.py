"""Groups: questions with texts that answer them and texts that do not, to train the models with.

A file of groups is gzipped JSON lines, an object a group with the fields of `Group`.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from retrieval import atomic_write
from retrieval.errors import DatasetError

_PACKING = 6  # zlib's default, fixed so that no other default changes a file's bytes


@dataclass(frozen=True, slots=True)
class Group:
    """A question as it is embedded, with texts as they are embedded; at least one positive.

    Any one of `positives` answers. `windows` answer too: they are longer, whole chunks or what
    fits of them into the encoder, and there may be none. Negatives stand hardest first.
    """

    collection: str  # which texts it was made of
    question: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    windows: tuple[str, ...]
    window_negatives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeignGroups:
    """What a file of another make holds; its groups have one positive and no windows."""

    groups: tuple[Group, ...]
    without_positive: int  # groups of the file that are left out


def read(path: Path) -> list[Group]:
    """Return the groups of a file that `write` made, in its order.

    Raises DatasetError naming file, line and field for anything else.
    """
    groups = []
    for where, row in _rows(path):
        _refuse_unknown_fields(where, row)
        group = Group(
            collection=_text(where, row, "collection"),
            question=_text(where, row, "question"),
            positives=_texts(where, row, "positives"),
            negatives=_texts(where, row, "negatives"),
            windows=_texts(where, row, "windows"),
            window_negatives=_texts(where, row, "window_negatives"),
        )
        if not group.positives:
            raise DatasetError(f"{where}: positives is empty; a group needs a text that answers")
        groups.append(group)
    return groups


def read_foreign(path: Path) -> ForeignGroups:
    """Return the groups of gzipped JSON lines `{"src", "q", "pos": text or null, "neg": [text]}`.

    Those without a positive are counted and left out; other fields are ignored. Raises
    DatasetError naming file, line and field for anything else.
    """
    groups = []
    without_positive = 0
    for where, row in _rows(path):
        collection, question = _text(where, row, "src"), _text(where, row, "q")
        negatives = _texts(where, row, "neg")
        if "pos" in row and row["pos"] is None:
            without_positive += 1
            continue
        groups.append(Group(collection, question, (_text(where, row, "pos"),), negatives, (), ()))
    return ForeignGroups(tuple(groups), without_positive)


def write(path: Path, groups: Sequence[Group]) -> None:
    """Write `groups` so that `read` returns them; equal groups give equal bytes.

    A file that is there stays whole until the new one is. Raises DatasetError where it cannot be
    written.
    """
    lines = (json.dumps(asdict(group), ensure_ascii=False) + "\n" for group in groups)
    data = gzip.compress("".join(lines).encode("utf-8"), _PACKING, mtime=0)
    try:
        atomic_write.write_bytes(path, data)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written: {error.strerror}") from error


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield "file:line" and the object of each line; DatasetError where the file holds none."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield f"{path}:{number}", _object(f"{path}:{number}", line)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DatasetError(
            f"{path}:{number + 1}: cannot be read: {error}; groups are UTF-8 JSON lines, gzipped"
        ) from error
    if not number:
        raise DatasetError(f"{path}: holds no groups")


def _object(where: str, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DatasetError(f"{where}: is not JSON: {error}") from error
    if not isinstance(row, dict):
        raise DatasetError(f"{where}: is {row!r}, not an object")
    return row


def _refuse_unknown_fields(where: str, row: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(Group)]
    unknown = sorted(set(row) - set(known))
    if unknown:
        raise DatasetError(f"{where}: unknown fields {unknown}; known are {known}")


def _text(where: str, row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise DatasetError(f"{where}: {name} is {value!r}, not a text that says something")
    return value


def _texts(where: str, row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = row.get(name)
    if not isinstance(values, list):
        raise DatasetError(f"{where}: {name} is {values!r}, not a list of texts")
    odd = [value for value in values if not isinstance(value, str) or not value.strip()]
    if odd:
        raise DatasetError(f"{where}: {name} holds {odd[0]!r}, not a text that says something")
    return tuple(values)
