"""Cutting rules into chunks and entries: nothing lost, nothing apart that belongs together."""

import gc
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ingest import document, markdown
from ingest.chunk import CHUNK_LIMIT
from ingest.document import IndexedChunk
from ingest.markdown import Block, Document, block_text
from ingest.plain import plain
from ingest.vault import SourceFile
from retrieval import weights
from retrieval.fold import compact, searchable
from retrieval.models import Chunk
from retrieval.rerank import passage_text
from retrieval.tokens import TokenCounter

ENTRY_LIMIT = 254  # what the encoder reads, without [CLS] and [SEP]
LEAST_TEXT = 176  # what headings and context must leave for the text and its overlap

Index = Callable[[str], list[IndexedChunk]]
SLOW = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@pytest.fixture(scope="session")
def tokens() -> TokenCounter:
    """A counter of the bundled encoder's word pieces."""
    return TokenCounter(weights.bundled_encoder())


@pytest.fixture(scope="session")
def index(tokens: TokenCounter) -> Index:
    """Cut a file's text into chunks with their entries, as ingest does."""
    return lambda text: document.index(
        SourceFile("1. Rules/a.md", text, "", 0), entry_limit=ENTRY_LIMIT, count=tokens.count
    )


# Markdown, composed of blocks that each may be as odd as a rules file can have them.
WORDS = st.sampled_from(
    [
        "fall", "torch", "1d6", "gp", "30’", "½", "However", "except", "unless", "**bold**", "_it_",
        "`code`", "[a](b)", "|", "\\|", "<b>", "龍の息吹", "🐉", "naïve", "x\u00a0y", "", "\t", "—",
        "a\u200bb", "Roll.", "Move!", "only", "1,200", "[^1]", "[[wiki]]", "antidisestablishment",
    ]
)  # fmt: skip
SENTENCES = st.lists(WORDS, min_size=1, max_size=30).map(lambda words: " ".join(words) + ".")
LINES = SENTENCES | st.sampled_from(["All of these:", "**Only this**", "However, not in water."])
PARAGRAPHS = st.lists(LINES, min_size=1, max_size=4).map("\n".join)
HEADINGS = st.tuples(st.integers(1, 6), st.lists(WORDS, min_size=1, max_size=8)).map(
    lambda pair: "#" * pair[0] + " " + " ".join(pair[1])
)
SETEXT = st.tuples(SENTENCES, st.sampled_from(["===", "---"])).map("\n".join)
FLAT_LISTS = st.lists(SENTENCES, min_size=1, max_size=30).map(
    lambda items: "\n".join(f"- {item}" for item in items)
)
DEEP_LISTS = st.tuples(st.integers(1, 60), SENTENCES).map(
    lambda pair: "\n".join("  " * depth + f"- {depth} {pair[1]}" for depth in range(pair[0]))
)
CELLS = st.sampled_from(["", "a", "1d6", "Battle axe", "7 gp", "\\|", "a long note on the use"])
ROWS = st.lists(CELLS, max_size=6).map(lambda cells: "|" + "|".join(cells) + "|")
TABLES = st.tuples(
    st.lists(CELLS, min_size=1, max_size=5), st.lists(ROWS, max_size=40), st.integers(1, 4)
).map(
    lambda made: "\n".join(
        ["|" + "|".join(made[0]) + "|", "|" + "---|" * len(made[0]), *(made[1] * made[2])]
    )
)
FENCES = st.lists(
    st.sampled_from(["# not a heading", "", "\tcode", "| a |", "- x"]), max_size=80
).map(lambda lines: "\n".join(["```sh", *lines, "```"]))
QUOTES = PARAGRAPHS.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n")))
LONG_LINES = st.tuples(
    st.sampled_from(["word ", "龍", "A fall hurts. ", "🐉 ", "ab,", "x"]), st.integers(1, 900)
).map(lambda pair: pair[0] * pair[1])
OTHERS = st.sampled_from(
    [
        "***", "<div>\nhtml\n</div>", "<!-- a note -->", "[ref]: http://example.org 'title'",
        "[^1]: A footnote.\n    It goes on.", "term\n: what it means\n: also this",
        "> [!note] Title\n> text", "    indented code", "\u00a0", "> \n> ", "1. one\n2. two",
        "- [ ] a task\n\n  its second paragraph\n\n  | a |\n  |---|\n  | b |",
    ]
)  # fmt: skip
BLOCKS = (
    PARAGRAPHS | HEADINGS | SETEXT | FLAT_LISTS | DEEP_LISTS | TABLES | FENCES | QUOTES | LONG_LINES
    | OTHERS
)  # fmt: skip
DOCUMENTS = st.lists(BLOCKS, min_size=1, max_size=14).map("\n\n".join)
HEADERS = st.sampled_from(["", "", "---\ntitle: The Rules\n---\n"])
NOISE = st.text(alphabet="#ab \n\t\x0c\x85\u2028-=>|:*_`~[]()<!1.\u00a0龍", max_size=300)
SOURCES = st.tuples(HEADERS, DOCUMENTS).map("".join) | st.lists(BLOCKS).map("\n".join) | NOISE

