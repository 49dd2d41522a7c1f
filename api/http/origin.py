"""Which pages may make a browser write here: those that this server sent, and no others."""

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

_OURS = {"same-origin", "none"}  # none: the person's own doing, no page asked for it


async def refuse_other_origins(request: Request) -> None:
    """Raise HTTPException 403 where a page of another origin sends the request.

    Browsers say so in Sec-Fetch-Site, which no page can set; where that is missing (plain HTTP on
    a network) in Origin, whose host must be the one that is asked. Programs send neither.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is None and origin is None:
        return
    ours = site in _OURS if site is not None else _host(origin) == request.headers.get("host")
    if not ours:
        raise HTTPException(403, "a page of another origin may not do this; use this server's own")


def _host(origin: str | None) -> str | None:
    """The host and port of an origin; None of "null" and of what is none."""
    try:
        return urlsplit(origin or "").netloc or None
    except ValueError:
        return None
