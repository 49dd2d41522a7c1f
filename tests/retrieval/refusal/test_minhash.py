"""How much two vaults share, estimated from a few of their texts' digests."""

from hashlib import sha256

import pytest

from retrieval.refusal import minhash
from retrieval.refusal.minhash import Sketch, resemblance


def of(texts: range) -> Sketch:
    """The sketch of a vault of numbered texts."""
    return minhash.of(sha256(str(text).encode()).hexdigest() for text in texts)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (range(5_000), range(5_000), 1.0),
        (range(5_000), range(500, 5_500), 0.82),  # a tenth deleted, a tenth added
        (range(5_000), range(2_500, 7_500), 0.33),
        (range(5_000), range(5_000, 10_000), 0.0),
        (range(10), range(5), 0.5),  # fewer than a sketch holds: exact
        (range(0), range(0), 0.0),
    ],
)
def test_the_share_of_texts_that_both_hold_is_estimated(
    one: range, other: range, shared: float
) -> None:
    assert resemblance(of(one), of(other)) == pytest.approx(shared, abs=0.12)
    assert resemblance(of(one), of(other)) == resemblance(of(other), of(one))
