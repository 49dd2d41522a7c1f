"""What must, may and must not be done, as questions and rules say it."""

import pytest

from api.answer.question.modality import Modality, modality


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what do i have to do as a hirer", "must"),
        ("The hirer must", "must"),
        ("Duties of the crew", "must"),
        ("what needs to be signed", "must"),
        ("The hirer may not", "must not"),
        ("what can't i bring", "must not"),
        ("what am i not allowed to do", "must not"),
        ("Forbidden on board", "must not"),
        ("The following shall not be taken on board", "must not"),
        ("Boats that are not issued to guests", "must not"),
        ("what may i bring", "may"),
        ("Guests are allowed to", "may"),
        ("what do i not have to pay", None),
        ("you need not sign", None),
        ("the harbour at night", None),
    ],
)
def test_what_a_text_says_must_may_or_must_not_be_done(text: str, said: Modality | None) -> None:
    assert modality(text) == said
