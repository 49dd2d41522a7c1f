"""A vault told from another by a few of its texts, so that what was fitted on one stays with it.

The k lowest SHA-256 of a set are a fair sample of it, and of two sets the k lowest of their union
show how much they share (Broder, "On the resemblance and containment of documents", 1997).
"""

from collections.abc import Iterable

Sketch = tuple[str, ...]  # the first digits of the lowest digests of a vault's texts, ascending
_SIZE = 64  # the standard error of `resemblance` is at most 1 / (2 * sqrt(64)) = 0.06
_DIGITS = 12  # hexadecimal; two of a million texts share them with a chance of 0.002


def of(digests: Iterable[str]) -> Sketch:
    """Return the sketch of a set of texts, given by their SHA-256 or by the lowest of these."""
    return tuple(sorted({digest[:_DIGITS] for digest in digests})[:_SIZE])


def resemblance(one: Sketch, other: Sketch) -> float:
    """Return the share of two vaults' texts that both hold, estimated, 0 to 1; 0 of none."""
    lowest = sorted({*one, *other})[:_SIZE]
    both = {*one} & {*other}
    return sum(digest in both for digest in lowest) / len(lowest) if lowest else 0.0
