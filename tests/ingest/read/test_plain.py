"""Markdown without its marks, and where sentences end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.read.plain import limits_what_precedes, plain, sentences
from tests.support.faults import growth


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("A **torch** burns for *one* ~~two~~ `hour`.", "A torch burns for one two hour."),
        ("__bold__ and _it_, but snake_case_name stays", "bold and it, but snake_case_name stays"),
        ("[light](spells/light.md) and ![map](a.png 'x')", "light and ![map](a.png 'x')"),
        ('[light](light.md "The spell") shines', "light shines"),
        ("see [[Light]] and [[Light|the spell]]", "see Light and the spell"),
        ("a note[^1] here", "a note here"),
        ("[^1]: the note", "the note"),
        ("> quoted\n> > twice", "quoted twice"),
        ("> [!warning] Fire\n> It burns.", "warning: Fire It burns."),
        ("- one\n* two\n3. three\n4) four", "one two three four"),
        ("- [x] done\n- [ ] open", "done open"),
        ("term\n: what it means", "term what it means"),
        ("### A heading", "A heading"),
        ("| Dagger | 3 \\| 4 |  | 1d4 |", "Dagger; 3 / 4; 1d4"),
        ("| a | b |\n|:--|--:|\n| c | d |", "a; b; c; d"),
        ("before <!-- a note", "before <!-- a note"),
        ("1\\. Until 18:00\\. \\(Sundays\\)", "1. Until 18:00. (Sundays)"),
        ("C:\\temp \\ x", "C:\\temp \\ x"),
        ("2 < 3 and 5 > 4 - 1", "2 < 3 and 5 > 4 - 1"),
        ("", ""),
    ],
)
def test_marks_go_and_words_stay(markdown: str, words: str) -> None:
    assert plain(markdown) == words


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A fall hurts. Roll 1d6! Why? So.", ["A fall hurts.", "Roll 1d6!", "Why?", "So."]),
        ("It is approx. Five gp, e.g. Two. Ten.", ["It is approx. Five gp, e.g. Two.", "Ten."]),
        ("Dr. Who has 1.5 hit dice. v. two is", ["Dr. Who has 1.5 hit dice. v. two is"]),
        ("“Run.” “Now.” (Go.) **Stop.** End", ["“Run.”", "“Now.”", "(Go.)", "**Stop.**", "End"]),
        ("one. two. 30 feet.", ["one. two.", "30 feet."]),
        ("1. First. Second", ["1. First.", "Second"]),
        ("  padded.  \n  Twice.  ", ["padded.", "Twice."]),
        (" \n ", []),
    ],
)  # fmt: skip
def test_a_sentence_ends_where_the_next_begins(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


@given(st.text(alphabet='aB1 .!?\n"”)*_(', max_size=80) | st.text(max_size=80))
@settings(deadline=None, derandomize=True)
def test_sentences_leave_out_nothing_but_white_space(text: str) -> None:
    spans = list(sentences(text))
    covered = {n for start, end in spans for n in range(start, end)}
    assert all(n in covered for n, character in enumerate(text) if not character.isspace())
    assert sum(end - start for start, end in spans) == len(covered)
    assert all(part == part.strip() for part in cut(text))


@given(st.text(alphabet="a*_`|[](){}<>!-:#>^~\\ \n1.", max_size=120))
@settings(deadline=None, derandomize=True)
def test_no_letter_of_a_text_without_links_and_comments_is_lost(text: str) -> None:
    text = text.replace("[", "").replace("<", "")
    assert plain(text).count("a") == text.count("a")


@pytest.mark.parametrize(
    "text",
    [
        "However, nobody is hurt.", "This does not apply to elves.", "Unless it is dark, roll.",
        "Magic-users can’t, and don’t.", "except in water", "In that case, none.",
    ],
)  # fmt: skip
def test_a_limit_is_known_by_its_opening(text: str) -> None:
    assert limits_what_precedes(text)


@pytest.mark.parametrize("text", ["A torch burns for one hour.", "", "x " * 100 + "however"])
def test_what_only_goes_on_is_no_limit(text: str) -> None:
    assert not limits_what_precedes(text)


@pytest.mark.parametrize(
    "unit",
    [
        "<!--", "[[a|", "![](", "[^", "**", "a__", "__a", "`", "~~", ">", ">\n", "|  ", "|-", "|:",
        "- ", "-\t", " ", "\n", "[x](y ", '[x](y "', ". ", ".*", ".\n", "1. ", "\\|", "> [!", ": ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ends", [("", ""), ("| - |", "x"), ("a", "b"), ("", "-->"), ("> ", "]]")])
def test_reading_takes_time_in_proportion_to_the_length(unit: str, ends: tuple[str, str]) -> None:
    def read(count: int) -> None:
        text = ends[0] + unit * count + ends[1]
        plain(text)
        cut(text)

    assert growth.ratio(read, 500) < 3
