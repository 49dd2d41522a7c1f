"""POST /feedback: whether an answer helped, as the person says who got it.

Only answers that this process gave can be rated, and of those the latest ones: so nobody fills the
database with ratings of nothing. The question is kept, in memory too, only where the operator lets
questions be stored.
"""

import logging
from collections import OrderedDict
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, FastAPI, HTTPException, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from api.http.rate import TokenBucket
from api.keys.authorization import FEEDBACK
from api.keys.limits import LIMITED
from api.schema.answer import Answer
from api.schema.problem import described
from api.state import Opened, app_state
from retrieval.database.pool import Store
from retrieval.errors import ConfigurationError, DatabaseUnreachableError
from retrieval.metadata.filters import Given as Filter
from retrieval.usage.feedback import RatedAnswer, Rating, put

LATEST = 1_000  # answers that can be rated
BURST, A_MINUTE = 20, 30  # ratings, of all callers together
_LONGEST_ID = 128  # characters, as of X-Request-ID
_LONGEST_COMMENT = 2_000  # characters
_MOST_BYTES = 32 * 1024  # of a body: the longest comment in escapes is 24 KB

router = APIRouter()
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


class Given:
    """The latest answers of one app by their request ids; the oldest one makes room for the next.

    Two answers may have one id, as callers may choose it: then the later one is meant.
    """

    def __init__(self, most: int = LATEST) -> None:
        self._most = most
        self._answers: OrderedDict[str, tuple[RatedAnswer, Filter | None]] = OrderedDict()
        self._lock = Lock()

    def remember(self, answer: RatedAnswer, access: Filter | None = None) -> None:
        """Keep an answer so that it can be rated; `access` is the filter of the key that asked."""
        with self._lock:
            self._answers.pop(answer.request_id, None)
            self._answers[answer.request_id] = (answer, access)
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)

    def find(self, request_id: str, access: Filter | None = None) -> RatedAnswer | None:
        """Return the answer with that id; None where it is not, or no longer, known.

        A key with a filter knows answers under the same filter alone.
        """
        with self._lock:
            answer, given = self._answers.get(request_id, (None, None))
        return answer if access is None or given == access else None


def install(app: FastAPI) -> None:
    """Let the answers of `app` be rated at POST /feedback."""
    app.state.given = Given()
    app.state.feedback_rate = TokenBucket(BURST, A_MINUTE)
    app.include_router(router)


def remember(request: Request, given: Answer) -> None:
    """Let an answer be rated; call it before the answer leaves."""
    rules = app_state(request).rules
    stored = rules.settings.feedback_stores_questions
    request.app.state.given.remember(
        RatedAnswer(
            request_id=given.request_id,
            question=given.question if stored else None,
            generation=given.generation,
            certainty=given.certainty,
            guard=given.guard.verdict,
            cards=tuple(f"{c.path}:{c.first_line}-{c.last_line}" for c in given.cards),
        ),
        rules.access,
    )


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
def rate(body: FeedbackRequest, request: Request, opened: Opened) -> Response:
    """Store whether an answer helped; a second rating of the same answer replaces the first.

    A body of the wrong shape is refused before it counts as a rating; an unknown id counts, or ids
    could be guessed without end.
    """
    _not_too_often(request)
    answer = request.app.state.given.find(body.request_id, opened.rules.access)
    if answer is None:
        raise HTTPException(
            404,
            f"no answer {body.request_id[:_LONGEST_ID]!a} can be rated here: this server keeps its "
            f"latest {LATEST:,} since it was started; ask the question again",
        )
    _put(opened.rules.store, answer, body)
    return Response(status_code=204)


def _put(store: Store, answer: RatedAnswer, body: FeedbackRequest) -> None:
    """Store a rating; what the database says of its address and its roles goes to the log alone."""
    try:
        with store.connect() as conn:
            put(conn, answer, body.rating, body.comment)
    except ConfigurationError as error:
        log.error("feedback: %s", error)
        raise ConfigurationError(
            "this server may not store feedback; its log says what its operator can do"
        ) from error
    except DatabaseUnreachableError as error:
        log.error("feedback: %s", error)
        raise DatabaseUnreachableError(
            "the rating cannot be stored now, as the database does not take it; try again"
        ) from error
