"""What a file's front matter says as metadata, to filter by; `python -m ingest --metadata`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import yaml

from ingest.read import frontmatter, markdown
from ingest.read.vault import SourceFile
from retrieval.errors import FileRejectedError
from retrieval.metadata.schema import RESERVED, Metadata, infer, value

_LONGEST = 300  # characters of a value, as of a filter's
_MOST_SHOWN = 100  # characters


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """A file's fields as they are written, and those that cannot be filtered by."""

    path: str
    values: Metadata
    lines: Mapping[str, int]  # on which each field begins, from 1
    faults: tuple[tuple[int, str], ...]  # a line, and why what it says is left out


def of(file: SourceFile) -> FileMetadata:
    """Return the metadata of a file. Raises FileRejectedError for a bad front matter."""
    root = frontmatter.parse(file.path, markdown.header(file.text)).root
    values: dict[str, str | tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    faults = []
    for key, node in root.value if isinstance(root, yaml.MappingNode) else ():
        line = key.start_mark.line + 2  # below the first ---
        reason, given = _read(key, node)
        if reason:
            faults.append((line, reason))
        elif given:
            values[key.value], lines[key.value] = given, line
    return FileMetadata(file.path, values, lines, tuple(faults))


def report(files: Sequence[SourceFile]) -> tuple[list[str], list[str]]:
    """Return lines about the fields of a vault, and one for each value that no filter sees."""
    found, faults = [], []
    for file in files:
        try:
            found.append(of(file))
        except FileRejectedError as error:
            faults.append(str(error))
    schema = infer(one.values for one in found)
    stated = Counter(name for one in found for name in one.values)
    shown = [f"{name}: {kind}, of {stated.get(name, len(found))} of {len(found)} files"
             for name, kind in schema.items()]  # fmt: skip
    for one in found:
        faults += [f"{one.path}:{line}: {reason}" for line, reason in one.faults]
        for name, given in one.values.items():
            if value(schema[name], given) is None:
                is_a = f"is no {schema[name]}, as {name} is in most files"
                faults.append(f"{one.path}:{one.lines[name]}: {name}: {_shown(given)} {is_a}")
    return shown, faults


def _read(key: yaml.Node, node: yaml.Node) -> tuple[str, str | tuple[str, ...] | None]:
    """Why a field is left out, or what it says; nothing where it says nothing."""
    if not isinstance(key, yaml.ScalarNode):
        return "a field's name is a text", None
    if not _is_text(key.value):
        return "a field's name holds a NUL or half a character", None
    if key.value in RESERVED:
        return f"{key.value!r} is the name of something else in filters; rename the field", None
    if isinstance(node, yaml.MappingNode):
        return f"{key.value} holds fields of its own; filters take texts and lists of them", None
    items = list(node.value) if isinstance(node, yaml.SequenceNode) else [node]
    if not all(isinstance(item, yaml.ScalarNode) for item in items):
        return f"{key.value} is a list of more than texts", None
    said = [item.value for item in items if not frontmatter.is_null(item)]
    if not all(map(_is_text, said)):
        return f"{key.value} holds a NUL or half a character", None
    if too_long := next((one for one in said if len(one) > _LONGEST), ""):
        return f"{key.value} has {len(too_long):,} characters, over {_LONGEST}", None
    if isinstance(node, yaml.SequenceNode):
        return "", tuple(said)
    return "", said[0] if said else None


def _is_text(said: str) -> bool:
    """Whether PostgreSQL's JSON can hold it; YAML writes anything as "\\0" or "\\ud800"."""
    return not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in said)


def _shown(given: str | tuple[str, ...]) -> str:
    text = repr(given if isinstance(given, str) else list(given))
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
