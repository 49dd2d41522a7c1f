"""The days of the telemetry as rows of two tables, for the terminal and the page."""

from collections.abc import Mapping, Sequence

from api.keys.limits import cost
from retrieval.usage.telemetry import Day

OUTCOMES = ("day", "asked", "p50/p95/p99 ms", "answered", "nearest", "refused", "failed")
REASONS = ("day", "tokens", "cost", "guard", "helpful", "not", "why refused or failed")


def outcomes(day: Day) -> tuple[str, ...]:
    """Return how many questions a day had, what they took, and how they ended."""
    ends = day.counts.get("outcome", {})
    return (
        day.day.isoformat(),
        str(day.questions),
        "/".join(f"{one:.0f}" for one in day.milliseconds),
        *(str(ends.get(name, 0)) for name in ("answered", "nearest", "refused", "error")),
    )


def reasons(day: Day, prices: Sequence[float]) -> tuple[str, ...]:
    """Return what the model took, its guard, the ratings and why there was no answer."""
    money = cost(prices, day.prompt_tokens, day.completion_tokens)
    left = day.counts.get("outcome", {}).get("abandoned", 0)
    why = {**day.counts.get("reason", {}), **({"the client left": left} if left else {})}
    ratings = day.counts.get("rating", {})
    return (
        day.day.isoformat(),
        f"{day.prompt_tokens + day.completion_tokens:,}",
        f"{money:.4f}" if prices else "",
        _listed(day.counts.get("guard", {})),
        *(str(ratings.get(name, 0)) for name in ("up", "down")),
        _listed(why),
    )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts))
