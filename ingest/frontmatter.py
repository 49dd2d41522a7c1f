"""The YAML head of a file, read so that no header can hurt: no aliases, few and plain values."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from retrieval.errors import FileRejectedError

_MAX_BYTES = 65_536
_MAX_SCALARS = 200
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields that ingest reads; other fields are the writer's own and are left alone."""

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    status: str = ""  # "errata", "house rule", "optional", "superseded", …; "" for a plain rule
    edition: str = ""
    supersedes: tuple[str, ...] = ()  # paths of the files that this one overrides


class _Loader(yaml.SafeLoader):
    """SafeLoader without aliases: nine nested ones load in 8 ms and print as gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(problem="aliases (*name) are refused")
        return super().compose_node(parent, index)


def parse(path: str, header: str) -> FrontMatter:
    """Return the fields of `header`, the lines between the `---` of the file `path`.

    Raises FileRejectedError for a header that is not a small mapping of plain values.
    """
    if len(header.encode()) > _MAX_BYTES:
        raise FileRejectedError(path, f"front matter is over {_MAX_BYTES:,} bytes")
    try:
        _check_size(path, header)
        fields = yaml.load(header, _Loader)  # noqa: S506  # a SafeLoader
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise FileRejectedError(path, f"front matter is not YAML: {reason}") from error
    except ValueError as error:  # a date such as 2024-13-45, or an int of 5,000 digits
        raise FileRejectedError(path, f"front matter has an impossible value: {error}") from error
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
    )


def _check_size(path: str, header: str) -> None:
    """Count before anything is built: events are flat, whatever they describe."""
    depth = scalars = 0
    for event in yaml.parse(header, yaml.SafeLoader):
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
    return " ".join(str(value).replace("\x00", "").split())


def _texts(path: str, fields: Mapping[object, object], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    values = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(_text(path, {name: item}, name) for item in values if item is not None)
