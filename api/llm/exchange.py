"""What a language model is sent, its data between fences, and the JSON object that it replies."""

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

Messages = list[dict[str, str]]
_Shape = TypeVar("_Shape", bound=BaseModel)


def new_fence() -> str:
    """Return a word for fences: a new one each time, so no text can hold the closing one."""
    return secrets.token_hex(8)


def block(name: str, fence: str, text: str, attributes: str = "") -> str:
    """Return a text between its fences: `attributes`, " number=1", stand in the opening one."""
    return f"<{name}-{fence}{attributes}>\n{text}\n</{name}-{fence}>"


def messages(system: str, blocks: Sequence[str]) -> Messages:
    """Return what is told once and the blocks, as the messages of a chat."""
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": "\n\n".join(blocks)},
    ]


def schema(name: str, shape: type[BaseModel]) -> Mapping[str, Any]:
    """Return a shape as the API's `json_schema` takes it: strict, and without references.

    Small servers that make a grammar of it follow none.
    """
    said = shape.model_json_schema()
    return {"name": name, "strict": True, "schema": _in_one(said, said.get("$defs", {}))}


def _in_one(part: Any, shapes: Mapping[str, Any]) -> Any:
    """A part of a schema with what it refers to in its place; without titles, objects closed."""
    if isinstance(part, list):
        return [_in_one(one, shapes) for one in part]
    if not isinstance(part, dict):
        return part
    own = shapes[part["$ref"].rpartition("/")[2]] if "$ref" in part else part
    kept = {key: _in_one(one, shapes) for key, one in own.items() if key not in {"title", "$defs"}}
    return kept | ({"additionalProperties": False} if own.get("type") == "object" else {})


def read(reply: str, shape: type[_Shape]) -> _Shape:
    """Return the JSON object of a reply, in which models like to wrap it in words or a fence.

    Raises ValueError where it holds none of that shape.
    """
    try:
        return shape.model_validate(json.loads(reply[reply.find("{") : reply.rfind("}") + 1]))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
