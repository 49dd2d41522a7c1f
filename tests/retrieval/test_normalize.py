"""One spelling for what is searched."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrieval.text.normalize import compact, comparable, fold, searchable

OFTEN = settings(max_examples=300, deadline=None, derandomize=True)


@OFTEN
@example("×\u0307")  # x with a dot above, only once × is x
@example("e\u200d\u0301")  # é, only once the joiner is gone
@given(st.text() | st.text(alphabet="½’ʼ'\"1a,.- \u0301\u0307\u0308\u200d\u00a0\n×…—"))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@OFTEN
@given(st.text(st.characters(categories=["Cf", "Cc", "Zs", "L", "N"])))
def test_a_folded_text_has_line_breaks_and_no_other_controls(text: str) -> None:
    folded = fold(text)
    controls = [c for c in folded if unicodedata.category(c) in {"Cf", "Cc"}]
    assert controls == ["\n"] * text.count("\n")
    assert "  " not in folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("30’ “light” – ‘x’", "30' \"light\" - 'x'"),
        ("2½ hours, ½ price", "2 1/2 hours, 1/2 price"),
        ("3×4…", "3x4..."),
        ("a\u00a0b\u2009c\td", "a b c d"),
        ("in\u200bvis\u202eible\x07", "invisible"),
        ("e\u0301lan", "élan"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_variants_have_one_spelling(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("falling 30’", "falling 30 feet"),
        ("falling 30'", "falling 30 feet"),
        ("a 6” blade", "a 6 inches blade"),
        ("10' × 10'", "10 feet x 10 feet"),
        ("1,200 gp and 1,234,567", "1200 gp and 1234567"),
        ("1,20 and 12,3456", "1,20 and 12,3456"),
        ("Twenty orcs, two-handed", "20 orcs, 2-handed"),
        ("the elves' weight of one", "the elves' weight of one"),
        ("5's", "5's"),
    ],
)
def test_units_and_numbers_have_one_spelling(text: str, words: str) -> None:
    assert searchable(text) == words


def test_a_question_and_a_rule_meet_in_any_spelling() -> None:
    assert searchable("thirty feet") == searchable("30’") == searchable("30 feet") == "30 feet"


@pytest.mark.parametrize(
    ("table", "quote"),
    [
        ("| Battle axe  |   7 | 1d8  |", "|Battle axe|7|1d8|"),
        ("| Battle axe | 7 |\n| Dagger | 3 |", "Battle axe 7 Dagger 3"),
        ("30’ – “x”", '30\' - "x"'),
        ("| a |  | b |", "a b"),
    ],
)
def test_quotes_are_compared_without_padding_pipes_and_typography(table: str, quote: str) -> None:
    assert comparable(table) == comparable(quote)


def test_different_words_stay_different() -> None:
    assert comparable("1d6 for each 10 feet") != comparable("1d8 for each 10 feet")


@OFTEN
@given(st.text(alphabet="a |-\n", max_size=60))
@example("|  a  |----|")
def test_compacting_keeps_every_letter_and_is_never_longer(text: str) -> None:
    short = compact(text)
    assert len(short) <= len(text)
    assert (short.count("a"), short.count("|"), short.count("\n")) == (
        text.count("a"),
        text.count("|"),
        text.count("\n"),
    )
