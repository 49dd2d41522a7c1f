"""What is said of an error."""

from typing import Literal

from pydantic import BaseModel


class Problem(BaseModel):
    """An error: RFC 9457 problem details with the request's id."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str
