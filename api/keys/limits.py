"""How much a key and an address may use, a minute and a day: 429 with Retry-After beyond that.

Requests are questions, searches, messages to /mcp, ratings and wrong keys; reads are pages, files
and sections as you type; tokens are the language model's. The headers are those of the IETF's draft
"RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers).
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from typing import TypeVar

from fastapi import Depends, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from api.schema.usage import Usage
from api.state import AppState, app_state, key_of
from retrieval.database.pool import Store
from retrieval.errors import ConfigurationError, RulesError
from retrieval.index.store import Connection
from retrieval.rates import DAY
from retrieval.usage import rate_window
from retrieval.usage.rate_window import Window

READS = 10  # as many may be read as may be asked, times this

_Result = TypeVar("_Result")
_MODEL = "model"  # what all callers together use of it
_ALLOWED = {
    "requests": "may ask {} times",
    "reads": "may read {} pages",
    "tokens": "may use {} tokens of the language model",
}

log = logging.getLogger("api")


async def check(request: Request) -> None:
    """Count a request that was let in, or a wrong key of an address; the reply says what is left.

    Raises HTTPException, 429, where its key or its address has asked too often in its time.
    """
    await _check(request, {"requests": 1})


async def check_asking(request: Request) -> None:
    """Count a question; also refused is one whose key or address has used up its tokens."""
    has_model = app_state(request).model is not None
    await _check(request, {"requests": 1, "tokens": 0} if has_model else {"requests": 1})


async def check_tokens(request: Request) -> None:
    """Count nothing; refused is one whose key or address has used up its tokens."""
    if app_state(request).model is not None:
        await _check(request, {"tokens": 0})


async def check_reading(request: Request) -> None:
    """Count what is read."""
    await _check(request, {"reads": 1})


LIMITED = Depends(check)
ASKING = Depends(check_asking)
READING = Depends(check_reading)


async def _check(request: Request, amounts: Mapping[str, int]) -> None:
    windows = list(_windows(request, amounts))
    if not windows:
        return
    store = app_state(request).rules.store
    windows = await run_in_threadpool(_counted, store, lambda conn: rate_window.take(conn, windows))
    request.state.reply_headers = _headers(windows)
    over = [one for one in windows if one.is_over]
    if over:
        seconds = max(1, *(ceil(one.seconds_left) for one in over))
        said = f"{'; '.join(map(_said, over))}; try again in {seconds} s"
        raise HTTPException(429, said, {"Retry-After": str(seconds)})


def is_budget_spent(opened: AppState) -> bool:
    """Tell whether the model's budget of the day is used up. Raises what reading it raises."""
    settings = opened.rules.settings
    if not (settings.model_budget_tokens or settings.model_budget_money):
        return False
    rows = [one.row for one in _of_model(Usage())]
    used = opened.rules.store.read(lambda conn: rate_window.used(conn, rows, DAY))
    read, written = (used.get(row, 0) for row in rows)
    most, money = settings.model_budget_tokens, settings.model_budget_money
    if most and read + written >= most:
        return True
    return bool(money and cost(settings.model_prices, read, written) >= money)


def cost(prices: Sequence[float], read: int, written: int) -> float:
    """Return what tokens cost by the prices of a million; 0 without prices."""
    return (prices[0] * read + prices[1] * written) / 1_000_000 if prices else 0.0


def charge(opened: AppState, request: Request | None, usage: Usage) -> None:
    """Count an answer's tokens for who asked, and of the budget; a failure is in the log alone."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    if not tokens:
        return
    settings = opened.rules.settings
    windows = list(_windows(request, {"tokens": tokens})) if request else []
    if settings.model_budget_tokens or settings.model_budget_money:
        windows += _of_model(usage)
    try:
        if windows:
            _counted(opened.rules.store, lambda conn: rate_window.count(conn, windows))
    except RulesError as error:
        log.error("%d tokens are not counted: %s", tokens, error)


def _windows(request: Request, amounts: Mapping[str, int]) -> Iterator[Window]:
    """What a request counts for: of its key, where it has one, and of its address."""
    settings = app_state(request).rules.settings
    callers = []
    if key := key_of(request):
        rates = (key.rates or settings.rate_limit_key, key.token_rates or settings.token_limit_key)
        callers.append((f"key {key.name}", *rates))
    rates = (settings.rate_limit_address, settings.token_limit_address)
    if request.client and any(rates):
        callers.append((f"address {network_of(request.client.host)}", *rates))
    for caller, requests, tokens in callers:
        for unit, amount in amounts.items():
            times = READS if unit == "reads" else 1
            for most, seconds in tokens if unit == "tokens" else requests:
                yield Window(caller, unit, times * most, seconds, amount)


def _of_model(usage: Usage) -> list[Window]:
    amounts = {"read": usage.prompt_tokens, "written": usage.completion_tokens}
    return [Window(_MODEL, unit, 0, DAY, amount) for unit, amount in amounts.items()]


def network_of(host: str) -> str:
    """Return an address; of IPv6 the network of 64 bits, whose addresses one caller has."""
    try:
        address = ip_address(host)
    except ValueError:  # what a proxy that is believed passes on need be no address
        return "unknown"
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((address.packed, 64), strict=False))
    return str(address)


def _counted(store: Store, work: Callable[[Connection], _Result]) -> _Result:
    try:
        return store.write(work)
    except ConfigurationError as error:
        log.error("limits: %s", error)  # it names a role of the database
        raise ConfigurationError(
            "this server cannot count requests; its log says what its operator can do"
        ) from error


def _headers(windows: list[Window]) -> dict[str, str]:
    rest = [(one, max(0, one.most - one.used), max(0, ceil(one.seconds_left))) for one in windows]
    return {
        "RateLimit-Policy": ", ".join(
            f'"{_policy(one)}";q={one.most};w={one.seconds}'
            + (';qu="tokens"' if one.unit == "tokens" else "")
            for one in windows
        ),
        "RateLimit": ", ".join(f'"{_policy(one)}";r={left};t={then}' for one, left, then in rest),
    }


def _policy(window: Window) -> str:
    parts = [window.caller.partition(" ")[0]]
    parts += [window.unit] if window.unit != "requests" else []
    return "-".join([*parts, "day"] if window.seconds == DAY else parts)


def _said(window: Window) -> str:
    allowed = _ALLOWED[window.unit].format(f"{window.most:,}")
    time = "day" if window.seconds == DAY else "minute"
    return f"this {window.caller.partition(' ')[0]} {allowed} a {time}"
