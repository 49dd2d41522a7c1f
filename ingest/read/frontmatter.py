"""The YAML head of a file, read so that no header can hurt: no aliases, few and plain values."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from retrieval.errors import FileRejectedError

_MAX_BYTES = 65_536
_MAX_SCALARS = 200
_MAX_DEPTH = 8
_MAX_LENGTH = 300  # characters of a value that is read: it stands in front of every entry


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields that ingest reads; other fields are the writer's own and are left alone."""

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: str = ""  # "errata", "house rule", "optional", "superseded", …; "" for a plain rule
    edition: str = ""
    supersedes: tuple[str, ...] = ()  # paths of the files that this one overrides
    root: yaml.Node | None = field(default=None, compare=False)  # all fields, with their lines


class _Loader(yaml.SafeLoader):
    """SafeLoader that reads values as they stand: `edition: 1.10` is no number, `No` is not False.

    So no date, integer or float can be an impossible one. Only "", "~" and "null" mean nothing.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if doubles := [name for name, count in Counter(names).items() if count > 1]:
            raise yaml.constructor.ConstructorError(problem=f"{doubles[0]!r} stands there twice")
        return super().construct_mapping(node, deep)


_NULL = "tag:yaml.org,2002:null"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(path: str, header: str) -> FrontMatter:
    """Return the fields of `header`, the lines between the `---` of the file `path`.

    Raises FileRejectedError for a header that is not a small mapping of plain values.
    """
    if len(header.encode()) > _MAX_BYTES:
        raise FileRejectedError(path, f"front matter is over {_MAX_BYTES:,} bytes")
    try:
        _check_events(path, header)
        loader = _Loader(header)
        root = loader.get_single_node()
        fields = loader.construct_document(root) if root else None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise FileRejectedError(path, f"front matter is not YAML: {reason}") from error
    if fields is None:
        return FrontMatter()
    if not isinstance(fields, Mapping):
        raise FileRejectedError(path, "front matter is not a list of `name: value` lines")
    return FrontMatter(
        title=_text(path, fields, "title"),
        tags=_texts(path, fields, "tags"),
        aliases=_texts(path, fields, "aliases"),
        status=_text(path, fields, "status"),
        edition=_text(path, fields, "edition"),
        supersedes=_texts(path, fields, "supersedes"),
        root=root,
    )


def is_null(node: yaml.Node) -> bool:
    """Tell whether a node says nothing."""
    return bool(node.tag == _NULL)


def _check_events(path: str, header: str) -> None:
    """Refuse before anything is built: events are flat, whatever they describe.

    Nine nested aliases load in 8 ms and print as gigabytes; a tag names a type of its own.
    """
    depth = scalars = 0
    for event in yaml.parse(header, yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise FileRejectedError(path, "front matter: aliases (*name) are refused")
        if (tag := getattr(event, "tag", None)) is not None:
            raise FileRejectedError(path, f"front matter: tags ({tag}) are refused")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        scalars += isinstance(event, yaml.ScalarEvent)
        if depth > _MAX_DEPTH or scalars > _MAX_SCALARS:
            limits = f"{_MAX_DEPTH} levels and {_MAX_SCALARS} values"
            raise FileRejectedError(path, f"front matter is larger than {limits}")


def _text(path: str, fields: Mapping[object, object], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, (list, dict, set)):
        raise FileRejectedError(path, f"front matter: {name} is {value!r}, not one value")
    text = " ".join(str(value).replace("\x00", "").split())
    if len(text) > _MAX_LENGTH:
        reason = f"front matter: {name} has {len(text):,} characters, over {_MAX_LENGTH}"
        raise FileRejectedError(path, reason)
    return text


def _texts(path: str, fields: Mapping[object, object], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    values = value if isinstance(value, list) else [] if value is None else [value]
    if name == "supersedes":  # [[fees]] without quotes is a link, which YAML reads as two lists
        values = [one[0] if isinstance(one, list) and len(one) == 1 else one for one in values]
    return tuple(_text(path, {name: item}, name) for item in values if item is not None)
