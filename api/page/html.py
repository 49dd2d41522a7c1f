"""Templates become replies: all text escaped, nothing inline, nothing from elsewhere."""

import hashlib
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from api.checks.sanitize import visible
from api.page.assets import VERSION

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    # Nothing to elsewhere; "no-referrer" would call our own forms' origin "null" over plain http.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def _shown(value: object) -> object:
    """What a template places: characters that show nothing, or turn the text around, as escapes."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_TEMPLATES = Environment(
    loader=ChoiceLoader([PackageLoader("api.page"), PackageLoader("api.telemetry")]),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_shown,
    trim_blocks=True,
    lstrip_blocks=True,
)


def warm() -> None:
    """Compile all templates now instead of at their first use."""
    for name in _TEMPLATES.list_templates():
        _TEMPLATES.get_template(name)


def fragment(template: str, **values: Any) -> str:
    """Return a template as HTML that can be sent: half characters as escapes."""
    made = _TEMPLATES.get_template(template).render(assets=f"/page/{VERSION}", **values)
    return made.encode("utf-8", "backslashreplace").decode()


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a template as a whole page, under a policy that lets nothing but our own files run."""
    return HTMLResponse(
        fragment(template, **{"about": None, "signed_in": False, **values}), status, headers=HEADERS
    )


def unless_known(request: Request, page: HTMLResponse) -> Response:
    """Return the page with its ETag; 304 without it where the client has it already."""
    etag = f'"{hashlib.sha256(page.body).hexdigest()[:32]}"'
    page.headers["ETag"] = etag
    known = request.headers.get("if-none-match", "")
    if etag in [one.strip().removeprefix("W/") for one in known.split(",")]:
        return Response(status_code=304, headers={**HEADERS, "ETag": etag})
    return page
