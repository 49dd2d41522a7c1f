"""Contractions of a question in full, and what only looks like one."""

import pytest

from retrieval.text.normalize import without_contractions


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("whats the ac", "what is the ac"),
        ("What’s up?", "What is up?"),
        ("im at 0", "i am at 0"),
        ("They're here and I've lost", "They are here and I have lost"),
        ("dont, can't, won't, isn't", "do not, cannot, will not, is not"),
        ("let's go", "let us go"),
        ("he'd fall", "he would fall"),
        ("the wizard's book", "the wizard's book"),
        (
            "its lair, ill or well, and the dwarves' axes",
            "its lair, ill or well, and the dwarves' axes",
        ),
        ("mid wont", "mid will not"),
    ],
)
def test_a_contraction_is_written_without_contractions(typed: str, full: str) -> None:
    assert without_contractions(typed, ()) == full


def test_a_word_of_the_rules_stays() -> None:
    assert without_contractions("who speaks thieves' cant? i dont", {"cant"}) == (
        "who speaks thieves' cant? i do not"
    )
