"""The API's description as a page: its endpoints and their fields, read from /openapi.json.

FastAPI's own page loads its scripts from another server; this one has none.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from api.page.markdown.render import html

Json = Mapping[str, Any]
_MEDIA = {"text/html": "a page", "text/plain": "text", "text/event-stream": "server-sent events"}
_ERRORS = {"HTTPValidationError", "ValidationError"}  # FastAPI's; our errors are problem details


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body: `kind` is its type, with links to the other schemas."""

    name: str
    kind: Markup
    note: str  # "required", "default 4" or ""
    meaning: str


@dataclass(frozen=True, slots=True)
class Section:
    """A method of a path, "POST /ask", with what it takes and gives, or an object of JSON."""

    name: str
    meaning: Markup
    contents: Markup
    fields: list[Field]


def sections(description: Json) -> list[Section]:
    """Return the endpoints of an OpenAPI description by path, then its objects by name."""
    endpoints = [
        Section(
            f"{method.upper()} {path}",
            html(said.get("description", "")),
            _takes_and_gives(said),
            [
                _field(one["name"], one["schema"] | one, one.get("required", False))
                for one in said.get("parameters", ())
            ],
        )
        for path, methods in sorted(description["paths"].items())
        for method, said in methods.items()
    ]
    objects = [
        Section(
            name,
            html(said.get("description", "")),
            Markup(""),
            [
                _field(field, one, field in said.get("required", ()))
                for field, one in said.get("properties", {}).items()
            ],
        )
        for name, said in sorted(description["components"]["schemas"].items())
        if name not in _ERRORS
    ]
    return [*endpoints, *objects]


def _field(name: str, schema: Json, required: bool) -> Field:
    note = "required" if required else ""
    if schema.get("default") not in (None, "", []):
        note = f"default {json.dumps(schema['default'])}"
    return Field(name, _kind(schema), note, schema.get("description", ""))


def _takes_and_gives(said: Json) -> Markup:
    taken = _contents(said.get("requestBody", {}))
    given = _contents(next(iter(said["responses"].values()))) or "nothing"
    takes = Markup("Takes {}. ").format(taken) if taken else Markup("")
    return takes + Markup("Gives {}.").format(given)


def _contents(said: Json) -> Markup:
    kinds = [
        escape(_MEDIA[media]) if media in _MEDIA else _kind(content.get("schema", {}))
        for media, content in said.get("content", {}).items()
    ]
    return Markup(" or ").join(kinds)


def _kind(schema: Json) -> Markup:
    """A type in words: "list of Card", "integer or null", "up | down"."""
    if "$ref" in schema:
        return Markup('<a href="#{0}">{0}</a>').format(schema["$ref"].rpartition("/")[2])
    if "enum" in schema or "const" in schema:
        return escape(" | ".join(map(str, schema.get("enum", [schema.get("const")]))))
    if "anyOf" in schema:
        return Markup(" or ").join(map(_kind, schema["anyOf"]))
    if schema.get("type") == "array":
        return Markup("list of {}").format(_kind(schema.get("items", {})))
    return escape(schema.get("type", "any"))
