"""The API's description as a page: its endpoints and their fields, read from /openapi.json.

FastAPI's own page loads its scripts from another server; this one has none.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from api.page.markdown.render import html

Json = Mapping[str, Any]
_MEDIA = {"text/html": "a page", "text/plain": "text", "text/event-stream": "server-sent events"}
_ERRORS = {"HTTPValidationError", "ValidationError"}  # FastAPI's; our errors are problem details


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A parameter, or a field of a body: `kind` is its type, with links to the other schemas."""

    name: str
    kind: Markup
    note: str  # "required", "default 4" or ""
    meaning: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A method of a path with what it takes and gives."""

    name: str  # "POST /ask"
    meaning: Markup
    parameters: tuple[SchemaField, ...]
    body: Markup
    reply: Markup


@dataclass(frozen=True, slots=True)
class Schema:
    """An object of JSON by its fields."""

    name: str
    meaning: Markup
    fields: tuple[SchemaField, ...]


def endpoints(description: Json) -> list[Endpoint]:
    """Return the endpoints of an OpenAPI description, by path."""
    return [
        Endpoint(
            name=f"{method.upper()} {path}",
            meaning=html(said.get("description", "")),
            parameters=tuple(
                _field(one["name"], one["schema"] | one, one.get("required", False))
                for one in said.get("parameters", ())
            ),
            body=_contents(said.get("requestBody", {})),
            reply=_contents(next(iter(said["responses"].values()))),
        )
        for path, methods in sorted(description["paths"].items())
        for method, said in methods.items()
    ]


def schemas(description: Json) -> list[Schema]:
    """Return the objects that the endpoints take and give, by name."""
    return [
        Schema(name, html(said.get("description", "")), tuple(_fields(said)))
        for name, said in sorted(description["components"]["schemas"].items())
        if name not in _ERRORS
    ]


def _fields(schema: Json) -> Iterator[SchemaField]:
    required = schema.get("required", ())
    for name, said in schema.get("properties", {}).items():
        yield _field(name, said, name in required)


def _field(name: str, schema: Json, required: bool) -> SchemaField:
    note = "required" if required else ""
    if schema.get("default") not in (None, "", []):
        note = f"default {json.dumps(schema['default'])}"
    return SchemaField(name, _kind(schema), note, schema.get("description", ""))


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
