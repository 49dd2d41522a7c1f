"""A file's blocks: rows, fields, items and paragraphs, put together again from the index."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.answer.cards.blocks import Block, blocks, heading_of
from retrieval.models import IndexedFile
from retrieval.vocabulary.terms import is_delimiter, raw_cells
from tests.support.index.indexed_text import indexed_file

ARMS = (
    "# Arms\n\n| Class | Saving throws | | Cost |\n|---|---|---|---|\n|  | Death | Wands | gp |\n"
    "| Fighter | 12 | 13 | 5 |\n| Thief | 14 | 15 | 3 |\n"
)
KIT = (
    "# Kit\n\nEach hero carries:\n\n- a sword\n- a pack with\n  - a rope\n  - a lamp\n    - oil\n"
    "- a cloak\n\nNothing else.\n"
)
TEXTS = [
    "One sentence. Two of them.\nA third one.",
    "Heroes carry:\n\n- rope\n- oil with\n  - a wick",
    "1. First.\n\n   More of it.\n\n2. Second.",
    "| Arm | Cost |\n|---|---|\n| Bow | 5 |\n| Axe | 7 |",
    "| Save | With | |\n|---|---|---|\n| | D | W |\n| Elf | 12 | 13 |",
    "| | |\n|---|---|\n| Hit Dice | 4 |\n| Morale | 9 |",
    "**Range:** 60 feet\n**Duration:** 6 turns",
    "```\nfirst\n\n- second\n```",
    "> A word of warning.\n> And another.",
    "## A heading below",
]
SOURCES = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=7).map(
    lambda texts: "# Title\n\n" + "\n\n".join(texts) + "\n"
)


def shapes(source: str) -> list[tuple[str, int]]:
    return [(block.kind, len(block.parts)) for block in blocks(indexed_file(source))]


def one(source: str) -> Block:
    (block,) = blocks(indexed_file(source))
    return block


def shown(source: str, block: Block) -> list[str]:
    """The text of each part, the lead's first where there is one."""
    lines = source.split("\n")
    parts = (*([block.lead] if block.lead else []), *block.parts)
    return ["\n".join(lines[part.first_line - 1 : part.last_line]) for part in parts]


def test_a_table_with_a_header_of_two_rows_has_all_of_it_as_its_lead() -> None:
    block = one(ARMS)
    assert (block.kind, block.heading) == ("table", "Arms")
    assert shown(ARMS, block) == [
        "| Class | Saving throws | | Cost |\n|---|---|---|---|\n|  | Death | Wands | gp |",
        "| Fighter | 12 | 13 | 5 |",
        "| Thief | 14 | 15 | 3 |",
    ]
    assert (block.first_line, block.last_line) == (3, 7)


def test_two_tables_with_a_blank_line_between_are_two_blocks() -> None:
    table = "| A | B | C |\n|---|---|---|\n| a | b | c |\n"
    assert shapes(f"# T\n\n{table}\n{table}") == [("table", 1), ("table", 1)]


@pytest.mark.parametrize(
    "source",
    [
        "# Ogre\n\n| | |\n|---|---|\n| Armour | 5 |\n| Hit Dice | 4+1 |\n| Morale | 10 |\n",
        "# Ogre\n\n| Armour | 5 |\n|---|---|\n| Hit Dice | 4+1 |\n| Morale | 10 |\n",
        "# Ogre\n\n**Armour:** 5\n**Hit Dice:** 4+1\n**Morale:** 10\n",
        "# Ogre\n\n**Armour:** 5\n\n**Hit Dice:** 4+1\n\n__Morale__: 10\n",
    ],
)
def test_a_stat_block_is_fields_one_a_line(source: str) -> None:
    block = one(source)
    assert (block.kind, len(block.parts)) == ("fields", 3)
    assert "Armour" in shown(source, block)[-3]
    assert "Hit Dice" in shown(source, block)[-2]
    assert "Morale" in shown(source, block)[-1]


@pytest.mark.parametrize(
    "source",
    [
        "# Ogre\n\n**Note:** ogres smell.\n\nThey are big.\n",
        "# Ogre\n\n**Note:** ogres smell.\nThey are big.\n\nAnd slow.\n",
        f"# Ogre\n\n**Armour:** 5\n**Note:** {'they smell ' * 20}\n\nAnd slow.\n",
    ],
)
def test_prose_with_a_bold_beginning_is_no_field(source: str) -> None:
    assert shapes(source) == [("paragraph", 1), ("paragraph", 1)]


def test_a_table_whose_columns_have_names_is_no_stat_block() -> None:
    assert shapes("# T\n\n| Arm | Cost |\n|---|---|\n| Bow | 5 |\n| Axe | 7 |\n") == [("table", 2)]


def test_obsidian_s_inline_fields_are_fields() -> None:
    assert shapes("# Kestrel\n\nClass:: Cutter\nTop speed:: 4\n- Hull:: 22\n") == [
        ("fields", 2), ("list", 1),
    ]  # fmt: skip
    assert shapes("# C\n\nCall std::vector here.\nNext::one\n") == [("paragraph", 1)]


