"""Append accepted questions to the file that the gate asks, each whole and found right before."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evals.drafting import english, selection
from evals.labels import fields, quote_locations
from evals.labels.quote_locations import Pages
from evals.lint import lint
from retrieval import atomic_write
from retrieval.errors import DatasetError
from retrieval.text.normalize import fold
from retrieval.text.words import STOP

_SPLITS = ("gate", "calibration")  # the first that shares no quote with the other
_WORD = re.compile(r"[^\W\d_]{4,}")


def append(path: Path, row: dict[str, Any], vault: Path) -> dict[str, Any]:
    """Append an accepted draft to a file of questions and return it as it stands there.

    What the file holds stays, byte for byte; it is replaced at once. Where the draft does not say
    what an answer must include, or what the rules would say, that is as `completed` has it. Raises
    DatasetError where the file holds no JSONL or `evals.lint` finds something in the row, and the
    file is as before; VaultError where `vault` has no files; OSError where it cannot be written.
    """
    if fields.content(path).lstrip().startswith("["):
        raise DatasetError(f"{path}: is a JSON list; questions are appended to JSONL alone")
    whole = completed(row, quote_locations.read(vault))
    told: list[str] = []
    for split in _SPLITS:
        whole["split"] = split
        text = _appended(path.read_bytes(), whole)
        found = _faults(path, text, vault)
        if not found:
            atomic_write.write_bytes(path.resolve(), text)
            return whole
        told = told or found
    raise DatasetError("; ".join(told))


def completed(row: dict[str, Any], pages: Pages) -> dict[str, Any]:
    """Return an accepted draft as a row that `evals.lint` asks for, without its status.

    Where it does not say what an answer must include, or what the rules would say, that is made
    of its words; `must_include` is empty where a person has to say which word of the line it is.
    Raises DatasetError where the rules hold all words of a question that they do not answer.
    """
    left = {n: v for n, v in row.items() if v is not None and n not in ("status", "nearest")}
    if row["gold"]:
        return left | {"must_include": row.get("must_include") or _needed(row)}
    return left | {"absent": row.get("absent") or [_absent(row["question"], pages)]}


def _needed(row: dict[str, Any]) -> tuple[str, ...]:
    """What an answer must include; nothing where the line has numbers or cells."""
    if row["kind"] == "table" or any(one.isdigit() for one in row["answer"]):
        return ()  # which of them was asked for is known to a person alone
    found = selection.needed(row["kind"], row["question"], row["answer"])
    words = sorted(english.WORD.findall(row["answer"]), key=len)
    return found or tuple(words[-1:])  # a line that says nothing but what was asked


def _absent(question: str, pages: Pages) -> str:
    """A pattern of the question's words that matches nowhere: one, two neighbours, or all."""
    for pattern in _patterns(fold(question).lower()):
        if not any(quote_locations.absence_faults(pattern, pages)):
            return pattern
    raise DatasetError(f"the rules hold the very words {question!r}, so they may answer them")


def _patterns(question: str) -> Iterator[str]:
    own = [word for word in _WORD.findall(question) if word not in STOP]
    yield from sorted(own, key=len, reverse=True)
    words = re.findall(r"\w+", question)
    for one, two in pairwise(words):
        if _WORD.fullmatch(one) and _WORD.fullmatch(two):
            yield rf"{one}\W+{two}"
    yield r"\W+".join(words)


def _appended(before: bytes, row: dict[str, Any]) -> bytes:
    end = b"" if not before or before.endswith(b"\n") else b"\n"
    return before + end + json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _faults(path: Path, text: bytes, vault: Path) -> list[str]:
    """What is wrong with the last row of `text`, which `path` is to hold."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(text)
        try:
            found = lint(copy, vault)
        except DatasetError as error:
            raise DatasetError(str(error).replace(str(copy), str(path))) from error
    number = text.count(b"\n")
    place = f"{copy}:{number}: "
    return [finding.removeprefix(place) for finding in found if finding.startswith(place)]
