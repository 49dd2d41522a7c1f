"""What a language model is sent, its data between fences, and the JSON object that it replies."""

import json
import secrets
from collections.abc import Sequence
from typing import TypeVar

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


def read(reply: str, shape: type[_Shape]) -> _Shape:
    """Return the JSON object of a reply, in which models like to wrap it in words or a fence.

    Raises ValueError where it holds none of that shape.
    """
    try:
        return shape.model_validate(json.loads(reply[reply.find("{") : reply.rfind("}") + 1]))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
