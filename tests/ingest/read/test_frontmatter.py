"""The YAML head of a file: few and plain values, and no header that hurts."""

import contextlib
import re
import tracemalloc

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.read import frontmatter, markdown
from ingest.read.frontmatter import FrontMatter
from retrieval.errors import FileRejectedError
from tests.support.faults import growth

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
OFTEN = settings(max_examples=100, deadline=None, derandomize=True)


def parse(header: str) -> FrontMatter:
    return frontmatter.parse("a.md", header)


def refusal(header: str) -> str:
    with pytest.raises(FileRejectedError) as caught:
        parse(header)
    assert caught.value.path == "a.md"
    assert "\n" not in caught.value.reason
    return caught.value.reason


def test_the_fields_that_ingest_knows_are_read_and_others_left_alone() -> None:
    header = """
title: "  The   Rules "
tags: [magic, light]
aliases:
  - Glow
  - Shine
status: house rule
edition: 2
supersedes: old/Light.md
cssclass: wide
nested: {of: the, writer: [1, 2]}
"""
    assert parse(header) == FrontMatter(
        title="The Rules",
        tags=("magic", "light"),
        aliases=("Glow", "Shine"),
        status="house rule",
        edition="2",
        supersedes=("old/Light.md",),
    )


@pytest.mark.parametrize("header", ["", "\n\n", "# only a comment", "{}", "title:", "title: ~"])
def test_nothing_in_the_header_is_nothing_known(header: str) -> None:
    assert parse(header) == FrontMatter()


@pytest.mark.parametrize(
    "value",
    [
        "1.10", "010", "No", "yes", "2024-13-45", "2024-02-30T25:61:00Z", "0x_", "0b", "1e999",
        ".nan", "12:30:45", "0x" + "f" * 200, "9" * 300, "1:1" + ":1" * 140 + ".5", "=", "<<",
    ],
)  # fmt: skip
def test_a_value_is_the_text_that_stands_there(value: str) -> None:
    assert parse(f"title: {value}").title == value
    assert parse(f"aliases: [{value}]").aliases == (value,)


@pytest.mark.proves("row 6")
@pytest.mark.parametrize("value", ["9" * 5_000, "0x" + "f" * 60_000, "1:1" + ":1" * 30_000])
def test_a_huge_number_is_refused_at_once(value: str) -> None:
    def refused(value: str) -> None:
        assert "title has" in refusal(f"title: {value}")
        assert parse(f"number: {value}") == FrontMatter()

    text = "x" * len(value)
    assert growth.times_as_long(lambda: refused(value), lambda: refused(text)) < 4


@pytest.mark.proves("row 6")
def test_an_alias_bomb_is_refused_at_once_and_in_little_memory() -> None:
    tracemalloc.start()
    reason = refusal(BOMB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "aliases (*name) are refused" in reason
    assert peak < 20_000_000
    harmless = re.sub("[&*]a[0-9]", "x", BOMB)  # as long
    assert growth.times_as_long(lambda: refusal(BOMB), lambda: parse(harmless)) < 4


@pytest.mark.parametrize("header", ["a: &x [1]\nb: *x", "a: &a [*a]", "b: &b\n  <<: *b"])
def test_one_alias_is_refused_as_well(header: str) -> None:
    assert "aliases" in refusal(header)


@pytest.mark.proves("row 6")
@pytest.mark.parametrize(
    "value",
    [
        "!!python/object/apply:os.system ['touch /tmp/never']", "!!python/name:os.system",
        "!!int ''", "!!bool maybe", "!!timestamp soon", "!!float ''", "!!binary é", "!mine x",
        "!!set {a, b}", "!!omap [a: 1]",
    ],
)  # fmt: skip
def test_a_tag_is_refused(value: str) -> None:
    assert "tags (" in refusal(f"title: {value}")


@pytest.mark.proves("row 6")
@pytest.mark.parametrize("header", ["title: a\ntitle: b", "x: {y: 1, y: 2}", "{a: 1, 'a': 2}"])
def test_a_field_that_stands_there_twice_is_refused(header: str) -> None:
    assert "stands there twice" in refusal(header)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("a: " + "x" * 65_600, "over 65,536 bytes"),
        ("a: " + "[" * 9 + "]" * 9, "8 levels"),
        ("[" * 60_000, "8 levels"),
        ("a: [" + "1, " * 300 + "]", "200 values"),
        ("just words", "is not a list of `name: value` lines"),
        ("- a\n- b", "is not a list of `name: value` lines"),
        ("title: [a", "is not YAML"),
        ("title: 'a", "is not YAML"),
        ("\ttitle: a", "is not YAML"),
        ("title: a\x07", "is not YAML"),
        ("? [a]\n: b", "is not YAML"),
        ("title: a\n...\ntitle: b", "is not YAML"),
        ("title: {a: b}", "title is {'a': 'b'}, not one value"),
        ("tags: [[a]]", "tags is ['a'], not one value"),
    ],
)
def test_a_header_that_is_not_small_and_plain_is_refused(header: str, words: str) -> None:
    assert words in refusal(header)


def test_eight_levels_and_two_hundred_values_are_read() -> None:
    parse("a: " + "[" * 7 + "]" * 7)
    parse("a: [" + "1, " * 198 + "]")


def test_a_head_that_is_never_closed_is_text_of_the_file() -> None:
    document = markdown.parse("---\ntitle: x\n\nA torch burns.\n")
    assert document.header == ""
    assert document.blocks[0].first == 0


def test_the_head_is_no_block_and_lines_below_keep_their_numbers() -> None:
    document = markdown.parse("---\ntitle: x\n---\n\n# Torch\n")
    assert document.header == "title: x"
    assert [(block.kind, block.first) for block in document.blocks] == [("heading", 4)]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
NAMES = st.sampled_from(["title", "tags", "aliases", "status", "edition", "supersedes", "other"])


@pytest.mark.proves("row 6")
@OFTEN
@given(st.dictionaries(NAMES, VALUES).map(lambda v: yaml.safe_dump(v, allow_unicode=True)))
def test_any_yaml_is_read_or_refused_by_name(header: str) -> None:
    with contextlib.suppress(FileRejectedError):
        fields = parse(header)
        assert all(isinstance(tag, str) for tag in (*fields.tags, *fields.aliases))


@OFTEN
@given(st.text(max_size=200) | st.text(alphabet="ab:{}[]&*!|>-?#'\"%@` \n\t0.~<=,", max_size=80))
@example("a: !!int\n")
@example("%YAML 9.9\n---\na: b")
@example("\ufeff")
def test_any_text_is_read_or_refused_by_name(header: str) -> None:
    with contextlib.suppress(FileRejectedError):
        parse(header)


@OFTEN
@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=60))
def test_a_title_is_the_text_that_was_written(title: str) -> None:
    header = yaml.safe_dump({"title": title}, allow_unicode=True)
    assert parse(header).title == " ".join(title.split())


HEADERS = st.lists(
    st.sampled_from(["---", "----", "...", "- a", "a: b", "", " ", "  ---", "--- ", "# c"])
)


@OFTEN
@given(HEADERS.map("\n".join) | HEADERS.map(lambda lines: "\n".join(["---", *lines, "text"])))
@example("---")
@example("---\na: b\n---\n" + "text\n" * 20_000)
@example("---\n" + "text\n" * 20_000)
def test_the_head_alone_is_the_head_of_the_whole(text: str) -> None:
    assert markdown.header(text) == markdown.parse(text).header
