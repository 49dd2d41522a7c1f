"""A mapping that shares what it holds with the one before: as a dict that was copied."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from retrieval.vocabulary.layered import changed

KEYS = st.integers(0, 60)
CHANGES = st.dictionaries(KEYS, st.none() | st.integers(1, 9), max_size=12)


@given(st.dictionaries(KEYS, st.integers(1, 9), min_size=20), st.lists(CHANGES, max_size=8))
def test_it_is_as_a_copy_with_the_changes_and_leaves_those_before_as_they_were(
    first: dict[int, int], edits: list[dict[int, int | None]]
) -> None:
    held: Mapping[int, int] = first
    copy = dict(first)
    for changes in edits:
        before, was = held, dict(copy)
        held = changed(before, changes)
        copy |= {key: value for key, value in changes.items() if value is not None}
        copy = {key: value for key, value in copy.items() if changes.get(key, 1) is not None}
        assert held == copy
        assert held.keys() == copy.keys()
        assert len(held) == len(copy)
        assert [held.get(key) for key in range(61)] == [copy.get(key) for key in range(61)]
        assert before == was


def test_few_changes_copy_nothing() -> None:
    first = {number: number for number in range(1, 1_000)}
    second = changed(first, {1: None, 5_000: 5})
    assert not isinstance(second, dict)
    assert len(second) == len(first)
    assert changed(second, {}) is second
    assert isinstance(changed(second, dict.fromkeys(range(2, 300), 7)), dict)