def test_an_item_with_those_nested_in_it_is_one_part_and_the_lead_in_leads() -> None:
    items, rest = blocks(indexed_file(KIT))
    assert (items.kind, rest.kind) == ("list", "paragraph")
    assert shown(KIT, items) == [
        "Each hero carries:",
        "- a sword",
        "- a pack with\n  - a rope\n  - a lamp\n    - oil",
        "- a cloak",
    ]


def test_an_item_of_two_paragraphs_is_one_part() -> None:
    block = one("# T\n\n1. First.\n\n   More of the first.\n\n2. Second\n   goes on.\n")
    assert [(part.first_line, part.last_line) for part in block.parts] == [(3, 5), (7, 8)]


def test_each_of_two_lists_has_its_own_lead_in() -> None:
    source = "# T\n\nFirst:\n\n- a bow\n- an axe\n\nSecond:\n\n- a cart\n- a mule\n"
    assert [shown(source, block)[0] for block in blocks(indexed_file(source))] == [
        "First:",
        "Second:",
    ]


def test_a_fence_is_one_part_whatever_stands_in_it() -> None:
    fence = "```\nfirst\n\n- no item\n# no heading\n\n| no | table |\n|---|---|\n| a | b |\n```"
    source = f"# T\n\nRun this:\n\n{fence}\n\nThen rest.\n"
    texts = [shown(source, block) for block in blocks(indexed_file(source))]
    assert fence in [parts[-1] for parts in texts]
    assert texts[-1] == ["Then rest."]


def test_paragraphs_are_parted_by_blank_lines_and_by_headings() -> None:
    found = blocks(indexed_file("# T\n\nOne. Two.\nThree.\n\nFour.\n\n## H\n\nFive.\n"))
    assert [(b.heading, b.first_line, b.last_line) for b in found] == [
        ("T", 3, 4),
        ("T", 6, 6),
        ("T > H", 10, 10),
    ]


def test_a_file_of_a_heading_alone_has_no_block() -> None:
    assert blocks(IndexedFile("a.md", {1: "# T"}, ())) == ()


def lines_of(block: Block) -> list[int]:
    return [n for part in block.parts for n in range(part.first_line, part.last_line + 1)]


@given(SOURCES)
def test_every_line_of_an_entry_is_in_one_part_of_one_block(source: str) -> None:
    file = indexed_file(source)
    found = blocks(file)
    numbers = [number for block in found for number in lines_of(block)]
    assert len(numbers) == len(set(numbers))
    assert numbers == sorted(numbers)
    for entry in file.entries:
        assert sum(block.holds(entry) for block in found) == 1
        assert set(range(entry.first_line, entry.last_line + 1)) <= set(numbers)


@given(SOURCES)
def test_leads_and_parts_of_blocks_do_not_overlap(source: str) -> None:
    found = blocks(indexed_file(source))
    for block in found:
        assert block.lead is None or block.lead.last_line < block.parts[0].first_line
    assert all(above.last_line < below.first_line for above, below in pairwise(found))


def test_cells_are_as_written_without_the_space_around_them() -> None:
    assert raw_cells("| **Axe** | a \\| b |  |") == ("**Axe**", "a \\| b", "")
    assert raw_cells("Axe | 7") == ("Axe", "7")


@pytest.mark.parametrize(
    ("line", "is_one"),
    [("|---|:--:|", True), ("--- | ---", True), ("| - |", True), ("| a-b |", False), ("", False)],
)
def test_a_delimiter_row_is_dashes_bars_and_colons(line: str, is_one: bool) -> None:
    assert is_delimiter(line) is is_one


@pytest.mark.parametrize(
    ("between", "line"),
    [
        ("## Storms\n\n", 5),
        ("## Storms\n<!-- c -->\n\n", 5),
        ("## Storms\n\n***\n\n", 5),
        ("## Storms\n\n![map](x.png)\n\n", 5),
        ("Storms\n------\n\n", 5),
        ("Storms\n======\n\n", 5),
    ],
)
def test_the_heading_of_a_block_is_found_above_what_is_no_entry(between: str, line: int) -> None:
    file = indexed_file(f"# Sea\n\nThe sea is wide.\n\n{between}A storm breaks masts.\n")
    storm = next(b for b in blocks(file) if "storm" in file.lines[b.first_line])
    found = heading_of(file, storm)
    assert found
    assert (found.first_line, "Storms" in file.lines[line]) == (line, True)


def test_an_item_that_introduces_others_is_one_of_its_list() -> None:
    source = (
        "# Round\n\n1. Declare.\n2. **First side**, in order:\n   1. Move\n   2. Shoot\n3. End.\n"
    )
    block = one(source)
    assert (block.kind, block.lead) == ("list", None)
    assert shown(source, block) == [
        "1. Declare.",
        "2. **First side**, in order:\n   1. Move\n   2. Shoot",
        "3. End.",
    ]
