"""Contractions of a question in full, and what only looks like one."""

import pytest

from retrieval.search import written_out
from retrieval.text.normalize import without_contractions
from tests.support.index.ingested import IndexFiles


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
        ("T'Re and the Fae'd", "T'Re and the Fae'd"),  # names
    ],
)
def test_a_contraction_is_written_without_contractions(typed: str, full: str) -> None:
    assert without_contractions(typed, lambda _: False) == full


def test_a_word_of_the_rules_stays() -> None:
    assert without_contractions("who speaks thieves' cant? i dont", {"cant"}.__contains__) == (
        "who speaks thieves' cant? i do not"
    )


def test_a_name_or_alias_with_a_contraction_stays(index_files: IndexFiles) -> None:
    files = {
        "Don't Panic.md": "# Don't Panic\n\nA towel costs 2 gp. We don't sell others.\n",
        "aliases.yaml": "can't see: blindness\n",
    }
    context = index_files(files)
    terms = context.terms_of(None)
    for asked, full in (
        ("don't panic", "don't panic"),
        ("what if i can't see", "what if i can't see"),
        ("isn't a towel cheap", "is not a towel cheap"),
    ):
        assert written_out(context, asked, terms) == full