LONG = "A fall onto spikes deals one more die of damage for each spike. " * 40


@SLOW
@given(SOURCES)
@example("# Falling\n\n" + LONG)
@example("# A\n\n## B\n\nAll of these:\n\n" + LONG)
@example("- item\n\n  " + LONG + "\n\n# Alone")
@example("# A\n\n" + "A long rule.  Two spaces   or three. " * 60)
@example("| a | b |\n|---|---|\n| c | " + LONG + " |\n| d | e |")
def test_every_line_is_in_a_chunk_and_a_chunk_is_exactly_its_lines(
    index: Index, source: str
) -> None:
    lines = source.split("\n")
    chunks = [item.chunk for item in index(source)]
    covered: set[int] = set()
    for parts in _whole_and_parted(chunks):
        text = "\n".join(lines[parts[0].first_line - 1 : parts[-1].last_line])
        assert "".join(part.text for part in parts) == text
        covered.update(range(parts[0].first_line - 1, parts[-1].last_line))
    body = _first_body_line(source)
    lost = [n for n, line in enumerate(lines) if n >= body and line.strip() and n not in covered]
    assert not lost
    assert all(number >= body for number in covered)


@SLOW
@given(SOURCES)
@example("# Falling\n\n" + LONG)
def test_chunks_stand_in_the_order_of_the_file_under_ids_of_their_own(
    index: Index, source: str
) -> None:
    chunks = [item.chunk for item in index(source)]
    places = [(chunk.first_line, chunk.piece) for chunk in chunks]
    assert places == sorted(set(places))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(before.last_line <= after.last_line for before, after in pairwise(chunks))


@SLOW
@given(SOURCES)
@example("# " + "heading " * 90 + "\n\n" + LONG)
@example("\n".join("  " * n + "- " + "word " * 15 for n in range(24)) + "\n\n# fall")
@example("A rule.\n\n" + "many " * 60 + "may:\n\n" + "- a rule of fifteen words\n" * 90)
@example("\n\n".join(["# " + "heading " * 60, "Short. " * 120, "Short. " * 120]))
def test_a_chunk_is_over_the_limit_only_where_its_heading_and_context_leave_too_little(
    index: Index, tokens: TokenCounter, source: str
) -> None:
    parsed = markdown.parse(source)
    for chunk in (item.chunk for item in index(source)):
        if tokens.count(passage_text(chunk)) > CHUNK_LIMIT:
            lines = [block_text(parsed, block) for block in _headings(parsed, chunk)]
            head = compact("\n".join([chunk.heading, chunk.context, *lines]))
            assert CHUNK_LIMIT - tokens.count(head) < LEAST_TEXT


@SLOW
@given(SOURCES)
@example("# " + "heading " * 300 + "\n\ntext")
@example("/".join("abcdefgh" * 30))
def test_an_entry_fits_the_encoder_and_quotes_its_chunk(
    index: Index, tokens: TokenCounter, source: str
) -> None:
    lines = source.split("\n")
    for item in index(source):
        for entry in item.entries:
            assert tokens.count(entry.text) <= ENTRY_LIMIT
            assert entry.quote in item.chunk.text
            assert item.chunk.first_line <= entry.first_line <= entry.last_line
            assert entry.last_line <= item.chunk.last_line
            assert entry.quote in "\n".join(lines[entry.first_line - 1 : entry.last_line])


@SLOW
@given(SOURCES)
@example("# A\n\n## B\n\n" + LONG)
@example("text\n\n# A\n\n# B")
@example("# A\n\n- " + LONG + "\n\n# B\n\n## C")
def test_a_heading_is_alone_only_in_a_file_of_headings(index: Index, source: str) -> None:
    blocks = markdown.parse(source).blocks
    headings = {n for b in blocks if b.kind == "heading" for n in range(b.first, b.last)}
    lines = source.split("\n")
    if all(block.kind == "heading" for block in blocks):
        return
    for chunk in (item.chunk for item in index(source)):
        numbers = range(chunk.first_line - 1, chunk.last_line)
        assert any(n not in headings and lines[n].strip() for n in numbers)


@SLOW
@given(DOCUMENTS)
def test_a_line_with_a_hash_in_a_fence_is_no_heading(index: Index, source: str) -> None:
    for item in index(source):
        assert "not a heading" not in item.chunk.heading
        assert all("not a heading" not in entry.heading for entry in item.entries)


