"""A tool that reads and changes nothing, and says in words what is wrong with its arguments."""

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError
from pydantic_core import ErrorDetails

_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def reading(function: Callable[..., Any], name: str, title: str, description: str) -> Tool:
    """Return the tool of a function; an argument that it does not have is an error."""
    made = _Reading.from_function(function, name, title, description, annotations=_READS)
    arguments = made.fn_metadata.arg_model  # a misspelt argument is an error, not left out
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    made.parameters = arguments.model_json_schema(by_alias=True)
    return made


class _Reading(Tool):
    async def run(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the tool does. Raises ToolError, of wrong arguments in words of ours."""
        try:
            return await super().run(*args, **kwargs)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            faults = error.__cause__.errors(include_url=False, include_input=False)
            takes = ", ".join(self.parameters["properties"])
            said = "; ".join(map(_fault, faults))
            raise ToolError(f"{self.name}: {said}; it takes {takes}") from error


def _fault(fault: ErrorDetails) -> str:
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        return f"{name} is missing"
    if fault["type"] == "extra_forbidden":
        return f"there is no argument {name[:100]!r}"
    said = (
        fault["msg"].replace("Input should", "it should").replace("valid dictionary", "JSON object")
    )
    return f"{name}: {said}"
