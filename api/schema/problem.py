"""What is said of an error."""

from typing import Any, Literal

from pydantic import BaseModel

# What a status means, for the API's description.
MEANING: dict[int | str, str] = {
    401: "a key is needed, or the one given is not known",
    403: "the key lacks the scope, or a page of another origin sent this",
    404: "there is no such thing",
    413: "the body is too large",
    422: "the request is wrong; `detail` names the field",
    429: "too many of these; `Retry-After` says when again",
    502: "the language model's server gave no reply that can be used",
    503: "it cannot answer now; `detail` says what is missing",
}


class Problem(BaseModel):
    """An error: RFC 9457 problem details with the request's id."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str


def described(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors of an endpoint as its description lists them, each as problem details."""
    content = {"application/problem+json": {"schema": Problem.model_json_schema()}}
    return {status: {"description": MEANING[status], "content": content} for status in statuses}