@SLOW
@given(st.lists(PARAGRAPHS | FLAT_LISTS | TABLES, min_size=1, max_size=6).map("\n\n".join))
def test_the_words_of_every_line_are_searched(index: Index, source: str) -> None:
    found = index(source)
    said = " ".join(_letters(entry.text) for item in found for entry in item.entries)
    for line in source.split("\n"):
        for word in _letters(searchable(plain(line))).split():
            assert word in said


@pytest.mark.parametrize(
    "exception",
    [
        "However, nobody who floats is hurt.",
        "This does not apply to halflings.",
        "Except for thieves, who roll again.",
        "- unless the ground is soft",
        "> Not so, only when it is wet.",
    ],
)
def test_an_exception_stays_with_the_rule_above_it(index: Index, exception: str) -> None:
    filler = "A torch burns for one hour in dry air and shows the way to those behind. " * 8
    rule = "A fall deals 1d6 points of damage for each 10 feet fallen."
    source = "\n\n".join(["# Falls", *[filler] * 2, rule, exception, *[filler] * 2])
    assert any(rule in i.chunk.text and exception in i.chunk.text for i in index(source))


def test_a_sentence_that_limits_the_one_before_is_in_its_entry(index: Index) -> None:
    (item,) = index("# Falls\n\nA fall deals 1d6. Spikes deal 1d4. A pit is dark. Except by day.")
    quotes = [entry.quote for entry in item.entries if entry.kind == "sentences"]
    assert any("A pit is dark. Except by day." in quote for quote in quotes)


def test_every_item_of_a_long_list_has_the_lead_in_and_the_headings(index: Index) -> None:
    items = [f"climb the wall of the keep number {n} with no rope at all" for n in range(60)]
    lead = "A thief of the guild may:"
    found = index(f"# Thief\n\n## Skills\n\n{lead}\n\n" + "\n".join(f"- {i}" for i in items))
    entries = [entry for item in found for entry in item.entries if entry.kind == "item"]
    assert len(found) > 1
    assert len(entries) == len(items)
    for entry in entries:
        assert f"Thief > Skills: {lead}" in entry.text
        assert entry.lead == lead
    assert all(item.chunk.context == lead for item in found[1:])


def test_a_nested_item_has_its_parent_as_lead_in(index: Index) -> None:
    (item,) = index("- Fighters:\n  - any armor\n  - any weapon\n- Thieves:\n  - leather\n")
    texts = [entry.text for entry in item.entries if entry.kind == "item"]
    assert [text.split("a: ", 1)[1] for text in texts] == [
        "Fighters: any armor", "Fighters: any weapon", "Thieves: leather",
    ]  # fmt: skip


def test_each_later_part_of_a_cut_table_has_the_header_as_context(index: Index) -> None:
    head = "| Weapon | Saving throws |  |\n|---|---|---|\n|  | D | W |"
    rows = [f"| Weapon number {n} | {n} | {n + 1} |" for n in range(120)]
    found = index("# Arms\n\n" + "\n".join([head, *rows]))
    assert len(found) > 2
    assert found[0].chunk.context == ""
    assert all(item.chunk.context == head for item in found[1:])
    entries = [entry for item in found for entry in item.entries if entry.kind == "row"]
    assert [entry.quote for entry in entries] == rows
    assert entries[-1].lead == head
    assert entries[-1].text.endswith("Weapon number 119: Saving throws D 119; Saving throws W 120")


def test_a_table_and_a_fence_that_fit_are_whole(index: Index) -> None:
    filler = "A torch burns for one hour in dry air and shows the way to those behind. " * 12
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | x |" for n in range(20))
    fence = "```\n" + "\n".join(f"# step {n}" for n in range(20)) + "\n```"
    texts = [item.chunk.text for item in index("\n\n".join(["# A", filler, table, filler, fence]))]
    assert any(table in text for text in texts)
    assert any(fence in text for text in texts)


def test_a_nested_list_is_whole_to_depth_sixty(index: Index) -> None:
    lines = ["  " * depth + f"- level {depth}" for depth in range(60)]
    found = index("\n".join(lines))
    assert [line for line in lines if not any(line in i.chunk.text for i in found)] == []


def test_small_neighbouring_sections_share_a_chunk_and_large_ones_do_not(index: Index) -> None:
    small = "# Rules\n\n## Light\n\nIt is bright.\n\n## Dark\n\nIt is not.\n"
    assert [item.chunk.heading for item in index(small)] == ["Rules"]
    large = f"# Rules\n\n## Light\n\n{LONG[:900]}\n\n## Dark\n\n{LONG[:900]}\n"
    assert [item.chunk.heading for item in index(large)] == ["Rules", "Rules > Dark"]


def test_a_chunk_without_a_heading_is_headed_by_the_title(index: Index) -> None:
    assert index("A torch burns.")[0].chunk.heading == "a"
    assert index("---\ntitle: Light\n---\nA torch burns.")[0].chunk.heading == "Light"


