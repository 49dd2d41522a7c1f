"""GET /status: the days of the telemetry on a page, for keys with the scope admin."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from api.keys.authorization import ADMIN, is_signed_in
from api.page import html
from api.schema.problem import described
from api.state import Opened
from api.telemetry import summary
from retrieval.usage.telemetry import by_day

router = APIRouter()


@router.get(
    "/status",
    response_class=HTMLResponse,
    responses=described(401, 403, 422, 429, 503),
    dependencies=[ADMIN],
)
def status(
    request: Request, opened: Opened, days: Annotated[int, Query(ge=1, le=3_650)] = 30
) -> HTMLResponse:
    """Show by day what was asked, what it took, and what was not answered."""
    settings = opened.rules.settings
    found = opened.rules.store.read(lambda conn: by_day(conn, days))
    return html.page(
        "status.html",
        signed_in=is_signed_in(request),
        is_off=not settings.telemetry_days,
        kept=settings.telemetry_days,
        days=days,
        tables={
            "How questions ended": [summary.OUTCOMES, *map(summary.outcomes, found)],
            "What they took, and why some got no answer": [
                summary.REASONS,
                *(summary.reasons(day, settings.model_prices) for day in found),
            ],
        },
    )
