"""POST /feedback: whether an answer helped, as the person says who got it.

Only answers that were given can be rated, by whichever process, for a day: so nobody fills the
database with ratings of nothing. api/telemetry/recorder.py writes them down behind their replies.
"""

import logging
from typing import Annotated

import anyio
from fastapi import APIRouter, FastAPI, HTTPException, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from api.admission.rate import TokenBucket
from api.http.json_body import JsonRoute
from api.keys.authorization import FEEDBACK
from api.keys.limits import LIMITED
from api.schema.problem import described
from api.state import AppState, Opened
from api.telemetry.scrubbing import scrubbed
from retrieval.errors import ConfigurationError, DatabaseUnreachableError
from retrieval.usage.feedback import Rating, put

BURST, A_MINUTE = 20, 30  # ratings, of all callers together
# Seconds before each look for an answer: it may have been given this moment.
_PAUSES = (0.0, 0.2, 0.4, 0.8)
_LONGEST_ID = 128  # characters, as of X-Request-ID
_LONGEST_COMMENT = 2_000  # characters
_MOST_BYTES = 32 * 1024  # of a body: the longest comment in escapes is 24 KB

router = APIRouter(route_class=JsonRoute)
log = logging.getLogger("api")


def _readable(text: str) -> str:
    """A comment without what no person types: control characters, NUL among them."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t").strip()


class FeedbackRequest(BaseModel):
    """The body of POST /feedback."""

    model_config = ConfigDict(extra="forbid", strict=True)

    request_id: str = Field(
        min_length=1, max_length=_LONGEST_ID, description="of the answer, as the reply has it"
    )
    rating: Rating = Field(description="up: it helped; down: it did not")
    comment: Annotated[str, AfterValidator(_readable)] = Field(
        default="", max_length=_LONGEST_COMMENT, description="in the person's own words"
    )


def install(app: FastAPI) -> None:
    """Let the answers of `app` be rated at POST /feedback."""
    app.state.feedback_rate = TokenBucket(BURST, A_MINUTE)
    app.include_router(router)


def _not_too_often(request: Request) -> None:
    seconds = request.app.state.feedback_rate.wait()
    if seconds:
        raise HTTPException(
            429,
            f"more than {A_MINUTE} ratings a minute; try again in {seconds} s",
            {"Retry-After": str(seconds)},
        )


@router.post(
    "/feedback",
    status_code=204,
    max_body_size=_MOST_BYTES,
    responses=described(401, 403, 404, 413, 422, 429, 503),
    dependencies=[FEEDBACK, LIMITED],
)
async def rate(body: FeedbackRequest, request: Request, opened: Opened) -> Response:
    """Store whether an answer helped; a second rating of the same answer replaces the first.

    A body of the wrong shape is refused before it counts as a rating; an unknown id counts, or ids
    could be guessed without end.
    """
    _not_too_often(request)
    for pause in _PAUSES:
        await anyio.sleep(pause)
        if await run_in_threadpool(_put, opened, body):
            return Response(status_code=204)
    raise HTTPException(
        404,
        f"no answer {body.request_id[:_LONGEST_ID]!a} can be rated: answers are kept for a day, "
        "and none where TELEMETRY_DAYS is 0; ask the question again",
    )


def _put(opened: AppState, body: FeedbackRequest) -> bool:
    """Store a rating; what the database says of its roles goes to the log alone."""
    try:
        with opened.rules.store.connect() as conn:
            return put(
                conn, body.request_id, opened.rules.access, body.rating, scrubbed(body.comment)
            )
    except ConfigurationError as error:
        log.error("feedback: %s", error)
        raise ConfigurationError(
            "this server may not store feedback; its log says what its operator can do"
        ) from error
    except DatabaseUnreachableError as error:
        error.public = (
            "the rating cannot be stored now, as the database does not take it; try again"
        )
        raise