def test_a_file_without_text_has_no_chunks(index: Index) -> None:
    assert [index(text) for text in ("", "\n \n\t\n", "---\ntitle: x\n---\n\n")] == [[], [], []]


def test_the_same_rule_in_two_folders_has_two_different_entries(tokens: TokenCounter) -> None:
    texts = [
        document.index(
            SourceFile(path, "# Light\n\nIt shines.\n", "", 0), entry_limit=254, count=tokens.count
        )[0].entries[0].text
        for path in ("1. Clerics/Light.md", "2. Mages/Light.md")
    ]  # fmt: skip
    assert texts == ["Clerics > Light: It shines.", "Mages > Light: It shines."]


# Row 2 of promises.md: what is deep, long or odd takes a time in proportion to its length.
NASTY: dict[str, Callable[[int], str]] = {
    "quote marks": lambda n: "> " * n + "x",
    "list marks": lambda n: "- " * n + "x",
    "brackets": lambda n: "[" * n,
    "emphasis": lambda n: "*_" * n,
    "images": lambda n: "![" * n,
    "back ticks": lambda n: "`" * n,
    "pipes": lambda n: "|" * n,
    "wide tables": lambda n: "|" * n + "\n" + "|-" * n + "|\n",
    "ragged tables": lambda n: (
        "|a" * int(n**0.5) + "|\n" + "|-" * int(n**0.5) + "|\n" + "|b|\n" * (n // 4)
    ),
    "empty cells": lambda n: "| - " + "|  " * n + "| x |",
    "rows": lambda n: "| a | b |\n|---|---|\n" + "| one | two |\n" * (n // 4),
    "items": lambda n: "- an item\n" * (n // 4),
    "children": lambda n: "- parent\n" + "  - a child\n" * (n // 4),
    "long parents": lambda n: "- parent\n" + "  of many\n" * n + "  - a child\n" * (n // 4),
    "paragraphs": lambda n: "A rule of the game.\n\n" * (n // 4),
    "headings": lambda n: "# a heading\n\n" * (n // 4),
    "exceptions": lambda n: "However, not this.\n\n" * (n // 4),
    "words": lambda n: "word " * n,
    "sentences": lambda n: "A fall hurts. " * n,
    "one word": lambda n: "a" * n,
    "ideographs": lambda n: "龍" * n,
    "spaces": lambda n: "x" + " " * n + "x",
    "line breaks": lambda n: "\n" * n + "x",
    "underscores": lambda n: "a" + "_" * n + "b",
    "open comments": lambda n: "# " + "<!--" * n,
    "empty quotes": lambda n: ">\n" * n + "> x",
    "full stops": lambda n: ". A" * n,
    "hashes": lambda n: "#" * n + " x",
    "footnotes": lambda n: "".join(f"[^{i}]: a note\n\n" for i in range(n // 8)),
    "references": lambda n: "".join(f"[{i}]: http://x.y/{i}\n" for i in range(n // 8)),
}


@pytest.mark.parametrize("name", NASTY)
def test_twice_as_much_takes_less_than_three_times_as_long(name: str, index: Index) -> None:
    make, length = NASTY[name], 5_000
    for _ in range(
        6
    ):  # a shared machine may stumble; what is quadratic takes 4 times as long again
        once, twice = (_seconds(lambda n=n: index(make(n))) for n in (length, 2 * length))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
        if twice < 0.05 or twice < 3 * once:
            return
    pytest.fail(f"{name}: {once:.2f} s for {length:,}, {twice:.2f} s for twice as much")


def test_a_list_two_hundred_deep_is_read_or_refused_but_not_lost(index: Index) -> None:
    lines = ["  " * depth + f"- level {depth}" for depth in range(200)]
    found = index("\n".join(lines))
    assert [line for line in lines if not any(line in i.chunk.text for i in found)] == []


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()  # a full collection in the middle is not what is measured
    try:
        started = time.process_time()
        work()
        return time.process_time() - started
    finally:
        gc.enable()


def _whole_and_parted(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Group the parts of one line; every other chunk is a group of its own."""
    groups: list[list[Chunk]] = []
    for chunk in chunks:
        if chunk.piece > 1:
            assert chunk.piece == groups[-1][-1].piece + 1
            groups[-1].append(chunk)
        else:
            groups.append([chunk])
    return groups


def _headings(parsed: Document, chunk: Chunk) -> list[Block]:
    inside = (b for b in parsed.blocks if chunk.first_line <= b.last and b.first < chunk.last_line)
    return [block for block in inside if block.kind == "heading"]


def _first_body_line(source: str) -> int:
    header = markdown.parse(source).header
    return header.count("\n") + 3 if header else 0


def _letters(text: str) -> str:
    return "".join(c if c.isalnum() else " " for c in text)
