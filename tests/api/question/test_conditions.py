"""What is asked of several things, in the words of a condition."""

import pytest

from api.answer.question import conditions


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("which courses do you need a tag for?", "which courses need a tag"),
        ("what gear do i have to leave a deposit for", "what gear need a deposit"),
        ("boxes where you have to wear gloves", "boxes that need gloves"),
        ("machines where you need the introduction first", "machines that need the introduction"),
        ("walls you can climb without a tag", "walls without a tag"),
        ("courses you don't need a tag for", "courses without tag"),
        ("what do I need a tag for", "what do I need a tag for"),
        ("which courses need a tag", "which courses need a tag"),
        ("where do I leave my boots", "where do I leave my boots"),
    ],
)
def test_a_condition_in_other_words(asked: str, plain: str) -> None:
    assert conditions.plain(asked) == plain


def test_what_leaves_something_has_it() -> None:
    assert conditions.plain("what injuries leave a mark on you?") == "what injuries have a mark?"
    kept = "which ships leave a port"
    assert conditions.plain(kept) == kept
