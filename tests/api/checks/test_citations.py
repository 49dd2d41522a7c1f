"""What a model's reply cites: nothing but passages that it was given."""

import hashlib
import re
import unicodedata
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.checks import citations, review
from api.schema.passages import CitationCounts
from api.sources.vault_file import freshness
from retrieval.models import Chunk, Entry, EntryKind, Evidence, Hit
from tests.support.faults import growth

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
    text = "A torch burns for one hour [1]. A lantern burns for four hours [2]."
    found = citations.check_reply(text, HITS, "")
    cited = found.citations
    assert (found.text, found.counts.verified) == (text, 2)
    assert [(c.marker, c.path, c.first_line, c.last_line) for c in cited] == [
        (1, "a.md", 1, 1),
        (2, "b.md", 3, 3),
    ]
    assert [c.quote for c in cited] == [
        "A torch burns for one hour.",
        "A lantern burns for four hours.",
    ]


@pytest.mark.proves("row 32")
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
        ("One hour [2-7].", "One hour [2][3].", [2, 3]),
        ("One hour [100-299].", "One hour.", []),
        ("One hour [3-1].", "One hour [3][1].", [1, 3]),
        ("One hour 【1†lines 2-4】.", "One hour [1].", [1]),
        ("One hour [^1, ^9].", "One hour [1].", [1]),
        ("One hour [١].", "One hour [١].", []),
        ("", "", []),
    ],
)
def test_markers_of_no_passage_are_dropped(reply: str, text: str, markers: list[int]) -> None:
    found = citations.check_reply(reply, HITS, "")
    cited = sorted({citation.marker for citation in found.citations})
    assert (found.text, cited) == (text, markers)


@pytest.mark.proves("row 32")
@given(st.text(alphabet="[]0123456789, .a\n", max_size=60))
@settings(deadline=None, max_examples=40)
def test_every_marker_that_is_left_is_cited_and_every_citation_has_its_marker(reply: str) -> None:
    found = citations.check_reply(reply, HITS, "")
    left = {int(number) for number in re.findall(r"\[([0-9]+)\]", found.text)}
    assert left == {citation.marker for citation in found.citations} <= {1, 2, 3}
    for citation in found.citations:
        assert citation.quote in TEXT


OTHER = "A candle burns for six hours."
TWO = [hit("a.md"), Hit(Chunk("c.md", "Candle", 9, 9, OTHER), 0.6, (entry("whole", 9, OTHER),))]


def test_a_marker_of_the_wrong_passage_is_moved_to_the_one_that_says_it() -> None:
    reply = citations.check_reply("A candle burns for six hours [1].", TWO, "A candle?")
    assert reply.text == "A candle burns for six hours [2]."
    (item,) = reply.citations
    assert (item.status, item.path, item.quote) == ("repaired", "c.md", OTHER)
    assert reply.counts == CitationCounts(repaired=1)


def test_a_claim_that_no_passage_carries_has_no_marker_left() -> None:
    reply = citations.check_reply("A torch burns for nine hours [1][7].", TWO, "A torch?")
    assert reply.text == "A torch burns for nine hours."
    assert reply.citations == ()
    assert reply.counts == CitationCounts(dropped=1, unverified=1)


def test_two_markers_may_share_a_claim() -> None:
    text = "A torch burns for one hour, a candle for six hours [1][2]."
    reply = citations.check_reply(text, TWO, "How long?")
    assert reply.text == text
    assert [item.status for item in reply.citations] == ["verified", "verified"]


def test_every_line_that_is_cited_is_quoted() -> None:
    text = "A torch burns for one hour [1]. A lantern burns for four hours [1]."
    found = citations.check_reply(text, TWO, "How long?").citations
    assert [(item.marker, item.first_line) for item in found] == [(1, 1), (1, 3)]


def test_a_short_row_is_quoted_with_its_neighbours() -> None:
    table = "| A | B |\n|---|---|\n| x | 7 |\n| y | 8 |"
    row = Hit(Chunk("t.md", "T", 5, 8, table), 0.5, (entry("whole", 5, table),))
    (item,) = citations.check_reply("The B of y is 8 [1].", [row], "B of y?").citations
    assert len(item.quote) >= 12
    assert "| y | 8 |" in item.quote
    assert item.quote in table


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.md", "fresh"),
        ("a/c.md", "file-gone"),
        ("a", "file-gone"),
        ("link.md", "file-gone"),
        ("../outside.md", "file-gone"),
        ("/etc/hostname", "file-gone"),
    ],
)
def test_a_cited_file_is_looked_up_in_the_vault(tmp_path: Path, path: str, expected: str) -> None:
    vault = tmp_path / "vault"
    (vault / "a").mkdir(parents=True)
    (vault / "a/b.md").write_bytes(b"rules")
    (tmp_path / "outside.md").write_bytes(b"rules")
    (vault / "link.md").symlink_to(tmp_path / "outside.md")
    digest = hashlib.sha256(b"rules").hexdigest()
    assert freshness(vault, path, digest) == expected


def test_a_file_whose_name_is_decomposed_on_disk_is_found(tmp_path: Path) -> None:
    (tmp_path / unicodedata.normalize("NFD", "Café.md")).write_bytes(b"rules")
    digest = hashlib.sha256(b"rules").hexdigest()
    assert freshness(tmp_path, unicodedata.normalize("NFC", "Café.md"), digest) == "fresh"


def test_an_edited_file_has_changed(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_bytes(b"other rules")
    digest = hashlib.sha256(b"rules").hexdigest()
    assert freshness(tmp_path, "b.md", digest) == "file-changed"


TRUE = "A torch burns for one hour [1]. " * 80


def test_many_numbers_and_markers_take_a_time_that_is_bounded() -> None:
    numbers = ", ".join(f"{number} [1]" for number in range(2_000))

    def reviewed() -> None:
        for reply in (numbers, "A. [1] " * 2_000, "Oil. " * 2_000):
            found = review.of_text(reply[:4_000], HITS, "How many?").faults
            assert "uncited" in [one.finding.kind for one in found]

    def true() -> None:
        assert review.of_text(TRUE, HITS, "").faults == ()

    assert growth.times_as_long(reviewed, true) < 5  # measured: 0.7


def test_the_longest_reply_of_brackets_takes_no_time() -> None:
    for reply in ("[" * 10_000, "[1," * 3_333, "[9" * 2_500 + "]" * 2_500, "[" + "1" * 9_999):
        ratio = growth.times_as_long(
            partial(citations.check_reply, reply, HITS, ""),
            partial(citations.check_reply, TRUE, HITS, ""),
        )
        assert ratio < 1, reply[:10]  # measured: 0.03
