"""What a model's reply cites: nothing but passages that it was given."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api import citations
from retrieval.models import Chunk, Entry, EntryKind, Evidence, Hit

TEXT = "A torch burns for one hour.\n\nA lantern burns for four hours.\nIt needs oil."


def entry(kind: EntryKind, line: int, quote: str) -> Evidence:
    last = line + quote.count("\n")
    return Evidence(Entry(kind, "Light", line, last, quote, "", "Light: ", quote), 0.5)


def hit(path: str = "light.md") -> Hit:
    evidence = (
        entry("sentences", 1, "A torch burns for one hour."),
        entry("sentences", 3, "A lantern burns for four hours.\nIt needs oil."),
        entry("whole", 1, TEXT),
    )
    return Hit(Chunk(path, "Light", 1, 4, TEXT), 0.7, evidence)


HITS = [hit("a.md"), hit("b.md"), hit("c.md")]


def test_a_citation_quotes_the_entry_that_the_statement_is_about() -> None:
    text, cited = citations.of_reply(
        "A torch burns for one hour [1]. A lantern burns for four hours [2].", HITS
    )
    assert text == "A torch burns for one hour [1]. A lantern burns for four hours [2]."
    assert [(c.marker, c.path, c.first_line, c.last_line) for c in cited] == [
        (1, "a.md", 1, 1),
        (2, "b.md", 3, 4),
    ]
    assert [c.quote for c in cited] == [
        "A torch burns for one hour.",
        "A lantern burns for four hours.\nIt needs oil.",
    ]


@pytest.mark.parametrize(
    ("reply", "text", "markers"),
    [
        ("One hour [1].", "One hour [1].", [1]),
        ("One hour [9].", "One hour.", []),
        ("One hour [0].", "One hour.", []),
        ("One hour [4][1].", "One hour[1].", [1]),
        ("One hour [2][1].", "One hour [2][1].", [1, 2]),
        ("One hour [1, 3].", "One hour [1][3].", [1, 3]),
        ("One hour [1,9 , 3].", "One hour [1][3].", [1, 3]),
        ("One hour [7, 8].", "One hour.", []),
        ("One hour [1] and [1] again.", "One hour [1] and [1] again.", [1]),
        ("One hour [1234567].", "One hour.", []),
        ("One hour [" + "9" * 5_000 + "].", "One hour.", []),
        ("One hour [01].", "One hour.", []),
        ("One hour [[9]8].", "One hour.", []),
        ("One hour [8[9]].", "One hour.", []),
        ("One hour [-1] [a] [] [1.5] [ 1 ].", "One hour [-1] [a] [] [1.5] [ 1 ].", []),
        ("One hour [١].", "One hour [١].", []),
        ("", "", []),
    ],
)
def test_markers_of_no_passage_are_dropped(reply: str, text: str, markers: list[int]) -> None:
    shown, cited = citations.of_reply(reply, HITS)
    assert (shown, [citation.marker for citation in cited]) == (text, markers)


@given(st.text(alphabet="[]0123456789, .a\n", max_size=60))
def test_every_marker_that_is_left_is_cited_and_every_citation_has_its_marker(reply: str) -> None:
    text, cited = citations.of_reply(reply, HITS)
    left = {int(number) for number in re.findall(r"\[([0-9]+)\]", text)}
    assert left == {citation.marker for citation in cited} <= {1, 2, 3}
    for citation in cited:
        assert citation.quote in TEXT


def test_a_quote_that_is_not_in_its_passage_is_never_cited() -> None:
    wrong = Hit(HITS[0].chunk, 0.7, (entry("sentences", 1, "A torch burns for two hours."),))
    with pytest.raises(AssertionError, match="not in its passage"):
        citations.of_reply("Two hours [1].", [wrong])


def test_the_longest_reply_of_brackets_takes_no_time() -> None:
    for reply in ("[" * 10_000, "[1," * 3_333, "[9" * 2_500 + "]" * 2_500, "[" + "1" * 9_999):
        started = time.perf_counter()
        citations.of_reply(reply, HITS)
        assert time.perf_counter() - started < 2, reply[:10]
