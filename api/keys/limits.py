"""How many questions a minute a key and an address may ask: 429 with Retry-After beyond that.

Counted are questions, searches, messages to /mcp and ratings. The headers are those of the IETF's
draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers).
"""

import logging
from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil

from fastapi import Depends, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from api.keys import authorization
from api.state import app_state
from retrieval.database import rate_window
from retrieval.database.pool import Store
from retrieval.database.rate_window import SECONDS, Window
from retrieval.errors import ConfigurationError

log = logging.getLogger("api")


async def check(request: Request) -> None:
    """Count a request that was let in; its reply says what is left.

    Raises HTTPException, 429, where its key or its address has asked too often in its minute.
    """
    limits = _limits(request)
    if not limits:
        return
    windows = await run_in_threadpool(_counted, app_state(request).rules.store, limits)
    request.state.reply_headers = _headers(windows)
    over = [one for one in windows if one.is_over]
    if over:
        seconds = max(1, *(ceil(one.seconds_left) for one in over))
        said = "; ".join(f"this {_kind(one)} may ask {one.most} times a minute" for one in over)
        headers = {"Retry-After": str(seconds)}
        raise HTTPException(429, f"{said}; try again in {seconds} s", headers)


LIMITED = Depends(check)


def _limits(request: Request) -> dict[str, int]:
    """The most requests a minute of each caller that this one counts for."""
    settings = app_state(request).rules.settings
    limits = {}
    key = authorization.key_of(request)
    of_key = (key.rate if key else None) or settings.rate_limit_key
    if key and of_key:
        limits[f"key {key.name}"] = of_key
    if settings.rate_limit_address and request.client:
        limits[f"address {_network(request.client.host)}"] = settings.rate_limit_address
    return limits


def _network(host: str) -> str:
    """An address; of IPv6 the network of 64 bits, whose addresses one caller has."""
    address = ip_address(host)
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((address.packed, 64), strict=False))
    return str(address)


def _counted(store: Store, limits: Mapping[str, int]) -> list[Window]:
    try:
        with store.connect() as conn:
            return rate_window.count(conn, limits)
    except ConfigurationError as error:
        log.error("limits: %s", error)  # it names a role of the database
        raise ConfigurationError(
            "this server cannot count requests; its log says what its operator can do"
        ) from error


def _headers(windows: list[Window]) -> dict[str, str]:
    rest = [(one, max(0, one.most - one.used), max(0, ceil(one.seconds_left))) for one in windows]
    return {
        "RateLimit-Policy": ", ".join(
            f'"{_kind(one)}";q={one.most};w={SECONDS}' for one in windows
        ),
        "RateLimit": ", ".join(f'"{_kind(one)}";r={left};t={then}' for one, left, then in rest),
    }


def _kind(window: Window) -> str:
    return window.caller.partition(" ")[0]
